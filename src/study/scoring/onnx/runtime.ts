/**
 * The only place that uses onnxruntime-node: loading it, sessions, tensors, and its messages.
 *
 * @module
 */
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { FormatError, UnsupportedError } from "../../../core/base/index.ts";
import type { LogitBlock } from "../../../core/kernels/index.ts";
import type { Extracted } from "./model-file/extract.ts";
import type { IdType } from "./signature.ts";

export type { Tensor };
export type Tensors = Readonly<Record<string, Tensor>>;

export interface SessionOptions {
  readonly threads?: number;
  readonly provider?: string;
}

/** A loaded graph. Runs block the calling thread; other work happens between runs. */
export interface Session {
  /** @throws UnsupportedError when onnxruntime gives up */
  run(feeds: Tensors, outputs: readonly string[]): Promise<Tensors>;
  /** Element type of an output. */
  outputType(name: string): string;
  close(): Promise<void>;
}

export interface Runtime {
  /** @param model a path, or bytes whose external weights are below a root */
  open(file: string, model: string | Extracted, options: SessionOptions): Promise<Session>;
  integers(type: IdType | "bool", values: ArrayLike<number>, shape: readonly number[]): Tensor;
  /** Makes a tensor without copying the values. */
  floats(type: string, values: Float32Array | Uint16Array, shape: readonly number[]): Tensor;
}

type Library = Pick<typeof import("onnxruntime-node"), "InferenceSession" | "Tensor" | "env">;

const VERSION = "1.30.0";

/**
 * @param load for tests
 * @throws UnsupportedError when the optional package is not installed, or has no binary for this machine
 */
export async function loadRuntime(
  load: () => Promise<Library> = () => import("onnxruntime-node"),
): Promise<Runtime> {
  const library = await load().catch((cause: unknown) => {
    const message = firstLine(cause);
    const missing = /Cannot find (package|module) '(onnxruntime-node|onnxruntime-common)/.test(message);
    throw new UnsupportedError(
      missing
        ? "local ONNX models need the package onnxruntime-node, which is not installed"
        : `onnxruntime-node does not start on this machine: ${message}`,
      {
        likely: missing
          ? "it is an optional dependency (about 290 MB) and was left out"
          : `it has no binary for ${process.platform} ${process.arch}, or the binary does not fit this system`,
        hint: `npm install onnxruntime-node@${VERSION} (set ONNXRUNTIME_NODE_INSTALL=skip where there is no open internet)`,
        cause,
      },
    );
  });
  // Every failure is thrown; the library would also print it.
  library.env.logLevel = "fatal";
  return {
    open: (file, model, options) => openSession(library, file, model, options),
    integers(type, values, shape) {
      if (type === "int32") return new library.Tensor(type, Int32Array.from(values), shape);
      if (type === "bool") return new library.Tensor(type, Uint8Array.from(values), shape);
      const wide = new BigInt64Array(values.length);
      for (let i = 0; i < values.length; i++) wide[i] = BigInt(values[i]!);
      return new library.Tensor(type, wide, shape);
    },
    floats: (type, values, shape) =>
      new library.Tensor(type as "float32", values as Float32Array<ArrayBuffer>, shape),
  };
}

async function openSession(
  library: Library,
  file: string,
  model: string | Extracted,
  { threads, provider = "cpu" }: SessionOptions,
): Promise<Session> {
  const root = typeof model === "string" ? null : model.externalRoot;
  const options: InferenceSession.SessionOptions = {
    executionProviders: [provider],
    logSeverityLevel: 4,
    ...(threads !== undefined && { intraOpNumThreads: threads }),
    ...(root !== null && { extra: { session: { model_external_initializers_file_folder_path: root } } }),
  };
  let session: InferenceSession;
  try {
    session = await (typeof model === "string"
      ? library.InferenceSession.create(model, options)
      : library.InferenceSession.create(model.bytes, options));
  } catch (cause) {
    throw cannotLoad(file, provider, cause);
  }
  let open = true;
  return {
    async run(feeds, outputs) {
      try {
        const given = Object.entries(feeds).map(([name, tensor]) => [name, withBits(tensor)]);
        return (await session.run(Object.fromEntries(given), outputs)) as Tensors;
      } catch (cause) {
        throw new UnsupportedError(`${file} did not run: ${firstLine(cause)}`, {
          at: { file },
          likely: "it was exported for texts of one fixed length, or memory ran out",
          hint: "check the export with onnxruntime in Python; trying a shorter text distinguishes memory from shapes",
          cause,
        });
      }
    },
    outputType(name) {
      const found = session.outputMetadata.find((value) => value.name === name);
      return found?.isTensor === true ? found.type : "no tensor";
    },
    async close() {
      if (!open) return;
      open = false;
      await session.release();
    },
  };
}

/**
 * If JavaScript has Float16Array (Node 24), the library's tensors hold half precision in one, and its binding then
 * finds no bytes in them (microsoft/onnxruntime pull request 32323, open with 1.30.0). It can read the bits given as
 * Uint16Array.
 */
function withBits(tensor: Tensor): Tensor {
  if (tensor.type !== "float16" || tensor.data instanceof Uint16Array) return tensor;
  const { buffer, byteOffset, length } = tensor.data as unknown as Uint16Array;
  return Object.create(tensor, { data: { value: new Uint16Array(buffer, byteOffset, length) } }) as Tensor;
}

function cannotLoad(file: string, provider: string, cause: unknown): FormatError | UnsupportedError {
  const message = firstLine(cause);
  const at = { file };
  if (/execution ?provider|backend not found|shared library/i.test(message)) {
    return new UnsupportedError(`onnxruntime cannot use the execution provider ${provider}: ${message}`, {
      at,
      likely: "its libraries are not installed, or this build of onnxruntime-node has none",
      hint: "leave out the provider to run on the CPU",
      cause,
    });
  }
  if (/implement|opset|is not a registered|unsupported (data|model)/i.test(message)) {
    return new UnsupportedError(`onnxruntime ${VERSION} has no kernel for a part of ${file}: ${message}`, {
      at,
      likely:
        "it was exported for another runtime, with a newer operator set, or in a precision that CPUs lack",
      hint: "export it again with opset 17 to 21 in fp32 or fp16",
      cause,
    });
  }
  if (/escapes model directory/.test(message)) {
    return new UnsupportedError(
      `onnxruntime does not read weights outside the model's directory: ${message}`,
      {
        at,
        likely: "the file of the weights is a symbolic link to another directory",
        hint: "copy the weights next to the model (cp -L follows links)",
        cause,
      },
    );
  }
  return new FormatError(`onnxruntime cannot load ${file}: ${message}`, {
    at,
    likely: "the graph is damaged, or was exported incorrectly",
    hint: "check it in Python: onnx.checker.check_model(FILE, full_check=True)",
    cause,
  });
}

/** onnxruntime's message, without its source positions. */
function firstLine(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [line = ""] = message.split("\n");
  const plain = line
    .replace(/\S*onnxruntime_src\/\S+:\d+ (.*?\((?:[^()]|\([^()]*\))*\)(?: const)? )?/g, "")
    .replace(/\b\w+\.cc:\d+ (\w+ )?/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return plain.length > 300 ? `${plain.slice(0, 300)}…` : plain;
}

/** Rows `[from, to)` of logits `[1, rows, vocabulary]`; no copy. */
export function cutBlock(logits: Tensor, from: number, to: number): LogitBlock {
  const vocabulary = logits.dims[2]!;
  const { data } = logits;
  if (logits.type === "float32") {
    const values = (data as Float32Array).subarray(from * vocabulary, to * vocabulary);
    return { format: "float32", values, rows: to - from, vocabulary };
  }
  // Uint16Array, or Float16Array if JavaScript has that: the bits are the same.
  const { buffer, byteOffset } = data as Uint16Array;
  const values = new Uint16Array(buffer, byteOffset + 2 * from * vocabulary, (to - from) * vocabulary);
  return { format: "float16", values, rows: to - from, vocabulary };
}
