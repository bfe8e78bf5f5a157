import { describe, expect, it } from "vitest";
import type { DoctorCause } from "../../results/diagnosis.ts";
import { type Data, giveVerdict } from "./verdict.ts";

interface Given extends Partial<Omit<DoctorCause, "evidence">> {
  /** Of its only evidence. */
  readonly weight?: number;
}

const cause = ({ id = "token_shift", weight = 1, ...more }: Given): DoctorCause =>
  ({
    id,
    family: id === "healthy" ? "healthy" : "alignment",
    title: `Title of ${id}`,
    probability: 0.8,
    evidence: [{ weight }],
    ...more,
  }) as unknown as DoctorCause;
const LARGE: Data = {
  tokens: 5000,
  sequences: 100,
  meanAbs: 0.012,
  alike: null,
  beside: [],
  familyProbability: 0.8,
};
const judge = (causes: readonly Given[], data: Partial<Data> = {}) =>
  giveVerdict(causes.map(cause), { ...LARGE, ...data });

describe("too few", () => {
  it("are fewer than every verb needs, and it says how many there are and how many more it takes", () => {
    const verdict = (tokens: number, sequences: number) => judge([{}], { tokens, sequences }).verdict;
    expect([verdict(999, 8), verdict(1000, 7), verdict(1000, 8)]).toEqual(["too_few", "too_few", "fault"]);
    expect(judge([{}], { tokens: 40, sequences: 1 }).sentence).toBe(
      "Only 40 tokens of 1 sequence can be compared: too few to say whether anything is wrong. It takes 960 more tokens and 7 more sequences.",
    );
    expect(judge([{}], { tokens: 999, sequences: 8 }).sentence).toMatch(/ It takes 1 more token\.$/);
    expect(judge([{}], { tokens: 1000, sequences: 6 }).sentence).toMatch(/ It takes 2 more sequences\.$/);
  });

  it("are enough for a fault that is proven: likely by a mark, and a fault", () => {
    const few = (given: Given) => judge([given], { tokens: 10, sequences: 1 }).verdict;
    expect(few({ probability: 0.9, weight: 8.1 })).toBe("fault");
    expect(few({ probability: 0.9, weight: 8 })).toBe("too_few");
    expect(few({ probability: 0.89, weight: 12 })).toBe("too_few");
    expect(few({ id: "healthy", probability: 0.99, weight: 12 })).toBe("too_few");
    const evidence = [{ weight: 1 }, { weight: 9 }] as unknown as DoctorCause["evidence"];
    const proven = { ...cause({ probability: 0.95 }), evidence };
    expect(giveVerdict([proven], { ...LARGE, tokens: 10 }).verdict).toBe("fault");
  });
});

it("nothing is wrong where a sound run is likeliest, with its chance and level", () => {
  expect(judge([{ id: "healthy", probability: 0.97 }, {}])).toEqual({
    verdict: "healthy",
    sentence:
      "Nothing is wrong (97 %): mean |Δ| is 0.0120 nats, which the precision of an engine explains, and no test finds a fault.",
  });
});

describe("cannot tell", () => {
  const SENTENCE = "Something differs (mean |Δ| 0.0120 nats), but the data do not show what.";

  it("is the answer where none of the causes is likeliest", () => {
    expect(judge([{ id: "cannot_tell", probability: 0.9 }])).toEqual({
      verdict: "cannot_tell",
      sentence: SENTENCE,
    });
  });

  it("is the answer where the first is unlikely, and so are its group and its family", () => {
    const alike = (probability: number) => ({ title: "Alike", causes: ["token_shift", "b"], probability });
    const verdict = (probability: number, data: Partial<Data>) =>
      judge([{ probability }, { id: "b", probability: 0.1 }], data).verdict;
    expect(verdict(0.29, { familyProbability: 0.39 })).toBe("cannot_tell");
    expect(verdict(0.3, { familyProbability: 0.39 })).toBe("fault");
    expect(verdict(0.29, { familyProbability: 0.4 })).toBe("fault");
    expect(verdict(0.29, { familyProbability: 0.3, alike: alike(0.39) })).toBe("cannot_tell");
    expect(verdict(0.29, { familyProbability: 0.3, alike: alike(0.4) })).toBe("fault");
  });
});

describe("a fault", () => {
  it("is named with its chance, and with the next two that are worth it", () => {
    const sentence = (...more: Given[]) => judge([{ title: "Shifted", probability: 0.6 }, ...more]).sentence;
    expect(sentence()).toBe("Shifted (60 %).");
    expect(sentence({ id: "b", title: "Engine has b", probability: 0.05 })).toBe(
      "Shifted (60 %), else engine has b (5 %).",
    );
    expect(sentence({ id: "b", title: "B", probability: 0.049 })).toBe("Shifted (60 %).");
    const b = { id: "b", title: "LoRA weights", probability: 0.2 };
    const c = { id: "c", title: "bfloat16", probability: 0.1 };
    expect(sentence(b, c, { id: "d", title: "D", probability: 0.1 })).toBe(
      "Shifted (60 %), else LoRA weights (20 %) or bfloat16 (10 %).",
    );
    for (const id of ["cannot_tell", "healthy"])
      expect(sentence({ id, probability: 0.3 })).toBe("Shifted (60 %).");
  });

  it("is followed by what is true beside it, with what that explains", () => {
    const given = { id: "b", title: "Log-probs rounded", probability: 0.999 };
    const beside = [cause({ ...given, explains: 0.0006 }), cause({ ...given, explains: null })];
    expect(judge([{ title: "Shifted", probability: 0.6 }], { beside }).sentence).toBe(
      "Shifted (60 %). Also found, but not what makes most of the difference: log-probs rounded (over 99 %, 0.060 % of Σ|Δ|), log-probs rounded (over 99 %).",
    );
  });

  it("of several that look alike is named together, the likeliest first", () => {
    const causes = [
      { id: "a", title: "Old weights", probability: 0.5 },
      { id: "x", title: "Unlike", probability: 0.1 },
      { id: "b", title: "LoRA not merged", probability: 0.2 },
      { id: "c", title: "KV cache", probability: 0.1 },
      { id: "d", title: "More", probability: 0.05 },
    ];
    const alike = { title: "Other weights", causes: ["a", "b", "c", "d"], probability: 0.85 };
    expect(judge(causes, { alike }).sentence).toBe(
      "Other weights (85 %): old weights (50 %), else LoRA not merged (20 %) or KV cache (10 %).",
    );
  });
});
