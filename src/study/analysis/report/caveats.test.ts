import { describe, expect, test } from "vitest";
import type { KlReport } from "../../results/report.ts";
import type { StudyText } from "../study.ts";
import { buildKlReport } from "./build-kl-report.ts";
import { caveats } from "./caveats.ts";
import { growingStudy, makeStudy } from "./report.test-data.ts";
import type { KlStudyInput } from "./report-input.ts";

const { texts, checkpoints } = growingStudy();
const REPORT: KlReport = buildKlReport({ ...makeStudy(texts, checkpoints), cases: [] });

function lines(
  change: (text: StudyText, index: number) => Partial<StudyText> = () => ({}),
  more: { readonly input?: Partial<KlStudyInput>; readonly report?: Partial<KlReport> } = {},
): string {
  const changed = texts.map((text, i) => ({ ...text, ...change(text, i) }));
  return caveats({ ...makeStudy(changed, checkpoints), ...more.input }, { ...REPORT, ...more.report }).join(
    "\n",
  );
}

describe("whose texts", () => {
  test("counts by writer, beside those that nobody knows", () => {
    expect(lines()).not.toMatch(/were written by another|The author of/);
    const some = lines((_, i) => ({ source: i < 3 ? "sft" : i < 4 ? undefined : "ref" }));
    expect(some).toContain("another policy than the reference ref (3 by sft of 8)");
    expect(some).toContain("The author of 1 of 8 texts is unknown");
  });

  test("counts tokens of tools", () => {
    const masked = (maskedOutTokens: number): string => lines(undefined, { input: { maskedOutTokens } });
    expect(masked(0)).not.toContain("tool output");
    expect(masked(1)).toContain("1 token of tool output is in no figure");
    expect(masked(2)).toContain("2 tokens of tool output are in no figure");
  });
});

describe("what a high KL means", () => {
  test("depends on how many texts are right, wrong or not judged", () => {
    expect(lines()).toContain("combine right (4) and wrong (4) texts");
    const mixed = lines((_, i) => ({ correct: i < 3 ? true : i < 5 ? undefined : false }));
    expect(mixed).toContain("For 2 of 8 texts, correctness is unknown");
    expect(mixed).toContain("right (3) and wrong (3)");
    const wrong = lines(() => ({ correct: false }));
    expect(wrong).toContain("All 8 texts are wrong");
    expect(wrong).not.toMatch(/right \(|correctness is unknown/);
    const right = lines(() => ({ correct: true }));
    expect(right).not.toMatch(/right \(|are wrong|correctness is unknown/);
    expect(lines(() => ({ correct: undefined }))).not.toContain("are wrong");
  });

  test("says how many problems the last checkpoint itself solves", () => {
    expect(lines()).toContain("(whether it would solve the problem is not known here)");
    const input = makeStudy(texts, checkpoints);
    const outcomes = new Map([...texts.keys()].map((i) => [`p${i}`, i < 3]));
    const solved = input.checkpoints.map((one) => (one.name === "c30" ? { ...one, outcomes } : one));
    expect(lines(undefined, { input: { checkpoints: solved } })).toContain(
      "(its own answers are right on 3 of 8 problems)",
    );
  });

  test("is told of a single text as of one", () => {
    const [first] = texts;
    const input = { texts: [{ ...first!, correct: false }] };
    expect(lines(undefined, { input })).toContain("The only text is wrong: nothing here says");
  });

  test("warns of what slopes and continuations do not say, where they are", () => {
    expect(lines()).not.toMatch(/Gradients are|Continuations are/);
    const gradients = [{ checkpoint: "c30" }] as unknown as KlReport["gradients"];
    expect(lines(undefined, { report: { gradients } })).toMatch(/Gradients are slopes at the text as it is/);
    const continuations = [{ checkpoint: "c30" }] as unknown as KlReport["continuations"];
    expect(lines(undefined, { report: { continuations } })).toMatch(
      /graded by their final answer alone: .* counts as not right/,
    );
  });

  test("warns of what correlations, errors and attention do not say, where they are", () => {
    const without = lines(undefined, { report: { correlations: [], first_errors: [], attention: [] } });
    expect(without).not.toMatch(/not why|First errors are|Attention is not|Hidden tokens/);
    expect(lines(undefined, { report: { first_errors: [] } })).toMatch(/not why/);
    const errors = [{ checkpoint: "c30" }] as unknown as KlReport["first_errors"];
    const some = lines(undefined, { report: { correlations: [], first_errors: errors } });
    expect(some).toMatch(/not why/);
    expect(some).toMatch(/First errors are those named in the data/);
    const attention = (hidden: unknown) => [{ hidden }] as unknown as KlReport["attention"];
    const seen = lines(undefined, { report: { attention: attention(null) } });
    expect(seen).toMatch(/Attention is not an explanation/);
    expect(seen).not.toMatch(/Hidden tokens/);
    expect(lines(undefined, { report: { attention: attention({}) } })).toMatch(/Hidden tokens leave a gap/);
  });
});

describe("what the policies' log-probs are", () => {
  test("is told where they are bounds, or not of one kind, or not of one temperature", () => {
    expect(lines()).not.toMatch(/only the most probable|raw|temperatures/);
    const c20 = { ...REPORT.checkpoints.c20!, exact: false };
    expect(lines(undefined, { report: { checkpoints: { ...REPORT.checkpoints, c20 } } })).toContain(
      "Of c20 or the reference, only the most probable tokens are known",
    );
    const policies = (more: Partial<KlReport["policies"][string]>) => ({
      report: { policies: { ...REPORT.policies, ref: { ...REPORT.policies.ref!, ...more } } },
    });
    expect(lines(undefined, policies({ logprobs: "processed" }))).toContain(
      "Log-probs of some policies are raw and of others processed",
    );
    expect(lines(undefined, policies({ temperature: 0.6 }))).toContain("different temperatures (0.6, 1)");
    const aside = {
      report: { policies: { ...REPORT.policies, aside: { ...REPORT.policies.ref!, temperature: 2 } } },
    };
    expect(lines(undefined, aside)).not.toContain("temperatures");
  });
});

describe("how much there is", () => {
  test("is few below twenty problems", () => {
    const of = (problems: number): string =>
      lines(undefined, { report: { metrics: { ...REPORT.metrics, problems } } });
    expect(of(19)).toContain("19 problems are few");
    expect(of(20)).not.toContain("are few");
    expect(of(1)).toContain("1 problem is too few: intervals");
  });

  test("names checkpoints under which texts are missing", () => {
    expect(lines()).not.toContain("Not every text");
    const c20 = { ...REPORT.checkpoints.c20!, texts_missing: 3 };
    expect(lines(undefined, { report: { checkpoints: { ...REPORT.checkpoints, c20 } } })).toContain(
      "(missing: c20 3 of 8)",
    );
  });

  test("says what tests are over, where there are any", () => {
    expect(lines()).toContain("Tests are over problems");
    expect(lines(undefined, { report: { comparisons: [] } })).not.toContain("Tests are over problems");
  });
});
