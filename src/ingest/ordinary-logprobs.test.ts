import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sized } from "../../test/support/run-size.ts";
import { createRecordBuilder } from "../core/schema/builder.ts";
import { FindingLog } from "../core/schema/findings.ts";
import type { RecordBatch } from "../core/schema/record.ts";
import { createAlignmentCheck } from "./alignment/check-alignment.ts";
import { ShiftScanner } from "./alignment/scan-shifts.ts";
import { emptyChecks } from "./alignment/source-checks.ts";
import { createBatchChecker } from "./check.ts";

const LONG = 5000;

/** At mask 1, a 0 turns an ordinary log-prob into a placeholder only beside one below -1. */
const ordinary = fc.constantFrom(-0.5, -0.25, -1, 0, -0, -1e-30);
const certain = fc.oneof(ordinary, fc.constantFrom(-1.25, -30, -9998));
const odd = fc.constantFrom(NaN, 1, 1e-4, 5, -Infinity, Infinity, -9999, -1e5, 0);
interface Token {
  readonly rollout: number;
  readonly trainer: number;
  readonly mask: number;
}

const token = fc.oneof<fc.WeightedArbitrary<Token>[]>(
  { weight: 60, arbitrary: fc.record({ rollout: ordinary, trainer: ordinary, mask: fc.constantFrom(0, 1) }) },
  { weight: 5, arbitrary: fc.record({ rollout: certain, trainer: certain, mask: fc.constantFrom(0, 1) }) },
  { weight: 2, arbitrary: fc.constant({ rollout: NaN, trainer: NaN, mask: 0 }) },
);
const oddToken: fc.Arbitrary<Token> = fc.record({
  rollout: fc.oneof(certain, odd),
  trainer: odd,
  mask: fc.constantFrom(0, 1),
});
const sequence = fc.oneof(
  { weight: 12, arbitrary: fc.array(token, { maxLength: 12 }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(token, oddToken), { maxLength: 12 }) },
);
const batch = fc.record({
  sequences: fc.array(sequence, { minLength: 1, maxLength: 6 }),
  // Enough further tokens that the kernel takes several pieces.
  tail: fc.option(fc.record({ length: fc.integer({ min: 1, max: LONG }), end: token }), { freq: 4 }),
  isDouble: fc.nat(3).map((drawn) => drawn === 0),
});

type Drawn = typeof batch extends fc.Arbitrary<infer Value> ? Value : never;

const LAST: Token = { rollout: -0.125, trainer: -0.3, mask: 1 };

function build({ sequences, tail, isDouble }: Drawn): RecordBatch {
  const provenance = { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" } as const;
  const builder = createRecordBuilder({ provenance });
  const rows = [...sequences];
  if (tail !== null)
    rows.push(Array.from({ length: tail.length }, (_, t) => (t % 7 === 3 ? tail.end : LAST)));
  // Float32 cannot hold a third exactly, so the column stays in double precision.
  const column = (values: number[]) =>
    isDouble ? Float64Array.from(values, (value) => value / 3) : Float32Array.from(values);
  for (const [row, tokens] of rows.entries()) {
    builder.push({
      row,
      length: tokens.length,
      responseMask: Uint8Array.from(tokens, ({ mask }) => mask),
      rolloutLogprobs: column(tokens.map(({ rollout }) => rollout)),
      trainerLogprobs: column(tokens.map(({ trainer }) => trainer)),
    });
  }
  return builder.flush();
}

/** The full outcome of the checks of a source, including the error. */
function check(drawn: readonly Drawn[], scans: boolean, onScan: (isOrdinary: boolean) => void): unknown {
  const findings = new FindingLog();
  const checks = { ...emptyChecks(), masks: [] };
  const checker = createBatchChecker(findings);
  const scanner = new ShiftScanner();
  const alignment = createAlignmentCheck({ findings, file: "a.npz", checks, scanner, isOneSided: false });
  const batches = drawn.map(build);
  let failure: unknown;
  try {
    for (const batch of batches) {
      const ordinary = scans ? alignment.scan(batch) : undefined;
      if (scans) onScan(ordinary !== undefined);
      checker.check(batch, { ordinary });
      alignment.see(batch, ordinary);
    }
    checker.finish();
    alignment.finish();
  } catch (error) {
    failure = String(error);
  }
  const { maskedTokens, sentinels } = checker;
  return { findings: findings.list(), checks, maskedTokens, sentinels, failure, batches };
}

it("come to the findings, sums and counts of looking at each token", () => {
  const seen = { ordinary: 0, odd: 0 };
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 3 }), (drawn) => {
      const onScan = (isOrdinary: boolean): void => {
        seen[isOrdinary ? "ordinary" : "odd"]++;
      };
      const [fast, plain] = [check(drawn, true, onScan), check(drawn, false, onScan)];
      if (!isDeepStrictEqual(fast, plain)) expect(fast).toEqual(plain);
    }),
    { numRuns: sized(60, 200) },
  );
  expect(seen.ordinary).toBeGreaterThan(sized(15, 50));
  expect(seen.odd).toBeGreaterThan(sized(15, 50));
});
