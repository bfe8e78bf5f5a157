import { describe, expect, it } from "vitest";
import type { Finite } from "../../results/finite.ts";
import { assessFinite, isBroken, type Values } from "./finite.ts";

/** Shares of NaN by step, from step 1 on: ten tokens each. */
function column(shares: readonly number[], more: Partial<Values> = {}): Values {
  const steps = shares.map((share, at) => ({ step: at + 1, nan: 10 * share, infinite: 0, all: 10 }));
  return { of: "trainer", name: null, mayBeNull: false, breaks: () => true, steps, ...more };
}

const say = (...values: Values[]): string | null => assessFinite(values).sentence;
const first = ({ found }: Finite) => found[0]!;

describe("when", () => {
  it.each([
    [[0, 0, 0.1, 1], "since step 3: NaN in the trainer log-probs (10.0 % of the tokens, then all)"],
    [[0, 0, 1, 1], "since step 3: NaN in all of the trainer log-probs"],
    [[0, 0.2, 0.4, 0], "in steps 2–3: NaN in the trainer log-probs (30.0 % of the tokens)"],
    [[0, 0.2, 0, 0], "at step 2: NaN in the trainer log-probs (20.0 % of the tokens)"],
    [[0, 0, 0, 0.2], "at the last step, 4: NaN in the trainer log-probs (20.0 % of the tokens)"],
    [[0.1, 0, 0.1, 0.1], "at step 1 and since step 3: NaN in the trainer log-probs (10.0 % of the tokens)"],
    [
      [0.1, 0, 0.1, 0, 0.1],
      "in 3 of 5 steps, first at step 1, last at step 5: NaN in the trainer log-probs (10.0 % of the tokens)",
    ],
    [[0.5, 0.5], "in every step: NaN in the trainer log-probs (50.0 % of the tokens)"],
    [[0.5], "at step 1: NaN in the trainer log-probs (50.0 % of the tokens)"],
  ])("%j", (shares, sentence) => expect(say(column(shares))).toBe(sentence));

  it("is not said where steps are not known", () => {
    const steps = [{ step: Number.NaN, nan: 5, infinite: 0, all: 10 }];
    expect(say(column([], { steps }))).toBe("NaN in the trainer log-probs (50.0 % of the tokens)");
    expect(first(assessFinite([column([], { steps })]))).toMatchObject({ first_step: null, when: null });
  });

  it("is data too: the first, the last, and since when it lasts", () => {
    expect(first(assessFinite([column([0, 0.1, 0, 0.3, 1])]))).toMatchObject({
      ...{ nan: 14, infinite: 0, first_step: 2, last_step: 5, since_step: 4, steps: 3, steps_all: 5 },
      ...{ share_first: 0.1, share_last: 1 },
    });
    expect(first(assessFinite([column([0, 0.1, 0])])).since_step).toBeNull();
  });

  it("passes over steps without a token", () => {
    const steps = [
      { step: 1, nan: 0, infinite: 0, all: 10 },
      { step: 2, nan: 4, infinite: 0, all: 10 },
      { step: 3, nan: 0, infinite: 0, all: 0 },
      { step: 4, nan: 4, infinite: 0, all: 10 },
    ];
    expect(first(assessFinite([column([], { steps })])).when).toBe("since step 2");
  });
});

describe("what", () => {
  it("is nothing where all is finite", () => {
    expect(assessFinite([column([0, 0])], 7)).toEqual({ found: [], sentence: null, read_as_missing: 7 });
  });

  it("is told by side, name and kind", () => {
    const infinite = [{ step: 1, nan: 0, infinite: 1, all: 10 }];
    const both = [{ step: 1, nan: 1, infinite: 1, all: 10 }];
    expect(say(column([0.1], { name: "old_log_probs" }), column([0.2], { of: "rollout" }))).toBe(
      "at step 1: NaN in the trainer log-probs old_log_probs (10.0 % of the tokens) and in the rollout log-probs (20.0 % of the tokens)",
    );
    expect(say(column([], { steps: infinite }))).toMatch(/^at step 1: infinite values in the trainer/);
    expect(say(column([], { steps: both, mayBeNull: true }))).toMatch(/NaN or null and infinite values in/);
  });

  it("names some metrics that share a time, and counts the others", () => {
    const metric = (name: string, shares: readonly number[], breaks = true): Values =>
      column(shares, { of: "logged", name, breaks: () => breaks });
    const late = ["a", "b", "c", "d", "e", "f"].map((name) => metric(name, [0, 1, 1]));
    expect(say(...late)).toBe("since step 2: NaN in a, b, c, d and 2 more metrics");
    const gone = metric("x", [1, 0, 0]);
    expect(say(gone, metric("a", [0, 1, 1]))).toBe("since step 2: NaN in a; at step 1: NaN in x");
    const finite = assessFinite([metric("reward", [0, 1, 1], false), gone]);
    expect(finite.found.map(({ name, breaks }) => [name, breaks])).toEqual([
      ["x", true],
      ["reward", false],
    ]);
    expect(isBroken(finite)).toBe(true);
    expect(isBroken(assessFinite([metric("reward", [0, 1, 1], false)]))).toBe(false);
  });
});
