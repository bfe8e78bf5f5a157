import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScenarioStatus } from "../protocol/analyze.ts";
import { analyzeLog } from "./analyze-log.ts";
import { wilson } from "./scenarios.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-scenarios-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Kind {
  readonly count: number;
  readonly correct: boolean;
  readonly text: string;
  readonly divergence: number;
}

/** Statuses for a log in which each record is a response of its own, divergences spread a little around their centre. */
async function statuses(kinds: readonly Kind[], responses = true): Promise<Record<string, ScenarioStatus>> {
  const lines = kinds.flatMap(({ count, correct, text, divergence }, kind) =>
    Array.from({ length: count }, (_, i) =>
      JSON.stringify({
        ...(responses ? { iteration: i, batch_idx: kind } : {}),
        is_correct: correct,
        token_text: `'${text}'`,
        prob_divergence: divergence + 0.01 * Math.sin(i),
      }),
    ),
  );
  const file = join(directory, "log.jsonl");
  writeFileSync(file, lines.join("\n"));
  const { scenarios } = await analyzeLog([file]);
  expect(scenarios.every(({ measured, next_step }) => measured !== "" && next_step !== "")).toBe(true);
  return Object.fromEntries(scenarios.map(({ id, status }) => [id, status]));
}

const digit = (count: number, correct: boolean, divergence = 0.9): Kind => ({
  count,
  correct,
  text: "7",
  divergence,
});
const word = (count: number, correct: boolean, divergence = 0.9): Kind => ({
  count,
  correct,
  text: " the",
  divergence,
});

describe("the guide's scenarios", () => {
  it("mostly correct answers, digits only", async () => {
    const read = await statuses([digit(90, true), word(10, true), digit(10, false)]);
    expect(read).toMatchObject({ mostly_correct: "yes", mostly_incorrect: "no", digits_only: "yes" });
  });

  it("mostly incorrect answers", async () => {
    const read = await statuses([digit(20, true), word(90, false)]);
    expect(read).toMatchObject({ mostly_correct: "no", mostly_incorrect: "yes" });
  });

  it("equal on both only where that is certain", async () => {
    expect(await statuses([word(1500, true), word(1500, false)])).toMatchObject({ equal: "yes" });
    expect(await statuses([word(40, true), word(40, false)])).toMatchObject({ equal: "not enough data" });
    expect(await statuses([word(100, true, 0.95), word(100, false)])).toMatchObject({ equal: "no" });
  });

  it("other tokens more than digits", async () => {
    expect(await statuses([digit(50, true), word(50, true, 0.95)])).toMatchObject({
      not_digits_more: "yes",
      digits_only: "no",
    });
    expect(await statuses([digit(50, true, 0.95), word(50, true)])).toMatchObject({ not_digits_more: "no" });
  });

  it("says where there is not enough to say", async () => {
    const few = await statuses([digit(9, true), word(1, false)]);
    expect(new Set(Object.values(few))).toEqual(new Set(["not enough data"]));
    const unnamed = await statuses([digit(25, true), word(3, false)], false);
    expect(unnamed).toMatchObject({ mostly_correct: "not enough data" });
    expect(await statuses([digit(28, true), word(4, false)], false)).toMatchObject({ mostly_correct: "yes" });
  });

  it("counts responses, not tokens: many tokens of few responses prove nothing", async () => {
    const file = join(directory, "few.jsonl");
    const record = (i: number) => ({
      iteration: 1,
      batch_idx: i % 4,
      is_correct: true,
      token_text: "'1'",
      prob_divergence: 0.9,
    });
    writeFileSync(file, Array.from({ length: 400 }, (_, i) => JSON.stringify(record(i))).join("\n"));
    const { scenarios } = await analyzeLog([file]);
    expect(scenarios[0]).toMatchObject({ id: "mostly_correct", status: "not enough data" });
    expect(scenarios[0]!.measured).toContain("in 4 responses");
  });
});

it("wilson is Wilson's interval", () => {
  // statsmodels.stats.proportion.proportion_confint(8, 10, method="wilson")
  const [low, high] = wilson(0.8, 10);
  expect([low, high]).toEqual([
    expect.closeTo(0.49016247153664183, 12),
    expect.closeTo(0.9433178485456247, 12),
  ]);
  expect(wilson(1, 4)[1]).toBe(1);
});
