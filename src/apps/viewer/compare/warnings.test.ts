import { expect, it } from "vitest";
import type { RunInfo, SamplingInfo } from "../../../results/view.ts";
import type { SequenceTable } from "../../../results/wire/table.ts";
import type { RunFacts } from "./run-facts.ts";
import { judge } from "./warnings.ts";

/** Nothing here looks at figures. */
const NO_TABLE = { length: 0, columns: {}, texts: {} } as unknown as SequenceTable;

const SILENT: SamplingInfo = { temperature: null, top_p: null, top_k: null, logprobs_mode: null };

function run(
  name: string,
  {
    sampling = [SILENT],
    texts = true,
    ...more
  }: Partial<RunFacts> & { sampling?: SamplingInfo[]; texts?: boolean },
): RunFacts {
  return {
    name,
    info: { sampling, steps: [1], has: { texts } } as unknown as RunInfo,
    table: NO_TABLE,
    sequences: [{ step: 1, response: "r", prompt: "p", group: undefined }],
    vocabulary: new Map([[1, "one"]]),
    unknown: 0,
    tokens: 10,
    ...more,
  };
}

const NO_MASKS = { differ: 0, of: 0 };

it("tells tokenizers apart by what shared ids stand for", () => {
  const a = run("a", {
    vocabulary: new Map([
      [1, "one"],
      [2, "two"],
      [3, "three"],
    ]),
  });
  const b = run("b", {
    vocabulary: new Map([
      [2, "deux"],
      [3, "three"],
      [4, "four"],
    ]),
  });
  const { warnings } = judge(a, b, [], NO_MASKS);
  expect(warnings).toMatchObject([{ code: "tokenizer", severity: "meaningless", count: 1, of: 2 }]);
  expect(warnings[0]!.what).toContain('2 for "two" and "deux"');
  const strange = judge(a, run("b", { unknown: 4 }), [], NO_MASKS).warnings;
  expect(strange).toMatchObject([{ code: "tokenizer", count: 4, of: 10 }]);
  expect(strange[0]!.what).toContain("of b have ids");
});

it("holds temperatures and log-prob modes against each other where both runs say them", () => {
  const said = (temperature: number | null, mode: string | null): SamplingInfo => {
    return { ...SILENT, temperature, logprobs_mode: mode };
  };
  const between = (one: SamplingInfo, other: SamplingInfo) =>
    judge(run("a", { sampling: [one] }), run("b", { sampling: [other] }), [], NO_MASKS);
  const apart = between(said(1, "raw_logprobs"), said(0.6, "processed_logprobs"));
  expect(apart.warnings).toMatchObject([
    { code: "temperature", severity: "meaningless", count: 2, of: 2 },
    { code: "logprob-mode", severity: "meaningless" },
  ]);
  expect(apart.warnings[0]!.what).toBe("The temperatures differ: 1 in a, 0.6 in b.");
  const half = between(said(1, "raw_logprobs"), said(null, "raw_logprobs"));
  expect([half.warnings, half.unchecked]).toEqual([[], ["b does not say its temperatures."]]);
});
