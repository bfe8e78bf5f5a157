/**
 * Options of back ends, from the config.
 *
 * @module
 */
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

/** `0`, `"0,1"` or `none`: in YAML a single GPU is a number. */
function readGpu(fields: ConfigFields): string | undefined {
  const value = fields.raw("gpu");
  if (value === undefined) return undefined;
  const text = String(value);
  if (/^(none|\d+(,\d+)*)$/.test(text)) return text;
  throw fields.wrong("gpu", "a number, several (0,1) or none");
}

function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}
