import {
  LengthMismatchError,
  LimitError,
  type Place,
  SchemaError,
  UnsupportedError,
} from "../../../core/base/index.ts";
import type { LogitBlock } from "../../../core/kernels/index.ts";
import type { Allocate, DType, Tensor } from "../../../input/io/index.ts";
import { MAX_READ_BYTES } from "../../../input/io/index.ts";
import type { OpenTensors } from "./open-tensors.ts";
import type { SavedLogits, SavedText } from "./saved-text.ts";
import { type TokenRows, viewTokens } from "./token-rows.ts";

/** Logits in a type that the kernels read. */
export type LogitValues = Pick<LogitBlock, "format" | "values">;

/** Rows of logits of one text, padding included. */
export interface SavedRows {
  /**
   * Rows `[start, end)`, flattened, as they are stored; doubles are rounded to single precision.
   *
   * @param allocate as for `Tensor.readRows`
   */
  read(start: number, end: number, allocate?: Allocate): Promise<LogitValues>;
}

const FLOATS: ReadonlySet<DType> = new Set(["float16", "bfloat16", "float32", "float64"]);

/**
 * Checks that an array has one row of logits for each token id.
 *
 * @returns columns of a row
 * @throws SchemaError, UnsupportedError or LengthMismatchError otherwise
 */
export function checkLogits({ entry, tensor }: SavedLogits, text: SavedText, texts: number): number {
  const at: Place = { ...text.at, entry };
  const { shape, dtype } = tensor;
  if (!FLOATS.has(dtype)) {
    throw new UnsupportedError(
      `logits are of type ${dtype}; float32, float16, bfloat16 and float64 are read`,
      {
        at,
        likely: "it holds token ids, or quantized logits",
      },
    );
  }
  if (shape.length !== 2 && shape.length !== 3) {
    throw new SchemaError(
      `logits have the shape [${shape.join(", ")}]; [tokens, vocabulary] or [texts, tokens, vocabulary] was expected`,
      {
        at,
        ...(shape.length === 1 && { likely: "it holds log-probs of the sampled tokens, not logits" }),
      },
    );
  }
  const rows = shape.length === 3 ? shape[0]! : 1;
  if (rows !== texts) {
    throw new LengthMismatchError(`logits cover ${rows} texts, input_ids ${texts}`, {
      found: rows,
      expected: texts,
      at,
    });
  }
  const [tokens, vocabulary] = shape.slice(-2) as [number, number];
  if (tokens !== text.width) {
    throw new LengthMismatchError(`logits have ${tokens} rows, input_ids has ${text.width} columns`, {
      at,
      likely:
        tokens === text.width - 1
          ? "the last row was dropped, as is usual for a loss: it predicts what would follow the text"
          : "only the response's logits were saved, or those of another text",
      hint: "save the model's output unchanged: one row per token id, row t predicting token t + 1",
    });
  }
  if (vocabulary === 0) throw new SchemaError("logits have 0 columns", { at });
  return vocabulary;
}

/** Opens texts' rows, which are read on demand. */
export interface RowOpener {
  open(saved: SavedLogits, text: SavedText): Promise<SavedRows>;
  close(): Promise<void>;
}

export function createRowOpener(file: OpenTensors): RowOpener {
  // One view per array: each new view of a compressed array would inflate it from the start.
  const views = new Map<string, Promise<TokenRows | undefined>>();
  return {
    open: async ({ entry, tensor }, text) => {
      if (tensor.shape.length === 2) return openRows(tensor, 0);
      const view = views.get(entry) ?? viewTokens(file, entry, tensor);
      views.set(entry, view);
      const flat = await view;
      const row = text.row ?? 0;
      return flat === undefined
        ? wholeText(file, entry, tensor, row)
        : openRows(flat.tensor, row * tensor.shape[1]!);
    },
    close: async () => {
      for (const view of views.values()) await (await view)?.close();
    },
  };
}

function openRows(tensor: Tensor, first: number): SavedRows {
  return {
    read: (start, end, allocate) => readLogits(tensor, first + start, first + end, allocate),
  };
}

/** If a text's rows cannot be read one by one, all of them are in memory while the text is read. */
function wholeText({ document }: OpenTensors, entry: string, tensor: Tensor, row: number): SavedRows {
  const [, tokens, vocabulary] = tensor.shape as [number, number, number];
  const bytes = tokens * vocabulary * 4;
  if (bytes > MAX_READ_BYTES) {
    throw new LimitError(
      `one text's logits take ${bytes} bytes; of a ${document.format} file like this, with several texts in one array, at most ${MAX_READ_BYTES} are read at once`,
      {
        at: { file: document.file, entry },
        hint: "save them as safetensors or (in C order) as npz, which are read token by token",
      },
    );
  }
  let whole: Promise<LogitValues> | undefined;
  return {
    read: async (start, end) => {
      whole ??= readLogits(tensor, row, row + 1);
      const { format, values } = await whole;
      return { format, values: values.subarray(start * vocabulary, end * vocabulary) };
    },
  };
}

/** Bytes of a logit in a block, of each saved type. */
export function blockItemBytes(dtype: DType): number {
  return dtype === "float16" || dtype === "bfloat16" ? 2 : 4;
}

async function readLogits(
  { dtype, readRows, readBits }: Tensor,
  start: number,
  end: number,
  allocate?: Allocate,
): Promise<LogitValues> {
  if (readBits !== undefined && (dtype === "float16" || dtype === "bfloat16"))
    return { format: dtype, values: await readBits(start, end, allocate) };
  const values = await readRows(start, end, allocate);
  return { format: "float32", values: values instanceof Float32Array ? values : Float32Array.from(values) };
}
