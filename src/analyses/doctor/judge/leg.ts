/** What the guilty leg of three columns says about causes: some exist only while decoding, some never do. */
import type { GuiltyLeg } from "../../../results/diagnosis.ts";
import type { Odds } from "../rank.ts";

/** Faults of decoding, or of what was recorded during it: a prefill of the same text does not have them. */
const OF_DECODING = new Set([
  "kv_cache_quantization",
  "stale_prefix_cache",
  "moe_routing_flips",
  "sentinel_fill",
  "truncation_renormalised",
  "penalty_mismatch",
  "greedy_zero_logprobs",
  "first_token_wrong",
  "last_token_wrong",
  "token_shift",
  "rows_shuffled_batch",
  "rows_shuffled_group",
  "nan_logprobs",
  "clamped_logprobs",
  "other_statistic",
]);
/** Those that can only come from decoding. */
const OF_CACHES = new Set(["kv_cache_quantization", "stale_prefix_cache"]);
/** Nats: judging a leg can go wrong too. */
const WEIGHT = 4;

export function weighLegs(odds: ReadonlyMap<string, Odds>, leg: GuiltyLeg | null): Map<string, Odds> {
  return new Map([...odds].map(([cause, own]) => [cause, { ...own, score: own.score + speak(cause, leg) }]));
}

function speak(cause: string, leg: GuiltyLeg | null): number {
  if (leg === "decode") {
    if (cause === "healthy") return -WEIGHT;
    return OF_DECODING.has(cause) || cause === "cannot_tell" ? 0 : -WEIGHT;
  }
  if (leg === "trainer") return OF_CACHES.has(cause) ? -WEIGHT : 0;
  return leg === "none" && cause === "healthy" ? WEIGHT / 2 : 0;
}
