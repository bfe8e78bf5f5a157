import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { LogitBlock } from "../logit-block.ts";
import { compareRows } from "./index.ts";

type Numbers = readonly (number | string)[];
/** One row of each policy, and its figures in 400 digits. */
interface ExactCase {
  readonly name: string;
  readonly p: Numbers;
  readonly q: Numbers;
  readonly logprobsP: Numbers;
  readonly entropyP: number;
  readonly entropyQ: number;
  readonly forwardKl: number | string;
  readonly reverseKl: number | string;
  readonly jsDivergence: number;
  readonly totalVariation: number;
  readonly excludedP: number;
  readonly excludedQ: number;
}

const cases = JSON.parse(
  readFileSync(new URL("../../../../test/fixtures/distribution/exact.json", import.meta.url), "utf8"),
) as ExactCase[];
const DIVERGENCES = [
  "forwardKl",
  "reverseKl",
  "jsDivergence",
  "totalVariation",
  "excludedP",
  "excludedQ",
] as const;

function oneRow(logits: Numbers): LogitBlock {
  return {
    format: "float32",
    values: Float32Array.from(logits, Number),
    rows: 1,
    vocabulary: logits.length,
  };
}

describe.each([
  ["wasm", 1e-5],
  ["scalar", 1e-9],
] as const)("against 400 digits (%s)", (engine, tolerance) => {
  it.each(cases.map((exact) => [exact.name, exact] as const))("%s", (_, exact) => {
    const expectClose = (name: string, actual: number, wanted: number | string): void => {
      const close =
        actual === Number(wanted) ||
        Math.abs(actual - Number(wanted)) <= tolerance * Math.abs(Number(wanted));
      expect(close, `${name}: ${actual} instead of ${wanted}`).toBe(true);
    };
    const [p, q] = [oneRow(exact.p), oneRow(exact.q)];
    exact.logprobsP.forEach((wanted, token) => {
      const { p: ofP, q: ofQ, divergences } = compareRows(p, q, [token], 1, { engine });
      expectClose(`log-prob of ${token}`, ofP.logprobs[0]!, wanted);
      if (token > 0) return;
      expectClose("entropy of P", ofP.entropies[0]!, exact.entropyP);
      expectClose("entropy of Q", ofQ.entropies[0]!, exact.entropyQ);
      for (const name of DIVERGENCES) expectClose(name, divergences[name][0]!, exact[name]);
    });
  });
});
