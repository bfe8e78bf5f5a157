import { describe, expect, test } from "vitest";
import type { KlAnswer } from "../../results/report.ts";
import type { ContinuationFigures, GradientFigures, PairedDifference } from "../../results/wrong-texts.ts";
import type { CheckpointSummary, TextContinuation } from "../summary.ts";
import { answers } from "./answers.ts";
import { buildKlReport } from "./build-kl-report.ts";
import { lookedAt, makeCheckpoint, makeStudy, studyText } from "./report.test-data.ts";

const SIZE = 8;
const texts = Array.from({ length: SIZE }, (_, i) =>
  studyText(`q${i}`, ["1", "=", "3", "4", "5"], { correct: false, errorToken: 2 }),
);
const named = { name: "c10", step: 10, kl: texts.map((_, i) => [0.1, 0.2, 0.3, 0.4, 2 + i]) };
const plain = makeCheckpoint(texts, named);
const report = (change: (text: CheckpointSummary["texts"][number], i: number) => object) =>
  buildKlReport({
    ...makeStudy(texts, [named]),
    checkpoints: [{ ...plain, texts: plain.texts.map((text, i) => ({ ...text, ...change(text, i) })) }],
    cases: [],
  });

describe("gradients", () => {
  const gradients = (i: number) => ({
    spikes: 2,
    toError: 0.5 + i / 100,
    toControl: 0.1,
    even: 0.2,
    atError: 0.05,
  });

  test("are means over problems, the error against as many tokens before it", () => {
    const [row, ...more] = report((_, i) => ({ gradients: gradients(i) })).gradients;
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      checkpoint: "c10",
      texts: 8,
      problems: 8,
      spikes: 16,
    });
    expect(row?.to_control).toBeCloseTo(0.1, 12);
    expect(row?.even).toBeCloseTo(0.2, 12);
    expect(row?.to_error).toBeCloseTo(0.535, 12);
    // All eight differ in the same direction: two-sided 2 / 2⁸.
    expect(row?.against_control).toMatchObject({ problems: 8, p_value: 2 / 256, significant: true });
    expect(row?.against_control?.mean).toBeCloseTo(0.435, 12);
  });

  test("are not there where nobody asked, and without a control are not tested", () => {
    expect(report(() => ({})).gradients).toEqual([]);
    const [row] = report((_, i) => ({ gradients: { ...gradients(i), toControl: Number.NaN } })).gradients;
    expect(row).toMatchObject({ to_control: null, against_control: null });
  });
});

describe("continuations", () => {
  const continuation = (more: Partial<TextContinuation> = {}): TextContinuation => ({
    place: "after_error",
    share: 0.6,
    samples: 4,
    right: 3,
    unanswered: 1,
    reference: { samples: 4, right: 1 },
    ...more,
  });

  test("are shares of right answers beside the reference's, by place in the order of the text", () => {
    const found = report((_, i) => ({
      continuations: [
        continuation({ right: i % 2 === 0 ? 4 : 2 }),
        continuation({ place: "before_error", share: 0.2, reference: undefined }),
      ],
    })).continuations;
    expect(found.map(({ place }) => place)).toEqual(["before_error", "after_error"]);
    expect(found[0]).toMatchObject({ right: 0.75, reference_right: null, difference: null, with_kl: null });
    expect(found[1]).toMatchObject({
      checkpoint: "c10",
      texts: 8,
      problems: 8,
      samples: 32,
      forced_share: 0.6,
      right: 0.75,
      reference_right: 0.25,
      unanswered: 0.25,
      difference: { mean: 0.5, p_value: 2 / 256, significant: true },
    });
    expect(found[1]?.with_kl?.problems).toBe(8);
  });

  test("of a case are told with it", () => {
    const told = {
      policy: "c10",
      place: "0.5",
      position: 2,
      samples: 1,
      right: 1,
      unanswered: 0,
      response: "r",
    };
    const study = makeStudy(texts, [named]);
    const all = [...texts.keys()];
    const looked = lookedAt(texts, [named], all).map((one) => ({ ...one, continuations: [told] }));
    const { cases } = buildKlReport({ ...study, cases: looked });
    expect(cases.map(({ continuations }) => continuations)).toEqual(cases.map(() => [told]));
    expect(cases.length).toBeGreaterThan(0);
  });
});

describe("in words", () => {
  const REPORT = report(() => ({}));
  const difference = (mean: number, more: Partial<PairedDifference> = {}): PairedDifference => ({
    problems: 8,
    mean,
    interval: null,
    p_value: 0.01,
    adjusted_p_value: 0.02,
    rank_biserial: null,
    significant: true,
    ...more,
  });
  const gradient: GradientFigures = {
    checkpoint: "c10",
    texts: 8,
    problems: 8,
    spikes: 16,
    to_error: 0.5,
    to_control: 0.1,
    even: 0.2,
    at_error: 0.05,
    against_control: difference(0.4),
  };
  const onGradients = (more: Partial<GradientFigures>): KlAnswer | undefined =>
    answers({ ...REPORT, gradients: [{ ...gradient, ...more }] }).find(({ question }) =>
      question.startsWith("Does the KL after"),
    );

  test("the KL depends on the error where it has more than the tokens before it, and than its share", () => {
    const found = onGradients({});
    expect(found?.support).toBe("yes");
    expect(found?.answer).toBe(
      "Of gradient × input at 16 spikes after the error (8 problems), 50.0 % is on the error, 10.0 % on as many tokens right before it: +40.0 points (p = 0.0200). An even spread would put 20.0 % there. Its sum at the error is +0.0500 nats: the KL would fall if the error had less weight.",
    );
    expect(onGradients({ even: 0.6 })?.support).toBe("no");
    expect(onGradients({ against_control: difference(-0.4) })?.support).toBe("no");
    expect(onGradients({ against_control: difference(0.4, { significant: false }) })?.support).toBe("no");
    expect(onGradients({ against_control: null })?.support).toBe("not enough data");
    expect(onGradients({ at_error: -1 })?.answer).toContain("the KL would not fall");
    expect(answers(REPORT).some(({ question }) => question.startsWith("Does the KL after"))).toBe(false);
  });

  const row: ContinuationFigures = {
    checkpoint: "c10",
    place: "after_error",
    texts: 8,
    problems: 8,
    samples: 32,
    forced_share: 0.6,
    right: 0.75,
    reference_right: 0.25,
    unanswered: 0.125,
    difference: difference(0.5),
    with_kl: null,
  };
  const onContinuations = (rows: readonly Partial<ContinuationFigures>[]): KlAnswer | undefined =>
    answers({ ...REPORT, continuations: rows.map((one) => ({ ...row, ...one })) }).find(({ question }) =>
      question.startsWith("Does the last checkpoint find"),
    );

  test("the last place decides whether the checkpoint finds the answer more often than the reference", () => {
    const found = onContinuations([{ place: "start", difference: difference(-0.1), unanswered: 0 }, {}]);
    expect(found?.support).toBe("yes");
    expect(found?.answer).toBe(
      "From the prompt, 75.0 % of c10's continuations are right, 25.0 % of ref's: -10.0 points (p = 0.0200) (8 problems). From after the first error, 75.0 % of c10's continuations are right, 25.0 % of ref's: +50.0 points (p = 0.0200) (8 problems; 12.5 % state no answer).",
    );
    expect(onContinuations([{}, { difference: difference(-0.5) }])?.support).toBe("no");
    expect(onContinuations([{ difference: null, reference_right: null }])?.support).toBe("not enough data");
    expect(onContinuations([{ place: "0.5" }])?.answer).toMatch(/^From 50 % of the text, /);
    expect(onContinuations([])).toBeUndefined();
  });

  test("what they do not say is among the caveats", () => {
    const { caveats } = report((_, i) => ({
      gradients: { spikes: 1, toError: i, toControl: 0, even: 0, atError: 0 },
      continuations: [continuationWithReference()],
    }));
    expect(caveats.some((line) => line.startsWith("Gradients are slopes"))).toBe(true);
    expect(caveats.some((line) => line.startsWith("Continuations are graded"))).toBe(true);
    expect(REPORT.caveats.some((line) => /^(Gradients|Continuations)/.test(line))).toBe(false);
  });
});

function continuationWithReference(): TextContinuation {
  return {
    place: "start",
    share: 0,
    samples: 1,
    right: 1,
    unanswered: 0,
    reference: { samples: 1, right: 0 },
  };
}
