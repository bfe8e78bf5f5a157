import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT } from "../sample/view.ts";
import { examineValues } from "./values.ts";

/** Values that differ from each other and from their neighbors by more than an engine's precision. */
const spread = (length: number, from = 0): number[] =>
  Array.from({ length }, (_, t) => -0.3 - ((from + t * 17) % 41) * 0.0731);
const examine = (...rows: GivenRow[]) => {
  const view = makeView(rows);
  const clues = examineValues(view);
  return { clues, claimed: view.left.filter((left) => left === LEFT_OUT.claimed).length };
};

describe("a placeholder", () => {
  const filled = (value: number, count: number, length = 40): GivenRow => {
    const trainer = spread(length).map((one) => one - 5);
    const rollout = trainer.map((one, t) => (t > 2 && t <= 2 + count ? value : one));
    return { rollout, trainer };
  };

  it("is a value that programs fill in, at four tokens far off the other side", () => {
    for (const value of [-1, 1, 0]) {
      expect(examine(filled(value, 3)).clues).toEqual([]);
      const { clues, claimed } = examine(filled(value, 4));
      expect(clues).toMatchObject([
        { cause: "sentinel_fill", figures: { side: "rollout", value, tokens: 4 } },
      ]);
      expect(clues[0]!.handles).toEqual(["s1.q0.t3", "s1.q0.t4", "s1.q0.t5", "s1.q0.t6"]);
      expect(claimed).toBe(4);
    }
    expect(examine(filled(-1, 4)).clues[0]!.sentence).toBe(
      "4 rollout log-probs are exactly −1 where the other side is far from that (10.0 % of such tokens): the value is a placeholder.".replace(
        "−",
        "-",
      ),
    );
  });

  it("may be another round number, at eight tokens that are nearly all it stands at", () => {
    const at = (count: number) => examine(filled(-2.25, count)).clues.map(({ cause }) => cause);
    expect([at(7), at(8)]).toEqual([[], ["sentinel_fill"]]);
    expect(examine(filled(-2.3, 12)).clues).toEqual([]);
    const right = Array.from({ length: 4 }, () => -2.25);
    expect(examine(filled(-2.25, 8), { rollout: right, trainer: right }).clues).toEqual([]);
  });

  it("is told where it fills whole sequences, or goes on to their end", () => {
    const trainer = spread(20).map((one) => one - 5);
    const whole = { rollout: trainer.map(() => -1), trainer };
    const sound = { rollout: trainer };
    expect(examine(whole, sound).clues[0]!.sentence).toContain(
      ", every token in 1 sequence: the value is a placeholder",
    );
    const toEnd = { rollout: trainer.map((one, t) => (t < 12 ? one : -1)), trainer };
    const { clues } = examine(toEnd, toEnd, toEnd, sound);
    expect(clues[0]!.sentence).toContain(
      ", from one token to the end in 3 sequences: the value is a placeholder",
    );
    expect(clues[0]!.figures).toMatchObject({ rows_whole: 0, rows_to_end: 3, tokens: 24 });
    expect(examine(toEnd, toEnd, sound).clues[0]!.sentence).toContain(
      "of such tokens): the value is a placeholder",
    );
  });

  it("is not 0 where it stands at the surer tokens, as truncation writes it", () => {
    const trainer = [...spread(40), ...Array.from({ length: 10 }, (_, t) => -0.01 - t / 1000)];
    const rollout = trainer.map((one, t) => (t >= 40 || (t > 2 && t < 7) ? 0 : one));
    expect(examine({ rollout, trainer }).clues).toEqual([]);
  });
});

describe("a clamp", () => {
  const clamp = (limit: number, side: "rollout" | "trainer" = "trainer"): GivenRow => {
    const values = spread(60);
    const held = values.map((one) => Math.max(one, limit));
    return side === "trainer" ? { rollout: values, trainer: held } : { rollout: held, trainer: values };
  };

  it.each(["rollout", "trainer"] as const)(
    "of the %s is its lowest value, below which the other goes",
    (side) => {
      const { clues, claimed } = examine(clamp(-2, side));
      const count = spread(60).filter((one) => one <= -2).length;
      expect(clues).toMatchObject([
        { cause: "clamped_logprobs", figures: { side, value: -2, tokens: count } },
      ]);
      expect(clues[0]!.sentence).toBe(
        `${count} ${side} log-probs are exactly -2 and none is lower, while the other side has lower values: the column is clamped there.`,
      );
      expect(claimed).toBeGreaterThan(0);
    },
  );

  it("may be of a number that is not round, where the other side has many below it", () => {
    expect(examine(clamp(-2.1)).clues.map(({ cause }) => cause)).toEqual(["clamped_logprobs"]);
    // One repeated context gives one number to each side.
    const same = Array.from({ length: 10 }, (_, t) => -1 - t / 7);
    const rollout = [...same, ...Array.from({ length: 6 }, () => -4)];
    const trainer = [...same, ...Array.from({ length: 6 }, () => -3.1)];
    expect(examine({ rollout, trainer }).clues).toEqual([]);
  });
});
