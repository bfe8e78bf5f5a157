/**
 * AReaL's training batch as the user saved it: padded `[B, T]` arrays over prompt and response. Log-probs of the
 * trainer (`prox_logp`) are next-token aligned, entry t scoring token t + 1. `logprobs` and `loss_mask` come from the
 * rollout with entry t about token t; `compute_advantages` rolls both, and without decoupled loss it replaces
 * `logprobs` with `prox_logp` (`areal/trainer/ppo/actor.py` lines 174 to 191 and 247, `areal/workflow/rlvr.py`, commit
 * 4aef98d8).
 *
 * @module
 */
import { MissingSideError, type NumericArray } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { Adapter, AdapterContext } from "../../../input/adapters/adapter.ts";
import { responseStart } from "../../../input/adapters/shared/conversation.ts";
import { FIELD_LABELS, type FurtherField, findFurther } from "../../../input/adapters/shared/fields.ts";
import {
  asMatrix,
  describeValue,
  isMap,
  type Matrix,
  readNumbers,
} from "../../../input/adapters/shared/tree-values.ts";
import type { TreeDocument, TreeMap } from "../../../input/io/index.ts";

const NEEDED = ["input_ids", "loss_mask", "logprobs", "prox_logp"] as const;
/**
 * `compute_advantages` adds these; from then on everything is next-token aligned. `ppo_update` takes the first two away
 * again before it trains.
 */
const AFTERWARDS = ["kl_rewards", "tot_rewards", "advantages", "returns"];

function findBatch(root: TreeMap): TreeMap | undefined {
  const batch = isMap(root.batch) ? root.batch : root;
  return NEEDED.every((name) => asMatrix(batch[name]) !== undefined) ? batch : undefined;
}

function isAfterAdvantages(batch: TreeMap): boolean {
  return AFTERWARDS.some((name) => batch[name] !== undefined);
}

/** Next-token arrays have no entry for the first token: entry 0 stays missing. */
function shift(values: NumericArray): Float64Array {
  const shifted = new Float64Array(values.length).fill(Number.NaN);
  shifted.set(values.subarray(0, -1), 1);
  return shifted;
}

function shiftMask(mask: NumericArray): Uint8Array {
  const shifted = new Uint8Array(mask.length);
  for (let i = 1; i < mask.length; i++) shifted[i] = mask[i - 1] === 0 ? 0 : 1;
  return shifted;
}

/** Whether rollout and trainer log-probs are identical wherever the mask is 1, in the first rows. */
async function isOverwritten(batch: TreeMap): Promise<boolean> {
  if (!isAfterAdvantages(batch)) return false;
  const [rollout, trainer, mask] = await Promise.all(
    ["logprobs", "prox_logp", "loss_mask"].map((name) => readSome(asMatrix(batch[name])!)),
  );
  return rollout!.every((row, i) => row.every((value, t) => mask![i]![t] === 0 || value === trainer![i]![t]));
}

const FIRST_ROWS = 8;
function readSome(matrix: Matrix): Promise<readonly NumericArray[]> {
  return matrix.readRows(0, Math.min(matrix.rows, FIRST_ROWS));
}

async function* readBatch(
  batch: TreeMap,
  { blockTokens }: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const after = isAfterAdvantages(batch);
  const matrix = (name: string): Matrix | undefined => asMatrix(batch[name]);
  const ids = matrix("input_ids")!;
  const rewards = await readNumbers(batch.rewards, ids.rows);
  const rows = Math.max(1, Math.floor(blockTokens / Math.max(1, ids.width ?? blockTokens)));
  for (let from = 0; from < ids.rows; from += rows) {
    const end = Math.min(ids.rows, from + rows);
    const block = async (name: string): Promise<readonly NumericArray[] | undefined> =>
      matrix(name)?.readRows(from, end);
    const tokens = (await ids.readRows(from, end)) as readonly NumericArray[];
    const [rollout, trainer] = [(await block("logprobs"))!, (await block("prox_logp"))!];
    const [masks, attention] = [(await block("loss_mask"))!, await block("attention_mask")];
    const further: [FurtherField, readonly NumericArray[]][] = [];
    for (const [field, name] of findFurther((one) => matrix(one) !== undefined))
      further.push([field, (await block(name))!]);
    const [versions, advantages] = [await block("versions"), await block("advantages")];
    yield tokens.map((row, i): SequenceDraft => {
      const width = row.length;
      const mask = after ? shiftMask(masks[i]!) : masks[i]!;
      const length = attention?.[i]?.findLastIndex((bit) => bit !== 0) ?? width - 1;
      const start = responseStart(mask);
      const cut = <A extends NumericArray>(values: A): A => values.subarray(start, length + 1) as A;
      return {
        length: Math.max(0, length + 1 - start),
        responseMask: cut(mask),
        rolloutLogprobs: cut(after ? shift(rollout[i]!) : rollout[i]!),
        trainerLogprobs: cut(shift(trainer[i]!)),
        policyLogprobs: Object.fromEntries(
          further.map(([field, values]) => [field, cut(after ? shift(values[i]!) : values[i]!)]),
        ),
        responseTokenIds: cut(row),
        promptTokenIds: row.subarray(0, start),
        weightVersions: versions === undefined ? undefined : cut(versions[i]!),
        advantages: advantages === undefined ? undefined : cut(shift(advantages[i]!)),
        reward: rewards?.[from + i],
        row: from + i,
      };
    });
  }
}

export const areal: Adapter = {
  name: "areal",
  async detect(document) {
    if (document.kind !== "tree") return undefined;
    const batch = findBatch(document.root);
    if (batch === undefined) return undefined;
    const after = isAfterAdvantages(batch);
    const problem = (await isOverwritten(batch))
      ? new MissingSideError("logprobs and prox_logp of this AReaL batch are identical: every Δ would be 0", {
          at: { file: document.file },
          likely:
            "without decoupled loss AReaL's compute_advantages overwrites the engine's logprobs with prox_logp, or copies them to prox_logp if nothing is recomputed",
          hint: "set actor.use_decoupled_loss=true, or save the batch before compute_advantages with actor.recompute_logprob=true",
        })
      : undefined;
    const further = findFurther((name) => asMatrix(batch[name]) !== undefined);
    return {
      score: 0.92,
      found: [
        `rollout log-probs: logprobs, ${describeValue(batch.logprobs)}, entry t scores token ${after ? "t + 1" : "t"}`,
        `trainer log-probs: prox_logp, ${describeValue(batch.prox_logp)}, entry t scores token t + 1`,
        `response mask: loss_mask, ${describeValue(batch.loss_mask)}`,
        `prompt and response token ids: input_ids, ${describeValue(batch.input_ids)}`,
        ...further.map(([field, name]) => `${FIELD_LABELS[field]}: ${name}, ${describeValue(batch[name])}`),
      ],
      guessed: [
        after
          ? `saved after compute_advantages (it has ${AFTERWARDS.filter((name) => batch[name] !== undefined).join(", ")}): all arrays are next-token aligned`
          : "saved before compute_advantages: only prox_logp is next-token aligned",
      ],
      missing: [],
      problem,
    };
  },
  async read(document, context) {
    const batch = findBatch((document as TreeDocument).root)!;
    return { alignment: "next-token", sampling: {}, blocks: readBatch(batch, context) };
  },
};
