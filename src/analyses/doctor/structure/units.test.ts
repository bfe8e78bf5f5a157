import { describe, expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
import { examineUnits } from "./units.ts";

const NATS = Array.from({ length: 24 }, (_, t) => -0.1 - ((t * 7) % 24) / 8);
const examine = (rollout: readonly number[], trainer: readonly number[]) => {
  const view = makeView([{ rollout, trainer }]);
  return { view, clues: examineUnits(view) };
};

describe("another base of the logarithm", () => {
  it.each([
    ["2", Math.LN2],
    ["10", Math.LN10],
  ])("base %s of either side is told, and converted", (base, factor) => {
    const other = NATS.map((value) => value / factor);
    for (const side of ["rollout", "trainer"] as const) {
      const { view, clues } = side === "rollout" ? examine(other, NATS) : examine(NATS, other);
      expect(clues).toMatchObject([{ cause: "log_base", figures: { base, side, tokens: 24 } }]);
      expect(clues[0]!.sentence).toContain(`A ${side} column in base ${base} gives `);
      expect(clues[0]!.figures.ratio).toBeCloseTo(side === "rollout" ? factor : 1 / factor, 9);
      expect(Math.max(...view.d.map(Math.abs))).toBeLessThan(1e-9);
    }
  });

  it("needs twenty tokens that are not near 0, a ratio near the factor, and little spread", () => {
    const in2 = (value: number) => value / Math.LN2;
    const cut = (length: number) =>
      examine(NATS.slice(0, length).map(in2), NATS.slice(0, length)).clues.length;
    expect([cut(19), cut(20)]).toEqual([0, 1]);
    expect(
      examine(
        NATS.map((value) => in2(value) * 1.03),
        NATS,
      ).clues,
    ).toEqual([]);
    expect(
      examine(
        NATS.map((value) => in2(value) * 1.015),
        NATS,
      ).clues,
    ).toHaveLength(1);
    const spread = (by: number) => NATS.map((value, t) => in2(value) * (1 + (t % 3) * by - by));
    expect(examine(spread(0.2), NATS).clues).toEqual([]);
    expect(examine(spread(0.02), NATS).clues).toHaveLength(1);
    const near0 = NATS.map((value) => value / 1000);
    expect(examine(near0.map(in2), near0).clues).toEqual([]);
    expect(examine(NATS, NATS).clues).toEqual([]);
  });
});

describe("probabilities in place of their logarithms", () => {
  it("are told of either side, and converted; 0 and 1 are among them", () => {
    const probabilities = [...NATS.map(Math.exp), 0];
    const logs = [...NATS, -30];
    for (const side of ["rollout", "trainer"] as const) {
      const { view, clues } =
        side === "rollout" ? examine(probabilities, logs) : examine(logs, probabilities);
      expect(clues).toMatchObject([{ cause: "probabilities_not_logs", weight: 12, figures: { side } }]);
      expect(clues[0]!.sentence).toMatch(
        new RegExp(
          `^96\\.0 % of the ${side} values are above 0 and none is above 1\\. .* differ from the other side by 0 nats`,
        ),
      );
      expect([...view.d.slice(0, 24)].every((delta) => Math.abs(delta) < 1e-9)).toBe(true);
    }
  });

  it("are not told of a few positive values, nor where logarithms are elsewhere", () => {
    const some = NATS.map((value, t) => (t % 4 === 0 ? 0.5 : value));
    expect(examine(some, NATS).clues).toEqual([]);
    const elsewhere = NATS.map((value) => Math.exp(value - 0.6));
    expect(examine(elsewhere, NATS).clues).toEqual([]);
    expect(
      examine(
        NATS.map((value) => Math.exp(value - 0.4)),
        NATS,
      ).clues,
    ).toHaveLength(1);
    expect(
      examine(
        NATS.map(() => 1),
        NATS,
      ).clues,
    ).toEqual([]);
  });
});
