import { describe, expect, it } from "vitest";
import { examineView } from "../examine.ts";
import type { Figures } from "../features/shape.ts";
import { drawWords, noisy, scale, type Words } from "../features/words.test-data.ts";
import { modelRun } from "../modelled-run.test-data.ts";
import { rankCauses } from "../rank.ts";
import { takeRow } from "../sample/row.ts";
import { View } from "../sample/view.ts";
import { judgeSurplus } from "./meaning.ts";

const rank = (view: View) => rankCauses(examineView(view).odds);
const cap =
  (at: number) =>
  (logits: readonly number[]): readonly number[] =>
    logits.map((logit) => at * Math.tanh(logit / at));

describe("a temperature of one side", () => {
  const TRAINER = /so the trainer divides its logits by another temperature\.$/;
  const RAW = /so the rollout's is raw: it lacks the sampling temperature\.$/;

  it.each<[string, Words, RegExp]>([
    ["the trainer's, above 1", { trainer: scale(1 / 1.3) }, TRAINER],
    ["the trainer's, below 1", { trainer: scale(1 / 0.7) }, TRAINER],
    ["the trainer's, which samples at 1.3", { rollout: scale(1 / 1.3) }, TRAINER],
    ["the rollout's, which is raw", { trainer: scale(1.25), sampled: scale(1.25) }, RAW],
    ["beside an engine's noise", { trainer: (l, n) => noisy(0.03)(scale(1 / 1.3)(l, n), n) }, TRAINER],
  ])("%s, is named with and without entropies", (_, given, side) => {
    for (const hasEntropies of [true, false]) {
      const [first] = rank(drawWords({ ...given, hasEntropies }));
      expect(first!.id).toBe("temperature_mismatch");
      expect(first!.probability).toBeGreaterThan(0.9);
      expect(first!.clues[0]!.sentence).toMatch(side);
    }
  });

  it("is not taken for filtered samples where the rollout's entropy is raw, too", () => {
    const unsure = (factor: number) => (logits: readonly number[]) => logits.map((l) => (factor * l) / 3);
    const view = drawWords({
      ...{ rollout: unsure(1), trainer: unsure(1.1), sampled: unsure(1.1), hasEntropies: true },
    });
    expect(rank(view)[0]!.id).toBe("temperature_mismatch");
  });
});

it("a soft-cap is told from a temperature by its curve, and by what entropies do not explain", () => {
  expect(rank(drawWords({ trainer: cap(12), hasEntropies: true }))[0]!.id).toBe("softcap_mismatch");
  expect(rank(drawWords({ words: 400, trainer: cap(12) }))[0]!.id).toBe("softcap_mismatch");
});

describe("neither is", () => {
  const isScaled = (view: View): boolean => {
    const { odds } = examineView(view);
    return odds.has("temperature_mismatch") || odds.has("softcap_mismatch");
  };

  it.each([0.03, 0.3, 1])("noise alone, of %d", (size) => {
    for (const hasEntropies of [true, false])
      expect(isScaled(drawWords({ trainer: noisy(size), hasEntropies }))).toBe(false);
  });

  it.each([0.05, 0.3])("other weights, by %d", (by) => {
    const batch = modelRun({ trainer: { weights: () => by }, rows: 32 });
    const rows = Array.from({ length: batch.length }, (_, i) => takeRow(batch, i, Math.floor(i / 4), true));
    expect(isScaled(new View(rows))).toBe(false);
  });

  it("an update that raises what was sampled, in all sequences or in those of a good reward", () => {
    for (const sign of [() => 1, (r: number) => (r % 2 ? 1 : -1)]) {
      const view = drawWords({ trainer: noisy(0.01) });
      const step = view.d.map((delta, i) => {
        const unsure = -Math.expm1(view.a[i]!);
        return delta + 0.1 * sign(view.rows.indexOf(view.row(i))) * unsure;
      });
      expect(isScaled(view.withDelta(step))).toBe(false);
    }
  });
});

describe("a surplus of surprisal that neither column explains", () => {
  const surplus = (z: number, more: object = {}) =>
    judgeSurplus({
      confidence: {
        rolloutSurplus: { value: Math.sign(z) * 0.1, z, tokens: 500, entropy: 1, ...more },
        trainerSurplus: { value: Number.NaN, z: 0, tokens: 0, entropy: Number.NaN },
      },
      spread: { meanAbs: 0.01 },
    } as unknown as Figures).map(({ cause, weight }) => [cause, weight]);

  it("is of a filter where unlikely tokens are missing, else of a temperature below 1", () => {
    expect(surplus(-8)).toEqual([
      ["truncation_unlogged", 8],
      ["temperature_mismatch", 6],
    ]);
  });

  it("is of a temperature above 1 where there are too many, else of a penalty", () => {
    expect(surplus(8)).toEqual([
      ["temperature_mismatch", 8],
      ["penalty_mismatch", 7.5],
    ]);
  });

  it("is none by chance, of few tokens, or of little", () => {
    expect([surplus(-4), surplus(8, { tokens: 499 }), surplus(8, { value: 0.03 })]).toEqual([[], [], []]);
  });
});
