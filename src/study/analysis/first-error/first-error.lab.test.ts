import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasSharedData, LAB, REAL, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { firstWrongEquation } from "./equations.ts";

interface Response {
  readonly response: string;
  readonly correct: boolean;
}

warnIfAbsent("first errors in the lab's and the original study's responses");

/** Counts texts in which an error is found, among wrong and among right ones. */
function found(file: string): Record<"wrong" | "right", { readonly found: number; readonly of: number }> {
  const responses = Object.values(JSON.parse(readFileSync(file, "utf8")) as Record<string, Response>);
  const among = (correct: boolean) => {
    const some = responses.filter((one) => one.correct === correct);
    const errors = some.filter(({ response }) => firstWrongEquation(response, () => true) !== undefined);
    return { found: errors.length, of: some.length };
  };
  return { wrong: among(false), right: among(true) };
}

describe.skipIf(!hasSharedData)("in real responses", () => {
  test("of the lab's wrong ones all that calculate wrongly; of the right ones those that slip and recover", () => {
    // The other 7 add where they should multiply. Each of the 12 states a product or a sum that does not hold.
    expect(found(`${LAB}probe/dpo_responses.json`)).toEqual({
      wrong: { found: 253, of: 260 },
      right: { found: 12, of: 540 },
    });
  });

  test("none in 800 right ones with calculator calls", () => {
    expect(found(`${LAB}probe/rlvr_responses.json`).right).toEqual({ found: 0, of: 800 });
  });

  test("few in competition mathematics, where most errors are of another kind", () => {
    const filtered = `${REAL}Tingting-Olivia-Du__RL-Probe/data/filtered/`;
    for (const file of ["dpo_responses.json", "rlvr_responses.json"]) {
      const { wrong, right } = found(filtered + file);
      expect(wrong.found).toBeGreaterThanOrEqual(10);
      // Read by hand: these state 1·2 + 1·1 + 1·0 = 2, 0/… = 14 − 3, and 2·2 + … (five times) = 10.
      expect(right.found).toBeLessThanOrEqual(2);
    }
  });
});
