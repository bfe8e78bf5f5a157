/**
 * Options of back ends, from the config.
 *
 * @module
 */
import { UsageError } from "../../../core/base/index.ts";
import type { BackendOptions } from "../open-policy.ts";
import type { ConfigFields } from "./fields.ts";

const MIB = 2 ** 20;

/** @throws UsageError for a value of the wrong kind */
export function readBackend(
  fields: ConfigFields | undefined,
): BackendOptions & { readonly cacheBytes?: number } {
  if (fields === undefined) return {};
  const given = {
    threads: fields.count("threads"),
    maxBlockBytes: times(fields.count("memory_mib"), MIB),
    cacheBytes: times(fields.count("cache_mib", 0), MIB),
    concurrency: fields.count("concurrency"),
    timeoutMs: times(
      fields.number("timeout_s", (value) => value > 0, "above 0"),
      1000,
    ),
    retries: fields.count("retries", 0),
    fullVocabulary: fields.flag("full_vocabulary"),
    vocabularySize: fields.count("vocabulary_size"),
    python: fields.text("python"),
    gpu: readGpu(fields),
    dtype: fields.choice("dtype", ["auto", "float32", "bfloat16", "float16"]),
    deviceMap: fields.text("device_map"),
    batchTokens: fields.count("batch_tokens"),
  };
  fields.finish();
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The key of servers: neither on a command line, where every process list shows it, nor in a file that is passed around. */
export function readApiKey(): Pick<BackendOptions, "apiKey"> {
  const apiKey = process.env.LOGRATIO_API_KEY;
  return apiKey ? { apiKey } : {};
}

/** How GPUs are named, for messages. */
const GPU_FORMS = "a GPU's number (0 or cuda:0), several (0,1), or none or cpu for the CPU";

/**
 * GPUs as users and PyTorch name them: `0`, `0,1`, `cuda:1`, `cuda` (the first), and `none` or `cpu` for the CPU.
 *
 * @returns numbers separated by commas, or `none`; undefined if the text is neither
 */
export function parseGpu(text: string): string | undefined {
  const names = text
    .trim()
    .toLowerCase()
    .split(/\s*,\s*/);
  if (names.length === 1 && (names[0] === "none" || names[0] === "cpu")) return "none";
  const numbers = names.map((name) => (name === "cuda" ? "0" : /^(?:cuda:)?(\d+)$/.exec(name)?.[1]));
  return numbers.includes(undefined) ? undefined : numbers.map(Number).join(",");
}

/** The value of `--gpu`. @throws UsageError */
export function parseGpuFlag(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const gpu = parseGpu(given);
  if (gpu !== undefined) return gpu;
  throw new UsageError(`--gpu must be ${GPU_FORMS}, not "${given}"`);
}

/** In YAML a single GPU is a number. */
function readGpu(fields: ConfigFields): string | undefined {
  const value = fields.raw("gpu");
  if (value === undefined) return undefined;
  const gpu = parseGpu(String(value));
  if (gpu !== undefined) return gpu;
  throw fields.wrong("gpu", GPU_FORMS);
}

function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}
