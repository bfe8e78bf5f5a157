/** Causes that log-probs hardly distinguish, if at all: each may be taken for another, so they are named together. */
import type { AlikeCauses } from "../../../results/diagnosis.ts";

const GROUPS: readonly { readonly title: string; readonly causes: readonly string[] }[] = [
  {
    title: "Different weights on the two sides",
    causes: [
      "stale_weights",
      "wrong_checkpoint",
      "lora_not_merged",
      "layer_not_synced",
      "tied_head_not_synced",
      "update_below_precision",
    ],
  },
  {
    title: "Different rounding or routing on the two sides",
    causes: ["weight_quantization", "kv_cache_quantization", "moe_routing_flips"],
  },
  {
    title: "Different prompts on the two sides",
    causes: ["template_mismatch", "bos_missing", "bos_double", "prompt_left_cut"],
  },
  {
    title: "Different positions on the two sides",
    causes: ["rope_mismatch", "position_ids_wrong", "context_window"],
  },
];
/** A smaller probability is not worth mentioning. */
const LEAST = 0.02;

/**
 * Most likely first, except for the very first: the likeliest cause of the likeliest group of similar causes, which
 * could otherwise lose to a single cause because its members share their probability.
 */
export function putAlikeFirst<T extends { readonly id: string; readonly probability: number }>(
  causes: readonly T[],
): T[] {
  const [first] = causes;
  if (first === undefined || first.id === "healthy" || first.probability > 0.5) return [...causes];
  const sum = (ids: readonly string[]): number =>
    causes.reduce((total, { id, probability }) => total + (ids.includes(id) ? probability : 0), 0);
  const own = GROUPS.find((group) => group.causes.includes(first.id))?.causes ?? [first.id];
  const best = GROUPS.map(({ causes: ids }) => ids).sort((x, y) => sum(y) - sum(x))[0] ?? own;
  if (!(sum(best) > sum(own))) return [...causes];
  const named = causes.find(({ id }) => best.includes(id)) as T;
  return [named, ...causes.filter((cause) => cause !== named)];
}

/** @param causes in the order of {@link putAlikeFirst} */
export function findAlike(
  causes: readonly { readonly id: string; readonly probability: number }[],
): AlikeCauses | null {
  const [first] = causes;
  const group = GROUPS.find((each) => each.causes.includes(first?.id ?? ""));
  if (first === undefined || group === undefined) return null;
  const own = causes.filter(({ id }) => group.causes.includes(id));
  const probability = own.reduce((sum, each) => sum + each.probability, 0);
  if (probability - first.probability < LEAST) return null;
  return { title: group.title, causes: own.map(({ id }) => id), probability: Math.min(1, probability) };
}
