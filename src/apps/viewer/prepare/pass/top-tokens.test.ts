import fc from "fast-check";
import { expect, it } from "vitest";
import { RunSummary } from "../../../../analyses/report/run-summary.ts";
import { PROBABILITY_EDGES } from "../../../../analyses/report/token-groups.ts";
import { createRecordBuilder } from "../../../../core/schema/builder.ts";
import { TokenTexts } from "../../../../input/tokens/token-texts.ts";
import { findBucket, TopTokensBuilder, tokenSums } from "./top-tokens.ts";

const edges = PROBABILITY_EDGES.slice(1, -1).map(Math.log);
const near = fc
  .tuple(fc.constantFrom(...edges), fc.integer({ min: -40, max: 40 }), fc.constantFrom(2 ** -52, 2 ** -25))
  .map(([edge, steps, width]) => edge * (1 + steps * width));
const logprob = fc.oneof(
  near,
  near.map(Math.fround),
  fc.double({ min: -30, max: 0, noNaN: true }),
  fc.constantFrom(0, -0, 1, -1e-300, Number.MAX_VALUE, -Number.MAX_VALUE),
);

it("finds the bucket that a log-prob is in, of single and of double precision", () => {
  fc.assert(
    fc.property(logprob, (value) => {
      expect(findBucket(value)).toBe(edges.filter((edge) => value >= edge).length);
    }),
    { numRuns: 2000 },
  );
});

it("finds the worst token of ids far beyond the others", () => {
  const builder = createRecordBuilder({
    provenance: { file: "a", format: "npz", trainer: "verl", alignment: "token" },
  });
  const ids = [7, 2 ** 19 - 1, 2 ** 19, 2 ** 24];
  const rows = [
    [-1, -2, -1.5, -1.25],
    [-1.5, -1.125, -1.25, -3],
  ];
  for (const trainer of rows)
    builder.push({
      length: 4,
      responseMask: Uint8Array.of(1, 1, 1, 1),
      responseTokenIds: Int32Array.from(ids),
      rolloutLogprobs: new Float32Array(4).fill(-1),
      trainerLogprobs: Float32Array.from(trainer),
    });
  const batch = builder.flush();
  const [tokens, summary] = [new TopTokensBuilder(), new RunSummary()];
  tokens.offerIds(batch, 0);
  summary.add(batch);
  const { by_token } = tokens.finish(tokenSums(summary), new TokenTexts(undefined), false);
  const found = by_token.map(({ label, worst, delta_abs_max }) => [label, worst, delta_abs_max]);
  expect(found.sort()).toEqual([
    ["#16777216", { sequence: 1, token: 3 }, 2],
    ["#524287", { sequence: 0, token: 1 }, 1],
    ["#524288", { sequence: 0, token: 2 }, 0.5],
    ["#7", { sequence: 1, token: 0 }, 0.5],
  ]);
});
