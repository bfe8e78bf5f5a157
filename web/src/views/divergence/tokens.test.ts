import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TokenGroup, TokenOccurrence } from "../../../../src/results/view.ts";
import { GROUP_ORDERS, groupsWith, OCCURRENCE_ORDERS, occurrencesWith, ordered } from "./choose.ts";
import { quietText, visibleText } from "./visible-text.ts";

const occurrence = (delta: number, text: string | null, step: number | null): TokenOccurrence => ({
  sequence: 0,
  token: 1,
  handle: `s${step}.q0.t1`,
  token_id: 7,
  text,
  before: "the sum is",
  after: "\n",
  delta,
  rollout_logprob: -1,
  trainer_logprob: -1 + delta,
  turn: 1,
  step,
  correct: null,
});

describe("visible text", () => {
  it("shows blanks, and names characters without a shape", () => {
    expect(visibleText(" 7\n")).toBe("·7⏎");
    expect(visibleText("a\u202Eb\u200D")).toBe("a⟨U+202E⟩b⟨U+200D⟩");
    expect(visibleText("\uD800")).toBe("⟨U+D800⟩");
    expect(quietText("a b\n")).toBe("a b⏎");
  });

  it("leaves no character that changes direction or breaks a line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visibleText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]/u);
        expect(quietText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|[^\S ]/u);
      }),
    );
  });
});

describe("a list of tokens", () => {
  const items = [occurrence(-2, " 7", 3), occurrence(1, null, null), occurrence(3, "a10", 1)];

  it("is sorted by its columns, unknown values last", () => {
    const deltas = (sort: string | undefined): number[] =>
      ordered(items, OCCURRENCE_ORDERS, sort).map(({ delta }) => delta);
    expect(deltas(undefined)).toEqual([-2, 1, 3]);
    expect(deltas("-size")).toEqual([3, -2, 1]);
    expect(deltas("step")).toEqual([3, -2, 1]);
    expect(deltas("-step")).toEqual([-2, 3, 1]);
    expect(deltas("nothing")).toEqual([-2, 1, 3]);
  });

  it("is searched by token, context, handle and id", () => {
    expect(occurrencesWith(items, "A10")).toHaveLength(1);
    expect(occurrencesWith(items, "SUM")).toHaveLength(3);
    expect(occurrencesWith(items, "s3.")).toHaveLength(1);
    expect(occurrencesWith(items, "#7")).toHaveLength(3);
    expect(occurrencesWith(items, "<script>")).toHaveLength(0);
  });

  it("sorts numbers in labels as numbers", () => {
    const groups = ["turn 10", "turn 9"].map((label) => ({ label }) as TokenGroup);
    expect(ordered(groups, GROUP_ORDERS, "label").map(({ label }) => label)).toEqual(["turn 9", "turn 10"]);
    expect(groupsWith(groups, "10")).toHaveLength(1);
  });
});
