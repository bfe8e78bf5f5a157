import { isObject, type Place, SchemaError } from "../../../core/base/index.ts";
import { isTensor, type TreeDocument, type TreeValue } from "../../../input/io/index.ts";
import { readIntegers, readMatrix } from "./integers.ts";
import type { SavedLogits, SavedText } from "./saved-text.ts";
import { textOfRow } from "./text-of-row.ts";

const IDS = "input_ids";
const LOGITS = "logits";
const PROMPTS = ["prompt_length", "prompt_lengths"] as const;
const ATTENTION = "attention_mask";
const RESPONSE = "response_mask";
/** Arrays of a text that belong to no policy. */
const OTHERS: ReadonlySet<string> = new Set([IDS, ...PROMPTS, ATTENTION, RESPONSE, "position_ids", "labels"]);
/** `0.input_ids`, `run/7/input_ids`. */
const NAMED_IDS = /^(.+[./])input_ids$/;

/** The layout, and the texts in the file's order. */
export interface Layout {
  /** Names of the policies whose logits the file has; undefined for a file of one policy. */
  readonly policies: readonly string[] | undefined;
  readonly texts: readonly SavedText[];
}

/**
 * Finds the texts of a file: `K.input_ids` beside `K.NAME` for each text K, or `input_ids` `[N, T]` (or `[T]`) beside
 * `logits`.
 *
 * @throws SchemaError when it is in neither layout, or ids, masks and lengths do not fit each other
 */
export async function readLayout(document: TreeDocument): Promise<Layout> {
  const entries = new Map<string, TreeValue>();
  collect(document.root, "", entries);
  const prefixes = [...entries.keys()].flatMap((name) => NAMED_IDS.exec(name)?.[1] ?? []);
  const named = prefixes.length > 0;
  if (!named && !entries.has(IDS)) throw noIds(document, [...entries.keys()]);
  const texts = named
    ? await namedTexts(document.file, entries, prefixes)
    : await rowTexts(document.file, entries);
  if (!named) return { policies: undefined, texts };
  const policies = new Set<string>();
  for (const { logits } of texts)
    for (const [name, { tensor }] of logits)
      if (tensor.dtype.includes("float") && (tensor.shape.length === 2 || tensor.shape.length === 3))
        policies.add(name);
  return { policies: [...policies], texts };
}

/** Names of nested dicts (torch) are joined by dots. */
function collect(
  map: Readonly<Record<string, TreeValue>>,
  prefix: string,
  into: Map<string, TreeValue>,
): void {
  for (const [name, value] of Object.entries(map)) {
    if (isMap(value)) collect(value, `${prefix}${name}.`, into);
    else into.set(prefix + name, value);
  }
}

async function namedTexts(
  file: string,
  entries: ReadonlyMap<string, TreeValue>,
  prefixes: readonly string[],
): Promise<SavedText[]> {
  const logits = new Map<string, Map<string, SavedLogits>>(prefixes.map((prefix) => [prefix, new Map()]));
  for (const [entry, tensor] of entries) {
    const owner = findOwner(entry, logits);
    const name = entry.slice(owner?.length);
    if (owner !== undefined && isTensor(tensor) && !OTHERS.has(name))
      logits.get(owner)!.set(name, { entry, tensor });
  }
  const texts: SavedText[] = [];
  for (const prefix of prefixes) {
    const part = (name: string): TreeValue | undefined => entries.get(prefix + name);
    const at = { file, entry: prefix + IDS };
    const ids = await readRowList(part(IDS)!, at);
    if (ids.length > 1) {
      throw new SchemaError(
        `${at.entry} holds the ids of ${ids.length} texts; an array with this name holds 1`,
        {
          at,
        },
      );
    }
    texts.push(
      textOfRow({
        key: prefix.slice(0, -1),
        at,
        ids: ids[0]!,
        row: undefined,
        logits: logits.get(prefix)!,
        attention: await firstRow(part(ATTENTION), { file, entry: prefix + ATTENTION }),
        response: await firstRow(part(RESPONSE), { file, entry: prefix + RESPONSE }),
        promptLength: (await lengths(part, file, prefix))?.[0],
      }),
    );
  }
  return texts;
}

/** The owner is the longest matching prefix: of "run." and "run.7.", the latter. */
function findOwner(entry: string, prefixes: ReadonlyMap<string, unknown>): string | undefined {
  for (let end = entry.length - 1; end > 0; end--) {
    const prefix = entry.slice(0, end);
    if (/[./]$/.test(prefix) && prefixes.has(prefix)) return prefix;
  }
  return undefined;
}

async function rowTexts(file: string, entries: ReadonlyMap<string, TreeValue>): Promise<SavedText[]> {
  const tensor = entries.get(LOGITS);
  if (tensor === undefined || !isTensor(tensor)) {
    throw new SchemaError(
      `found ${IDS} but no array ${LOGITS}; the arrays are ${list([...entries.keys()])}`,
      {
        at: { file },
        hint: "save one policy's logits [N, T, V] under the name logits, or those of several as K.NAME next to K.input_ids",
      },
    );
  }
  const logits = new Map([["", { entry: LOGITS, tensor }]]);
  const at = { file, entry: IDS };
  const ids = await readRowList(entries.get(IDS)!, at);
  const matrix = async (name: string): Promise<readonly Int32Array[] | undefined> => {
    const value = entries.get(name);
    if (value === undefined || value === null) return undefined;
    const rows = await readRowList(value, { file, entry: name });
    if (rows.length !== ids.length) throw otherRows(name, rows.length, ids.length, file);
    return rows;
  };
  const [attention, response] = [await matrix(ATTENTION), await matrix(RESPONSE)];
  const prompts = await lengths((name) => entries.get(name), file, "");
  if (prompts !== undefined && prompts.length !== 1 && prompts.length !== ids.length)
    throw otherRows(PROMPTS[1], prompts.length, ids.length, file);
  return ids.map((row, i) =>
    textOfRow({
      key: `row ${i}`,
      at: { ...at, row: i },
      ids: row,
      row: i,
      logits,
      attention: attention?.[i],
      response: response?.[i],
      promptLength: prompts?.[prompts.length === 1 ? 0 : i],
    }),
  );
}

async function lengths(
  part: (name: string) => TreeValue | undefined,
  file: string,
  prefix: string,
): Promise<Int32Array | undefined> {
  for (const name of PROMPTS) {
    const value = part(name);
    if (value !== undefined && value !== null) return readIntegers(value, { file, entry: prefix + name });
  }
  return undefined;
}

/** `[T]` is one row. */
async function readRowList(value: TreeValue, at: Place): Promise<Int32Array[]> {
  const rows = await readMatrix(value, at);
  if (rows.length === 0) throw new SchemaError("it holds no texts", { at });
  return rows;
}

async function firstRow(value: TreeValue | undefined, at: Place): Promise<Int32Array | undefined> {
  return value === undefined || value === null ? undefined : (await readRowList(value, at))[0];
}

function isMap(value: TreeValue): value is Readonly<Record<string, TreeValue>> {
  return isObject(value) && !("kind" in value && typeof value.kind === "string");
}

function noIds({ file }: TreeDocument, names: readonly string[]): SchemaError {
  return new SchemaError(
    `found logits but no ${IDS} to tell which texts they belong to; the arrays are ${list(names)}`,
    {
      at: { file },
      hint: "save the token ids with them: np.savez(FILE, logits=…, input_ids=…, prompt_lengths=…)",
    },
  );
}

function otherRows(name: string, rows: number, texts: number, file: string): SchemaError {
  return new SchemaError(`${name} has ${rows} rows, ${IDS} has ${texts}`, { at: { file, entry: name } });
}

function list(names: readonly string[]): string {
  return names.length > 12 ? `${names.slice(0, 12).join(", ")}, …` : names.join(", ") || "no arrays";
}
