import { describe, expect, test } from "vitest";
import { buildKlReport } from "../report/build-kl-report.ts";
import { chooseCases } from "../report/cases.ts";
import { lookedAt, makeCheckpoint, makeStudy, type NamedKl, studyText } from "../report/report.test-data.ts";
import type { ScoredText } from "../study.ts";
import type { CheckpointSummary } from "../summary.ts";
import { addHeads, strongestHead } from "./head-sums.ts";
import { type TextAttention, textAttention } from "./text-attention.ts";

const NONE = Number.NaN;

/** Six tokens; the second is wrong, the fifth is a tool's. */
function scored(change: { p?: object; q?: object; pair?: object } = {}): ScoredText {
  const text = studyText("t", ["a", "b", "c", "d", "e", "f"], { mask: Uint8Array.of(1, 1, 1, 1, 0, 1) });
  const shares = (...values: number[]) => Float32Array.of(NONE, NONE, NONE, ...values);
  return {
    text,
    p: {
      logprobs: new Float32Array(6),
      attentionToError: shares(0.5, 0.9, 0.25),
      attentionToControl: shares(0.125, 0.9, 0.125),
      attentionHeads: { layers: 2, shares: Float32Array.of(0.1, 0.2, 0.7, 0.4) },
      ...change.p,
    },
    q: {
      logprobs: new Float32Array(6),
      attentionToError: shares(0.25, 0.9, 0.25),
      attentionToControl: shares(0.25, 0.9, 0),
      attentionHeads: { layers: 2, shares: Float32Array.of(0.3, 0.2, 0.5, 0.4) },
      ...change.q,
    },
    pair: {
      forwardKl: Float32Array.of(9, 9, 9, 2, 9, 1),
      forwardKlWithoutError: shares(1, 9, 0.5),
      forwardKlWithoutControl: shares(4, 9, 1),
      ...change.pair,
    },
  };
}

describe("textAttention", () => {
  test("is of the policy's own tokens after the error", () => {
    expect(textAttention(scored())).toEqual({
      tokens: 2,
      toError: 0.375,
      referenceToError: 0.25,
      toControl: 0.125,
      referenceToControl: 0.125,
      kl: 1.5,
      klWithoutError: 0.75,
      klWithoutControl: 2.5,
    });
  });

  test("leaves out a token that one of the series has no figure of, in all of them", () => {
    const forwardKlWithoutError = Float32Array.of(NONE, NONE, NONE, Number.POSITIVE_INFINITY, NONE, 0.5);
    expect(textAttention(scored({ pair: { forwardKlWithoutError } }))).toMatchObject({
      tokens: 1,
      toError: 0.25,
      kl: 1,
      klWithoutError: 0.5,
    });
  });

  test("a series that is not there at all is not known, and takes nothing from the others", () => {
    const nothing = new Float32Array(6).fill(NONE);
    const change = {
      p: { attentionToControl: nothing },
      pair: { forwardKlWithoutControl: nothing, forwardKlWithoutError: undefined },
    };
    expect(textAttention(scored(change))).toMatchObject({
      tokens: 2,
      toControl: NONE,
      referenceToControl: 0.125,
      kl: 1.5,
      klWithoutError: NONE,
      klWithoutControl: NONE,
    });
  });

  test("is not known without both policies' attention, or behind no error", () => {
    expect(textAttention(scored({ q: { attentionToError: undefined } }))).toBeUndefined();
    expect(
      textAttention(scored({ p: { attentionToError: new Float32Array(6).fill(NONE) } })),
    ).toBeUndefined();
  });
});

describe("heads", () => {
  test("add up over texts, and the strongest is told with the reference's share", () => {
    const second = scored({
      p: { attentionHeads: { layers: 2, shares: Float32Array.of(0.1, 0.8, 0.25, 0) } },
      q: { attentionHeads: { layers: 2, shares: Float32Array.of(0, 0.6, 0, 0) } },
    });
    const sums = addHeads(addHeads(undefined, scored()), second)!;
    const strongest = strongestHead(sums);
    expect(strongest).toMatchObject({ layer: 0, head: 1 });
    expect(strongest.share).toBeCloseTo(0.5, 6);
    expect(strongest.referenceShare).toBeCloseTo(0.4, 6);
    expect(strongestHead(addHeads(undefined, scored())!)).toMatchObject({ layer: 1, head: 0 });
  });

  test("texts without an error, and policies of another shape, add nothing", () => {
    const sums = addHeads(undefined, scored());
    const none = { layers: 0, shares: new Float32Array() };
    expect(addHeads(sums, scored({ p: { attentionHeads: none }, q: { attentionHeads: none } }))).toBe(sums);
    const other = { layers: 1, shares: new Float32Array(4) };
    expect(addHeads(sums, scored({ q: { attentionHeads: other } }))).toBe(sums);
    expect(addHeads(undefined, scored({ q: { attentionHeads: undefined } }))).toBeUndefined();
  });
});

describe("attention in the report", () => {
  const PROBLEMS = 12;
  const texts = Array.from({ length: PROBLEMS }, (_, i) =>
    studyText(`p${String(i).padStart(2, "0")}`, ["1", "=", "3", ".", "x", "y"], {
      correct: false,
      errorToken: 2,
    }),
  );
  const kl = texts.map((_, i) => [0.1, 0.1, 0.1, 0.1, 2, 0.1].map((value) => value * (1 + i / 10)));
  const named = (name: string, step: number): NamedKl => ({ name, step, kl });

  /** A checkpoint that attends to the error of text i as `of` says. */
  function looking(one: NamedKl, of: (i: number) => Partial<TextAttention> | undefined): CheckpointSummary {
    const plain = makeCheckpoint(texts, one);
    return {
      ...plain,
      heads: { texts: 2, layers: 1, own: Float64Array.of(0.2, 1), reference: Float64Array.of(0, 0.5) },
      texts: plain.texts.map((text, i) => {
        const given = of(i);
        if (given === undefined) return text;
        const attention: TextAttention = {
          tokens: 2,
          toError: 0.1,
          referenceToError: 0.1,
          toControl: 0.05,
          referenceToControl: 0.05,
          kl: 1 + i,
          klWithoutError: NONE,
          klWithoutControl: NONE,
          ...given,
        };
        return { ...text, attention };
      }),
    };
  }

  function makeReport(checkpoints: readonly CheckpointSummary[]) {
    const list = checkpoints.map(({ name, step }) => named(name, step!));
    const input = { ...makeStudy(texts, list), checkpoints };
    return buildKlReport({ ...input, cases: lookedAt(texts, list, chooseCases(input)) });
  }

  const growing = (i: number): Partial<TextAttention> => ({
    toError: 0.1 + 0.01 * (i + 1),
    klWithoutError: (1 + i) / 4,
    klWithoutControl: 1 + i - 0.01,
  });

  test("means, the paired difference, what goes with KL, the strongest head", () => {
    const { attention, answers, caveats } = makeReport([looking(named("c", 10), growing)]);
    const [figures] = attention;
    expect(figures).toMatchObject({
      checkpoint: "c",
      texts: PROBLEMS,
      problems: PROBLEMS,
      reference_to_error: expect.closeTo(0.1, 12),
      strongest_head: { layer: 0, head: 1, share: 0.5, reference_share: 0.25 },
      with_kl: { problems: PROBLEMS, coefficient: 1 },
    });
    expect(figures!.to_error).toBeCloseTo(0.165, 12);
    expect(figures!.difference).toMatchObject({
      mean: expect.closeTo(0.065, 12),
      rank_biserial: 1,
      significant: true,
    });
    expect(figures!.difference.interval!.low).toBeGreaterThan(0.01);
    expect(figures!.control_difference).toMatchObject({ mean: 0, p_value: null, significant: false });
    expect(figures!.hidden).toMatchObject({
      kl: 6.5,
      kl_without_error: 1.625,
      kl_without_control: expect.closeTo(6.49, 12),
      difference: { mean: -4.875, significant: true },
    });
    const answer = (start: string) => answers.find(({ question }) => question.includes(start));
    expect(answer("look at the error")).toMatchObject({
      support: "yes",
      answer: expect.stringMatching(/\+6\.50 points/),
    });
    expect(answer("caused by seeing the error")).toMatchObject({
      support: "yes",
      answer: expect.stringMatching(
        /6\.50 nats; .* 1\.63 .*75\.0 % of it disappears when the error is hidden/,
      ),
    });
    expect(caveats.join(" ")).toMatch(/Attention is not an explanation.*leave a gap/);
  });

  test("KL that hiding anything takes away is not a reaction to the error, and KL that grows none either", () => {
    const support = (change: (i: number) => Partial<TextAttention>) => {
      const { answers } = makeReport([looking(named("c", 10), change)]);
      return answers.find(({ question }) => question.includes("caused by seeing the error"))!;
    };
    const same = support((i) => ({ ...growing(i), klWithoutControl: (1 + i) / 4 }));
    expect(same).toMatchObject({
      support: "no",
      answer: expect.stringMatching(/Hiding the other tokens removes as much of it\.$/),
    });
    const more = support((i) => ({ ...growing(i), klWithoutError: 2 + i }));
    expect(more).toMatchObject({ support: "no", answer: expect.stringMatching(/It does not fall/) });
  });

  test("looking less is not looking more, however significant", () => {
    const { answers, attention } = makeReport([
      looking(named("c", 10), (i) => ({ toError: 0.09 - i / 1000 })),
    ]);
    expect(attention[0]!.difference.significant).toBe(true);
    expect(answers.find(({ question }) => question.includes("look at the error"))!.support).toBe("no");
    expect(attention[0]!.hidden).toBeNull();
  });

  test("corrects each question over the checkpoints", () => {
    const { attention } = makeReport([looking(named("a", 1), growing), looking(named("b", 2), growing)]);
    for (const { difference, hidden, with_kl } of attention) {
      expect(difference.adjusted_p_value).toBeCloseTo(2 * difference.p_value!, 12);
      expect(hidden!.difference.adjusted_p_value).toBeCloseTo(2 * hidden!.difference.p_value!, 12);
      expect(hidden!.against_control!.adjusted_p_value).toBeCloseTo(
        2 * hidden!.against_control!.p_value!,
        12,
      );
      expect(with_kl!.adjusted_p_value).toBe(2 * with_kl!.p_value);
    }
  });

  test("few problems have means and no test; none have nothing, and that is said", () => {
    const few = makeReport([looking(named("c", 10), (i) => (i < 3 ? growing(i) : undefined))]);
    expect(few.attention[0]).toMatchObject({
      problems: 3,
      with_kl: null,
      difference: { p_value: null, adjusted_p_value: null, significant: false },
    });
    expect(few.answers.find(({ question }) => question.includes("look at"))!.support).toBe("not enough data");
    const none = makeReport([looking(named("c", 10), () => undefined)]);
    expect(none.attention).toEqual([]);
    expect(none.absent.join("\n")).toMatch(/no attention to first errors/);
  });
});
