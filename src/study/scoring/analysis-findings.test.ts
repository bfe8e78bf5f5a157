import { expect, test } from "vitest";
import { FindingLog } from "../../core/schema/findings.ts";
import type { TextSummary } from "../analysis/summary.ts";
import { reportInfinite, reportNan } from "./analysis-findings.ts";

/** Summaries with only the fields that these findings read. */
const summaries = (...counts: readonly Partial<TextSummary>[]): TextSummary[] =>
  counts.map((one) => one as TextSummary);

test("tokens whose KL is NaN are counted, with what to try", () => {
  const findings = new FindingLog();
  reportNan(findings, "step_5", "dpo", summaries({ nanKl: 3 }, {}, { nanKl: 2 }));
  expect(findings.list()).toMatchObject([
    {
      code: "non-finite",
      severity: "warning",
      message: "the KL from step_5 to dpo is NaN at 5 tokens, which are in no figure",
      hint: "score both with --dtype float32; if it stays, the checkpoint is damaged",
    },
  ]);
});

test("one token is a token, and none is not a finding", () => {
  const findings = new FindingLog();
  reportNan(findings, "a", "b", summaries({}));
  reportInfinite(findings, "a", "b", summaries({ nanKl: 1 }));
  expect(findings.list()).toEqual([]);
  reportNan(findings, "a", "b", summaries({ nanKl: 1 }));
  expect(findings.list()[0]?.message).toBe("the KL from a to b is NaN at 1 token, which is in no figure");
});
