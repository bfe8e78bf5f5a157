import { expect, it } from "vitest";
import { createRecordBuilder } from "../core/schema/builder.ts";
import { FindingLog } from "../core/schema/findings.ts";
import { createDecimalsCheck } from "./check-decimals.ts";

const ORIGIN = {
  provenance: { file: "a", format: "jsonl", trainer: "t", alignment: "token" },
  sampling: {},
} as const;

function check(
  pairs: readonly (readonly [rollout: number, trainer: number])[],
  round: (value: number) => number,
) {
  const builder = createRecordBuilder({ ...ORIGIN, batchTokens: 1 << 20 });
  builder.push({
    length: pairs.length,
    responseMask: new Uint8Array(pairs.length).fill(1),
    rolloutLogprobs: Float64Array.from(pairs, ([a]) => round(a)),
    trainerLogprobs: Float64Array.from(pairs, ([, b]) => round(b)),
  });
  const findings = new FindingLog();
  const decimals = createDecimalsCheck(findings);
  decimals.see(builder.flush());
  decimals.finish();
  return findings.list().map(({ message, severity }) => [severity, message]);
}

const toFour = (value: number): number => Number(value.toFixed(4));
const apart = (by: number, count = 200): [number, number][] =>
  Array.from({ length: count }, (_, i) => [-i * 0.0173, -i * 0.0173 - by * Math.sin(i)]);

it("says where four decimals make the figures", () => {
  expect(check(apart(1e-4), toFour)).toEqual([
    ["warning", "log-probs of 200 tokens are on a lattice of 1e-4: figures below 5e-5 are rounding"],
  ]);
});

it.each([
  ["all digits", apart(1e-4), (value: number) => value],
  ["policies that are further apart than that", apart(0.01), toFour],
  ["equal columns", apart(0), toFour],
  ["a few tokens", apart(1e-4, 50), toFour],
])("says nothing of %s", (_, pairs, round) => {
  expect(check(pairs, round)).toEqual([]);
});
