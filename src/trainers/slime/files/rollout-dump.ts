/**
 * What a rollout dump (`Sample.to_dict()` of `slime/utils/types.py` and `miles/utils/types.py`) says about a sample
 * but the step's training dump does not; the two are joined by sample index.
 *
 * @module
 */

import type { NumericArray } from "../../../core/base/index.ts";
import type { Companion } from "../../../input/adapters/adapter.ts";
import { isMap, readScalar, readTexts, readVector } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeValue } from "../../../input/io/index.ts";
import { asDump, type Dump } from "./dump.ts";
import { readIndices } from "./parts.ts";

export interface RolloutSample {
  /** Its position in the whole rollout batch, the index into `raw_reward`. */
  readonly position: number;
  readonly group: string | undefined;
  readonly prompt: string | undefined;
  readonly response: string | undefined;
  readonly reward: number | undefined;
  readonly environment: string | undefined;
  readonly finishReason: string | undefined;
  readonly cachedTokens: number | undefined;
  readonly versions: TreeValue | undefined;
  readonly tokens: NumericArray | undefined;
}

async function readText(value: TreeValue | undefined): Promise<string | undefined> {
  return (await readTexts(value === undefined ? undefined : [value], 1))?.[0];
}

/** A prompt is a text, or the messages of a conversation. */
function writePrompt(value: TreeValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return undefined;
  const parts = (value as readonly TreeValue[]).map((message) =>
    isMap(message) && typeof message.content === "string"
      ? `${String(message.role ?? "")}: ${message.content}`
      : undefined,
  );
  return parts.every((part) => part !== undefined) ? parts.join("\n") : undefined;
}

/** `Sample.Status` as the engines' finish reason, which the record and other trainers use. */
const FINISH_REASONS: ReadonlyMap<TreeValue, string> = new Map([
  ["completed", "stop"],
  ["truncated", "length"],
  ["aborted", "abort"],
]);

function readFinishReason(status: TreeValue | undefined): string | undefined {
  if (typeof status !== "string" || status === "pending") return undefined;
  return FINISH_REASONS.get(status) ?? status;
}

/** Cached prompt tokens over all calls of the sample; both counts are 0 when the engine reported neither. */
async function readCachedTokens(info: TreeValue | undefined): Promise<number | undefined> {
  if (!isMap(info)) return undefined;
  const total = await readScalar(info.total_prompt_tokens);
  return total !== undefined && total > 0 ? readScalar(info.cached_tokens) : undefined;
}

export async function readRolloutSample(dump: Dump, i: number): Promise<RolloutSample> {
  const metadata = dump.get(i, "metadata");
  return {
    position: i,
    group: await readText(dump.get(i, "group_index")),
    prompt: writePrompt(dump.get(i, "prompt")),
    response: await readText(dump.get(i, "response")),
    reward: await readScalar(dump.get(i, "reward")),
    environment: isMap(metadata) ? await readText(metadata.data_source ?? metadata.env) : undefined,
    finishReason: readFinishReason(dump.get(i, "status")),
    cachedTokens: await readCachedTokens(dump.get(i, "prefix_cache_info")),
    versions: dump.get(i, "weight_versions"),
    tokens: await readVector(dump.get(i, "tokens")),
  };
}

/** The samples of the companion rollout dump, by sample index; undefined when there is none. */
export async function readRolloutSamples(
  companions: readonly Companion[],
  isRollout: (companion: Companion) => boolean,
): Promise<ReadonlyMap<number, RolloutSample> | undefined> {
  const companion = companions.find(isRollout);
  if (companion === undefined) return undefined;
  const document = await companion.open();
  const dump = document.kind === "tree" ? await asDump(document.root) : undefined;
  if (dump === undefined) return undefined;
  const indices = await readIndices(dump);
  const samples = await Promise.all(indices.map((_, i) => readRolloutSample(dump, i)));
  return new Map(indices.map((index, i) => [index, samples[i]!]));
}
