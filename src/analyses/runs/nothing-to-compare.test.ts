import { expect, it } from "vitest";
import type { Finding } from "../../core/schema/findings.ts";
import { nothingToCompare } from "./nothing-to-compare.ts";

interface Given {
  readonly missing?: number;
  readonly down?: number;
  readonly up?: number;
  readonly sequences?: number;
  readonly findings?: readonly object[];
}

function explain({ missing = 0, down = 0, up = 0, sequences = 4, findings = [] }: Given) {
  return nothingToCompare({
    excluded: { missing, delta_negative_infinite: down, delta_positive_infinite: up } as never,
    metrics: { sequences },
    findings: findings as readonly Finding[],
  });
}

const EXPLAIN = "run with --explain to see how each column was read";

it("no figure, for all log-probs are lost: how many, and what took them", () => {
  const findings = [
    { code: "sentinel", severity: "warning", message: "5 zeros stand for missing" },
    { code: "non-finite", severity: "info", message: "not this" },
    { code: "note", severity: "warning", message: "nor this" },
    { code: "non-finite", severity: "warning", message: "2 are NaN" },
    { code: "positive-logprob", severity: "warning", message: "1 is positive" },
    { code: "suspicious-zero", severity: "warning", message: "1 is zero" },
  ];
  const error = explain({ missing: 4, down: 2, up: 1, findings });
  expect(error._tag).toBe("EmptyInputError");
  expect(error.message).toMatch(/^nothing to compare: no token with mask 1 has a finite .*\(7 tokens\)$/);
  expect(error.likely).toBe("5 zeros stand for missing; 2 are NaN; 1 is positive; 1 is zero");
  expect(error.hint).toContain(EXPLAIN);
  expect(explain({ down: 1 }).message).toContain("(1 token)");
  expect(explain({ up: 1 }).likely).toBeUndefined();
});

it("no figure, for the filter matches no token; a filter of sequences is told elsewhere", () => {
  const left = (unit: string, message: string) =>
    explain({ findings: [{ code: "note", severity: "warning", message, omits: { unit } }] });
  expect(left("token", "--filter: none")).toMatchObject({
    message: "nothing to compare: --filter matches no token with mask 1",
    hint: "logratio view shows what a filter matches as you type",
  });
  expect(left("sequence", "--filter: 1 of 4").message).toContain("no token of 4 sequences has mask 1");
  expect(left("token", "steps were left out").message).toContain("no token of 4 sequences has mask 1");
});

it("no figure, for the mask is 0 throughout, or nothing was read", () => {
  const masked = explain({ sequences: 1 });
  expect(masked.message).toBe("nothing to compare: no token of 1 sequence has mask 1");
  expect(masked.likely).toBe("the mask is inverted, or belongs to other rows");
  expect(masked.hint).toContain("--mask COLUMN");
  const none = explain({ sequences: 0 });
  expect(none.message).toBe("nothing to compare: no sequence was read");
  expect([none.likely, none.hint]).toEqual([undefined, masked.hint]);
});
