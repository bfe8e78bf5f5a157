/**
 * The masks of a batch: a token counts where all of them are 1.
 *
 * Trainers keep several side by side and multiply them when the loss is taken: TRL `completion_mask * tool_mask`
 * (`trl/trainer/grpo_trainer.py`, commit f2cd5771), SkyRL `response_mask` for what is response and `loss_mask` for what
 * the policy wrote (`skyrl/train/dataset/preprocess.py` and `trainer.py`, commit a9564572).
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import type { Field, FoundColumns, NameTable } from "./fields.ts";

/** The masks that say which tokens count, the one that says what is response first. */
export const MASK_FIELDS = [
  "mask",
  "lossMask",
  "actionMask",
  "assistantMask",
  "toolMask",
  "envMask",
] as const satisfies readonly Field[];

export type MaskField = (typeof MASK_FIELDS)[number];

/** What narrows the response mask under whatever name that goes; 1 is the policy's own token in all of them. */
export const NARROWING_MASKS: NameTable = {
  actionMask: ["action_mask", "action_masks"],
  assistantMask: ["assistant_mask", "assistant_masks"],
  toolMask: ["tool_mask"],
  envMask: ["env_mask"],
};

/** A mask that the user names stands alone: what the other columns say is no longer asked. */
export function withoutOtherMasks(names: NameTable): NameTable {
  const others = new Set<string>(MASK_FIELDS.filter((field) => field !== "mask"));
  return Object.fromEntries(Object.entries(names).filter(([field]) => !others.has(field)));
}

/** Names of the columns whose masks are combined, the padding mask last. */
export function nameMasks<V>(columns: FoundColumns<V>): string[] {
  return [...MASK_FIELDS, "attention" as const].flatMap((field) => columns.get(field)?.name ?? []);
}

/** Where the response mask comes from, when it is not one column that says so itself; for `--explain`. */
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
  /** Tokens where the first of several masks is not 0; undefined where there is one mask only. */
  readonly firstCount: number | undefined;
}

/** The last `width` columns; undefined when there are not as many. */
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
 * One mask of all that a row has, over its last `width` columns. A mask that is too short is given back as it is, so that
 * it is named with its own length. One mask alone keeps its values, odd ones included.
 */
export function combineMasks(
  arrays: Readonly<Partial<Record<MaskField | "attention", NumericArray | undefined>>>,
  width: number,
): CombinedMask | undefined {
  const masks: NumericArray[] = [];
  for (const field of MASK_FIELDS) {
    const values = arrays[field];
    if (values === undefined) continue;
    // What is response has the shape of the response; other masks may cover the prompt too.
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
    // NaN says nothing, so the token does not count.
    for (let t = 0; t < width; t++) if (other[t] === 0 || Number.isNaN(other[t]!)) mask[t] = 0;
  }
  return { mask, firstCount: countOnes(first) };
}
