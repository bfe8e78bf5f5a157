/**
 * Faults, each put into a modelled run where it would occur in a real one. Likeness is fitted to recordings of language
 * models, whose shape such a small model does not have: the ranking of causes here tests words and figures, not the
 * doctor's skill, which `scripts/score-doctor.mjs` measures on recordings.
 */
import type { ModelledRun, Place, Side } from "./modelled-run.test-data.ts";

/** Rounding of an engine: each logit moves by normal noise of this size. */
const noisy =
  (size: number) =>
  (logits: readonly number[], { normal }: Place): readonly number[] =>
    logits.map((logit) => logit + size * normal());
const ENGINE: Side = { logits: noisy(0.005) };
const divide = (by: number) => (logits: readonly number[]) => logits.map((logit) => logit / by);
const weights = (of: (place: Place) => number): Side => ({ ...ENGINE, weights: of });

/** Keeps the most likely tokens until their sum reaches `mass`; the others have no probability. */
function nucleus(logits: readonly number[], mass: number): readonly number[] {
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
  let kept = 0;
  const keep = new Set<number>();
  for (const [id, logit] of [...logits.entries()].sort(([, a], [, b]) => b - a)) {
    if (kept >= mass) break;
    keep.add(id);
    kept += Math.exp(logit) / total;
  }
  return logits.map((logit, id) => (keep.has(id) ? logit : -60));
}

const alter =
  (
    side: "rollout" | "trainer",
    to: (column: Float32Array, row: number) => Float32Array,
  ): NonNullable<ModelledRun["record"]> =>
  (draft, { row }) => ({ [`${side}Logprobs`]: to(draft[side], row) });

export const RUNS: Readonly<Record<string, ModelledRun>> = {
  "an engine's rounding": { rollout: ENGINE },
  "an engine's rounding of an unsure policy": { rollout: ENGINE, sureness: 1, rows: 128 },
  "a trainer at temperature 0.7": { rollout: ENGINE, trainer: { logits: divide(0.7) } },
  "a rollout at temperature 0.8": { rollout: { logits: divide(0.8) } },
  "a soft-cap in the rollout alone": {
    rollout: { logits: (logits) => logits.map((l) => 6 * Math.tanh(l / 6)) },
  },
  "rollout log-probs after top-p 0.9": {
    rollout: { logits: (logits) => nucleus(logits, 0.9) },
    keepLists: false,
  },
  "samples after top-p 0.9, which no column shows": { sampled: (logits) => nucleus(logits, 0.9), rows: 128 },
  "padding columns in the trainer's softmax": {
    record: alter("trainer", (column) => column.map((l) => l - Math.log(1 + Math.exp(l) * 0.01 + 0.01))),
  },
  "a repetition penalty in the rollout": {
    rollout: { logits: (logits, { context }) => logits.map((l, id) => (context.includes(id) ? l - 1 : l)) },
  },
  "a presence penalty on the response": {
    rollout: {
      logits: (logits, { context, promptLength }) =>
        logits.map((l, id) => (context.slice(promptLength).includes(id) ? l - 0.8 : l)),
    },
  },
  "an engine on older weights": { rollout: weights(() => 0.3) },
  "an engine that falls behind": { rollout: weights(({ step }) => 0.08 * step), rows: 160, steps: 8 },
  "an engine on other weights from one step on": {
    rollout: weights(({ step }) => (step >= 5 ? 0.3 : 0)),
    rows: 160,
    steps: 8,
  },
  "one step on other weights": {
    rollout: weights(({ step }) => (step === 3 ? 0.3 : 0)),
    rows: 160,
    steps: 8,
  },
  "one rank on other weights": { rollout: weights(({ rank }) => (rank === 2 ? 0.3 : 0)), rows: 96 },
  "one environment with another temperature": {
    rollout: {
      logits: (logits, place) =>
        place.environment === "math" ? divide(1.4)(logits) : noisy(0.005)(logits, place),
    },
    rows: 96,
  },
  "workers with different weights": {
    rollout: weights(({ row }) => (row % 8 < 4 ? 0.3 : 0)),
    record: ({ length }, { row }) => ({ weightVersions: new Int32Array(length).fill(row % 8 < 4 ? 3 : 4) }),
    rows: 128,
  },
  "every third worker on older weights": {
    rollout: weights(({ row }) => (row % 3 === 1 ? 0.2 : 0)),
    rows: 192,
    steps: 2,
  },
  "the reference's weights in the engine": {
    rollout: weights(() => 0.25),
    record: ({ rollout }) => ({
      policyLogprobs: { reference: rollout.map((l) => l + 0.001 * Math.sin(1e4 * l)) },
    }),
  },
  "a noisy trainer (dropout)": { rollout: ENGINE, trainer: { logits: noisy(0.3) } },
  "a noisy rollout (quantized)": { rollout: { logits: noisy(0.3) } },
  "a prompt that the engine saw without its end": {
    rollout: {
      ...ENGINE,
      context: ({ context, promptLength }) => [
        ...context.slice(0, promptLength - 3),
        0,
        1,
        ...context.slice(promptLength),
      ],
    },
  },
  "a stale prefix cache, felt at the beginning": {
    rollout: weights(({ token }) => 0.4 * Math.exp(-token / 8)),
  },
  "packed sequences that see each other": {
    trainer: { weights: ({ row, token }) => (row % 2 && token < 6 ? 0.5 : 0) },
    rollout: ENGINE,
    record: (_, { row }) => ({ pack: Math.floor(row / 2) }),
  },
  "positions that restart": {
    rollout: ENGINE,
    trainer: weights(({ token }) => (token >= 20 ? 0.3 : 0)),
    record: ({ length }) => ({
      positionIds: Int32Array.from({ length }, (_, t) => (t < 20 ? 8 + t : t - 20)),
    }),
  },
  "a window of context in the engine": {
    rollout: {
      ...ENGINE,
      context: ({ context, token }) => (token < 24 ? context : [0, 0, ...context.slice(-1)]),
    },
  },
  "a trainer column one token late": {
    rollout: ENGINE,
    record: alter("trainer", (column) => Float32Array.from(column, (_, t) => column[Math.max(0, t - 1)]!)),
  },
  "rollout log-probs of the row before": (() => {
    let before: Float32Array | undefined;
    return {
      rollout: ENGINE,
      record: alter("rollout", (column, row) => {
        const held = row % 4 === 0 ? undefined : before;
        before = column.slice();
        return held ?? column;
      }),
    };
  })(),
  "rollout log-probs in base 2": { record: alter("rollout", (column) => column.map((l) => l / Math.LN2)) },
  "trainer probabilities in place of log-probs": {
    record: alter("trainer", (column) => column.map(Math.exp)),
  },
  "placeholders of -1": {
    rollout: ENGINE,
    record: alter("rollout", (column, row) => column.map((l, t) => ((7 * t + 5 * row) % 17 === 5 ? -1 : l))),
  },
  "zeros where a tool was called": {
    rollout: ENGINE,
    isTool: (token) => token % 16 > 11,
    record: (draft) => ({
      responseMask: new Uint8Array(draft.length).fill(1),
      rolloutLogprobs: draft.rollout.map((l, t) => (t % 16 > 11 ? 0 : l)),
    }),
  },
  "a mask that is one token late": {
    rollout: ENGINE,
    isTool: (token) => token % 16 > 11,
    record: ({ mask, length, rollout }) => ({
      responseMask: Uint8Array.from({ length }, (_, t) => mask[t - 1] ?? 1),
      rolloutLogprobs: rollout.map((l, t) => (t % 16 > 11 ? -9 : l)),
    }),
  },
  "a last token that is wrong": {
    rollout: ENGINE,
    record: alter("trainer", (column) => column.map((l, t) => (t === column.length - 1 ? -12 - (t % 3) : l))),
  },
  "log-probs cut off at -3": {
    rollout: ENGINE,
    record: alter("trainer", (column) => column.map((l) => Math.max(l, -3))),
  },
  "a rollout stored as bfloat16": {
    rollout: ENGINE,
    record: alter("rollout", (column) => {
      const bits = new Uint32Array(column.slice().buffer).map((word) => (word + 0x8000) & 0xffff0000);
      return new Float32Array(bits.buffer);
    }),
  },
  "trainer log-probs two decimals long": {
    rollout: ENGINE,
    record: alter("trainer", (column) => column.map((l) => Math.round(100 * l) / 100)),
  },
  "equal columns": {},
  "a trainer that has already learned from the batch": {
    rollout: ENGINE,
    record: (draft, { row }) => ({
      trainerLogprobs: draft.trainer.map((l) => l * (row % 2 ? 0.9 : 1.1)),
    }),
  },
  "missing rollout log-probs": {
    rollout: ENGINE,
    record: alter("rollout", (column) => column.map((l, t) => (t % 7 === 3 ? Number.NaN : l))),
  },
};
