/**
 * Runs of a small language model: logits are a function of weights and of the tokens before, so that equal contexts give
 * equal distributions, as they do in recordings. Faults are put in where they would occur: in the weights, in the logits,
 * in the context, or in the columns.
 *
 * @module
 */
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { SequenceDraft } from "../../core/schema/sequence-draft.ts";
import { seededRandom } from "../../core/statistics/random.ts";
import { drawToken, logSoftmax, makeNormal, toNormal } from "./logits.test-data.ts";

const VOCABULARY = 20;
const TOP = 4;
const LENGTH = 40;
const PROMPT = 8;

/** One sequence while it is written: what a fault may look at. */
export interface Place {
  readonly row: number;
  readonly step: number;
  readonly rank: number;
  readonly environment: string;
  /** Within the response. */
  readonly token: number;
  /** Prompt and response so far, the next token not among them. */
  readonly context: readonly number[];
  readonly promptLength: number;
  readonly normal: () => number;
}

export interface Side {
  /** Weights: 0 are the current ones; others differ by this much of the logits' own size. */
  readonly weights?: (place: Place) => number;
  /** What the side reads in place of the context. */
  readonly context?: (place: Place) => readonly number[];
  readonly logits?: (logits: readonly number[], place: Place) => readonly number[];
}

export interface ModelledRun {
  readonly rows?: number;
  /** Scale of all logits: at 1 the policy is unsure, as a base model at a high temperature is. Default 2.5. */
  readonly sureness?: number;
  readonly steps?: number;
  readonly rollout?: Side;
  readonly trainer?: Side;
  /** Tokens that a tool writes, which the mask leaves out. */
  readonly isTool?: (token: number) => boolean;
  /** Tokens drawn from these logits instead of the rollout's. */
  readonly sampled?: (logits: readonly number[]) => readonly number[];
  /** Changes a sequence before it is recorded. */
  readonly record?: (
    draft: Draft,
    place: { readonly row: number; readonly step: number },
  ) => Partial<SequenceDraft>;
  readonly keepLists?: boolean;
}

export interface Draft {
  readonly length: number;
  readonly ids: Int32Array;
  readonly mask: Uint8Array;
  readonly rollout: Float32Array;
  readonly trainer: Float32Array;
}

/** A number from 0 to 1 that depends on all of these. */
function hash(...values: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const value of values) {
    state = Math.imul(state ^ (value + 0x7f4a7c15), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return (state >>> 0) / 2 ** 32;
}

function hashNormal(...values: readonly number[]): number {
  return toNormal(hash(1, ...values), hash(2, ...values));
}

const known = new Map<string, readonly number[]>();

/** Of the last three tokens; some contexts are surer than others. */
function makeLogits(context: readonly number[], weights: number, sureness: number): readonly number[] {
  const last = context.slice(-3);
  const key = `${last.join(" ")} ${weights} ${sureness}`;
  let logits = known.get(key);
  if (logits === undefined) {
    const scale = sureness * (1 + 4 * hash(7, ...last));
    logits = Array.from(
      { length: VOCABULARY },
      (_, id) => scale * (hashNormal(id, ...last) + weights * hashNormal(100 + id, ...last)),
    );
    known.set(key, logits);
  }
  return logits;
}

/** Four samples of each prompt, on four ranks, in two environments. */
export function modelRun({
  rows = 64,
  sureness = 2.5,
  steps = 2,
  rollout = {},
  trainer = {},
  isTool = () => false,
  sampled,
  record = () => ({}),
  keepLists = true,
}: ModelledRun): RecordBatch {
  const random = seededRandom(1);
  const normal = makeNormal(random);
  const builder = createRecordBuilder({
    provenance: { file: "modelled.npz", format: "npz", trainer: "verl", alignment: "token" },
  });
  for (let row = 0; row < rows; row++) {
    const group = Math.floor(row / 4);
    const prompt = Array.from({ length: PROMPT }, (_, i) => Math.floor(VOCABULARY * hash(3, group, i)));
    const context = [...prompt];
    const where = {
      row,
      step: Math.floor((row * steps) / rows),
      rank: row % 4,
      environment: group % 2 ? "math" : "code",
    };
    const columns = {
      ids: new Int32Array(LENGTH),
      mask: new Uint8Array(LENGTH),
      rollout: new Float32Array(LENGTH),
      trainer: new Float32Array(LENGTH),
    };
    const lists = { rollout: emptyList(), trainer: emptyList() };
    const entropies = { rollout: new Float32Array(LENGTH), trainer: new Float32Array(LENGTH) };
    for (let token = 0; token < LENGTH; token++) {
      const place: Place = { ...where, token, context, promptLength: PROMPT, normal };
      const [ours, theirs] = [rollout, trainer].map(({ weights, context: read, logits }) => {
        const own = makeLogits(read?.(place) ?? context, weights?.(place) ?? 0, sureness);
        return [...(logits?.(own, place) ?? own)];
      }) as [number[], number[]];
      const all = { rollout: logSoftmax(ours), trainer: logSoftmax(theirs) };
      const id = isTool(token)
        ? token % VOCABULARY
        : drawToken(logSoftmax(sampled?.(ours) ?? ours), random());
      columns.ids[token] = id;
      columns.mask[token] = isTool(token) ? 0 : 1;
      for (const side of ["rollout", "trainer"] as const) {
        columns[side][token] = all[side][id]!;
        entropies[side][token] = all[side].reduce((sum, l) => sum - (l > -50 ? Math.exp(l) * l : 0), 0);
        fillList(lists[side], all[side], token);
      }
      context.push(id);
    }
    builder.push({
      length: LENGTH,
      ...where,
      groupId: `g${group}`,
      responseTokenIds: columns.ids,
      responseMask: columns.mask,
      rolloutLogprobs: columns.rollout,
      trainerLogprobs: columns.trainer,
      promptTokenIds: Int32Array.from(prompt),
      reward: row % 2,
      advantages: row % 2 ? 1 : -1,
      entropies,
      ...(keepLists && { topK: lists }),
      ...record({ length: LENGTH, ...columns }, where),
    });
  }
  return builder.flush();
}

function emptyList() {
  return { k: TOP, ids: new Int32Array(LENGTH * TOP), logprobs: new Float32Array(LENGTH * TOP) };
}

function fillList(list: ReturnType<typeof emptyList>, logprobs: readonly number[], token: number): void {
  const order = [...logprobs.keys()].sort((a, b) => logprobs[b]! - logprobs[a]!);
  for (let k = 0; k < TOP; k++) {
    list.ids[token * TOP + k] = order[k]!;
    list.logprobs[token * TOP + k] = logprobs[order[k] as number]!;
  }
}
