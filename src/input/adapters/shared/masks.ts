/**
 * The masks of a batch: a token counts where all of them are 1.
 *
 * Trainers keep several masks and multiply them in the loss: TRL `completion_mask * tool_mask`
 * (`trl/trainer/grpo_trainer.py`, commit f2cd5771), SkyRL `response_mask` for the response and `loss_mask` for the
 * policy's own tokens (`skyrl/train/dataset/preprocess.py` and `trainer.py`, 0.4.0).
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import type { Field, FoundColumns, NameTable } from "./fields.ts";

/** The masks that say which tokens count, the response mask first. */
export const MASK_FIELDS = [
  "mask",
  "lossMask",
  "actionMask",
  "assistantMask",
  "toolMask",
  "envMask",
] as const satisfies readonly Field[];

export type MaskField = (typeof MASK_FIELDS)[number];

/** Masks that narrow the response mask; in all of them 1 is the policy's own token. */
export const NARROWING_MASKS: NameTable = {
  actionMask: ["action_mask", "action_masks"],
  assistantMask: ["assistant_mask", "assistant_masks"],
  toolMask: ["tool_mask"],
  envMask: ["env_mask"],
};

/** A mask that the user names stands alone: other columns are ignored. */
export function withoutOtherMasks(names: NameTable): NameTable {
  const others = new Set<string>(MASK_FIELDS.filter((field) => field !== "mask"));
  return Object.fromEntries(Object.entries(names).filter(([field]) => !others.has(field)));
}

/** Names of the columns whose masks are combined, the padding mask last. */
export function nameMasks<V>(columns: FoundColumns<V>): string[] {
  return [...MASK_FIELDS, "attention" as const].flatMap((field) => columns.get(field)?.name ?? []);
}

/** Where the response mask comes from, unless it is one column with that name; for `--explain`. */
export function explainMask<V>(columns: FoundColumns<V>): string | undefined {
  const masks = MASK_FIELDS.filter((field) => columns.has(field));
  if (masks.length > 1) {
    return `response mask: ${masks.map((field) => columns.get(field)!.name).join(" AND ")}`;
  }
  if (columns.has("mask")) return undefined;
  const [only] = masks;
  if (only === "lossMask") return "response mask: the last columns of the loss mask";
  if (only !== undefined) return `response mask: ${columns.get(only)!.name}`;
  if (columns.has("attention"))
    return "response mask: the last columns of the attention mask, so tool output counts as sampled";
  return "response mask: not present, so every token counts as sampled";
}

export interface CombinedMask {
  readonly mask: NumericArray;
  /** Tokens where the first of several masks is not 0; undefined when there is only one mask. */
  readonly firstCount: number | undefined;
}

/** The last `width` columns; undefined when there are fewer. */
export function takeTail(values: NumericArray | undefined, width: number): NumericArray | undefined {
  if (values === undefined || values.length < width) return undefined;
  return values.length === width ? values : values.subarray(values.length - width);
}

/** Tokens that a mask counts. */
export function countOnes(mask: NumericArray): number {
  let count = 0;
  for (const value of mask) if (value !== 0 && !Number.isNaN(value)) count++;
  return count;
}

/**
 * Combines a row's masks over its last `width` columns. A mask that is too short is returned unchanged, so that the
 * error names its length. A single mask keeps its values, including unusual ones.
 */
export function combineMasks(
  arrays: Readonly<Partial<Record<MaskField | "attention", NumericArray | undefined>>>,
  width: number,
): CombinedMask | undefined {
  const masks: NumericArray[] = [];
  for (const field of MASK_FIELDS) {
    const values = arrays[field];
    if (values === undefined) continue;
    // The response mask has the shape of the response; other masks may also cover the prompt.
    const fitting = field === "mask" && values.length !== width ? undefined : takeTail(values, width);
    if (fitting === undefined) return { mask: values, firstCount: undefined };
    masks.push(fitting);
  }
  const attention = takeTail(arrays.attention, width);
  if (attention !== undefined) masks.push(attention);
  const [first, ...others] = masks;
  if (first === undefined) return undefined;
  if (others.length === 0) return { mask: first, firstCount: undefined };
  const mask = Float64Array.from(first);
  for (const other of others) {
    // NaN is unknown, so the token does not count.
    for (let t = 0; t < width; t++) if (other[t] === 0 || Number.isNaN(other[t]!)) mask[t] = 0;
  }
  return { mask, firstCount: countOnes(first) };
}
