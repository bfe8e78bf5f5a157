/**
 * Policies as users write them: `hf:DIR`, `onnx:DIR`, `vllm:URL#model`, `sglang:URL`, `openai:URL#model`, `logits:FILE`.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { NotFoundError, UsageError } from "../../core/base/index.ts";
import { listIfPresent, statIfPresent } from "../../input/io/index.ts";
import type { Policy, PolicyFacts } from "./policy.ts";

export type Backend = PolicyFacts["backend"];

/** Options of back ends; each uses those that apply to it. */
export interface BackendOptions {
  /** Threads of a local model. */
  readonly threads?: number;
  /** Bytes of logits held at once. */
  readonly maxBlockBytes?: number;
  /** Bytes of cached results, so that the reference runs once. */
  readonly cacheBytes?: number;
  /** The Python that runs `hf:` policies; default LOGRATIO_PYTHON, else `python3`. */
  readonly python?: string;
  /** GPUs of `hf:` policies: `0`, `0,1`; `none` for the CPU. */
  readonly gpu?: string;
  /** Number type of an `hf:` policy: `auto`, `float32`, `bfloat16`, `float16`. */
  readonly dtype?: string;
  /** How an `hf:` model is spread over GPUs: accelerate's `auto`, `balanced`, `sequential`. */
  readonly deviceMap?: string;
  /** Tokens of a batch of an `hf:` policy, padding included. */
  readonly batchTokens?: number;
  /** Whether to make a local model's attention readable as well. */
  readonly attention?: boolean;
  /** Number of most probable tokens to request from a server. */
  readonly topK?: number;
  /** Whether to request the whole vocabulary from servers. */
  readonly fullVocabulary?: boolean;
  readonly vocabularySize?: number;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly apiKey?: string;
  /** Encodes a text with the study's tokenizer; needed for servers that name tokens by their text. */
  readonly encode?: (text: string) => number[];
}

interface Location {
  readonly backend: Backend;
  /** Path or URL. */
  readonly where: string;
  /** The part after `#`. */
  readonly part: string | undefined;
}

const FORM =
  "write name=hf:DIR, name=onnx:DIR, name=vllm:URL#model, name=sglang:URL, name=openai:URL#model or name=logits:FILE";

/** @throws UsageError when it is not one of the forms */
function parseLocation(at: string): Location {
  const [, backend, rest] = /^(onnx|hf|vllm|sglang|openai|logits):(.+)$/s.exec(at) ?? [];
  if (backend === undefined || rest === undefined)
    throw new UsageError(`"${at}" is not a policy that can be scored`, { hint: FORM });
  const hash = rest.lastIndexOf("#");
  return {
    backend: backend as Backend,
    where: hash < 0 ? rest : rest.slice(0, hash),
    part: hash < 0 ? undefined : rest.slice(hash + 1),
  };
}

/** How to open a policy behind each kind of server. */
const OPEN_SERVER = {
  vllm: async () => (await import("./servers/vllm/open.ts")).openVllmPolicy,
  sglang: async () => (await import("./servers/sglang/open.ts")).openSglangPolicy,
  openai: async () => (await import("./servers/openai/open.ts")).openOpenAiPolicy,
};

/** Opens a policy. Back ends are loaded on demand. */
export async function openPolicy(name: string, at: string, options: BackendOptions): Promise<Policy> {
  const { backend, where, part } = parseLocation(at);
  switch (backend) {
    case "onnx": {
      const { openOnnxPolicy } = await import("./onnx/open-policy.ts");
      return openOnnxPolicy(name, where, options);
    }
    case "hf": {
      const { openTorchPolicy } = await import("./torch/open-policy.ts");
      return openTorchPolicy(name, where, options);
    }
    case "logits": {
      const { openLogitsPolicy } = await import("./logits/open-logits-policy.ts");
      return openLogitsPolicy(name, where, { ...options, ...(part !== undefined && { policy: part }) });
    }
    default: {
      const open = await OPEN_SERVER[backend]();
      return open(name, where, { ...options, ...(part !== undefined && { model: part }) });
    }
  }
}

/**
 * `name=onnx:DIR` unchanged; without a name, the directory's or file's name is used. `onnx:DIR/*` and `hf:DIR/*` stand
 * for every directory in DIR that holds a model.
 *
 * @returns [name, location] pairs
 */
export async function expandPolicies(texts: readonly string[]): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const text of texts) {
    const [, name, at] = /^([^=:/]+)=(.+)$/s.exec(text) ?? [undefined, undefined, text];
    const { backend, where, part } = parseLocation(at!);
    if ((backend === "onnx" || backend === "hf") && name === undefined && basename(where) === "*") {
      for (const model of await modelDirectories(backend, dirname(where)))
        found.push([basename(model), `${backend}:${model}`]);
    } else {
      found.push([name ?? part ?? basename(where).replace(/\.[^.]*$/, ""), at!]);
    }
  }
  const names = found.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new UsageError(`two policies are named ${twice}`, {
      hint: "give each its own name: name=onnx:DIR",
    });
  return found;
}

async function modelDirectories(backend: "onnx" | "hf", dir: string): Promise<string[]> {
  const names = await listIfPresent(dir);
  if (names === undefined) throw new NotFoundError(`there is no directory ${dir}`, { at: { file: dir } });
  const found: string[] = [];
  for (const name of names.sort()) {
    // A directory that cannot be read may be a model: it fails as a policy, next to the others.
    const files = await modelFiles(backend, join(dir, name)).catch(() => undefined);
    if (files?.length !== 0) found.push(join(dir, name));
  }
  if (found.length === 0 && backend === "hf") {
    throw new NotFoundError(`no directory in ${dir} holds a Hugging Face model (config.json and weights)`, {
      at: { file: dir },
      hint: "convert the checkpoints to the Hugging Face form with the trainer's own script",
    });
  }
  if (found.length === 0) {
    throw new NotFoundError(`no directory in ${dir} holds an .onnx file`, {
      at: { file: dir },
      hint: "export the checkpoints: optimum-cli export onnx --model DIR --task text-generation-with-past OUT",
    });
  }
  return found;
}

/** Whether a file, judged by its name, holds arrays and no texts. */
export function isSavedLogits(path: string): boolean {
  return /\.(npz|npy|safetensors|pt)$/.test(path);
}

/** The files that a local policy is computed from. @throws FileSystemError */
async function modelFiles(backend: Backend, path: string): Promise<string[]> {
  if (backend === "hf") {
    const { checkpointFiles, findCheckpoint } = await import("./torch/find-checkpoint.ts");
    return checkpointFiles(await findCheckpoint(path).catch(() => path));
  }
  const found = await statIfPresent(path);
  if (found === undefined) return [];
  if (!found.isDirectory()) return path.endsWith(".onnx") || isSavedLogits(path) ? [path] : [];
  const names = (await listIfPresent(path)) ?? [];
  const models = names.filter((name) => name.endsWith(".onnx")).map((name) => join(path, name));
  return names.includes("onnx") ? [...models, ...(await modelFiles(backend, join(path, "onnx")))] : models;
}

/**
 * Changes when a policy's results may change: depends on sizes and dates of its files or its address, and on its number
 * type.
 */
export async function computeFingerprint(at: string, topK: number, dtype?: string): Promise<string> {
  const { backend, where } = parseLocation(at);
  // An unreadable file is reported when the policy is opened: an error here would end the scoring of all others.
  const found = await modelFiles(backend, where).catch(() => []);
  const files = await Promise.all(
    found.map(async (file) => {
      const { size, mtimeMs } = await stat(file);
      return `${basename(file)} ${size} ${Math.round(mtimeMs)}`;
    }),
  );
  const computed = backend === "hf" && dtype !== undefined ? [dtype] : [];
  return [at, `top ${topK}`, ...computed, ...files].join("; ");
}

/** The directory of the tokenizer that comes with a local model. */
export async function tokenizerBeside(at: string): Promise<string | undefined> {
  const { backend, where } = parseLocation(at);
  if (backend !== "onnx" && backend !== "hf") return undefined;
  const path = backend === "hf" ? await findHfDirectory(where) : where;
  const found = await statIfPresent(path);
  const dir = found?.isDirectory() === true ? path : dirname(path);
  const names: string[] = (await listIfPresent(dir)) ?? [];
  return names.includes("tokenizer.json") ? dir : undefined;
}

/** @throws NotFoundError if a Hugging Face model is neither a directory nor in the Hub's cache */
export async function checkModelExists(at: string): Promise<void> {
  const { backend, where } = parseLocation(at);
  if (backend !== "hf") return;
  const { findCheckpoint } = await import("./torch/find-checkpoint.ts");
  await findCheckpoint(where);
}

/** The directory of an `hf:` model; a missing one is reported when the policy is opened. */
async function findHfDirectory(where: string): Promise<string> {
  const { findCheckpoint } = await import("./torch/find-checkpoint.ts");
  return findCheckpoint(where).catch(() => where);
}
