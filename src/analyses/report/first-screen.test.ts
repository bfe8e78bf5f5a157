import { describe, expect, it } from "vitest";
import { normal, seededRandom } from "../../../test/support/calibration/claim.ts";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import type { Finding } from "../../core/schema/findings.ts";
import type { MismatchReport } from "../../results/report.ts";
import { buildReport } from "./build-report.ts";
import { RunSummary } from "./run-summary.ts";

interface Place {
  readonly step: number;
  readonly rank: number;
  readonly correct: number;
  readonly environment: string;
}

/** 12 steps of 16 sequences of 64 tokens; `by` is how much further off a place is, `lean` a shift of every Δ. */
function drawRun(by: (place: Place) => number, lean = 0): SequencePicture[] {
  const random = seededRandom("first screen");
  return Array.from({ length: 192 }, (_, row) => {
    const place = {
      step: 10 * (1 + Math.floor(row / 16)),
      rank: row % 4,
      correct: Math.floor(row / 4) % 2,
      environment: row % 3 === 0 ? "maths" : "code",
    };
    const scale = 0.002 * by(place) * (0.8 + 0.4 * random());
    const deltas = Array.from({ length: 64 }, () => scale * normal(random) + lean);
    return { ...place, row, deltas: deltas.join(" "), rollout: -0.05 };
  });
}

function makeReport(
  sequences: readonly SequencePicture[],
  more: { readonly findings?: readonly Finding[]; readonly files?: number } = {},
): MismatchReport {
  const summary = new RunSummary();
  summary.add(recordBatch(sequences));
  return buildReport({
    run: "drawn",
    paths: ["drawn.npz"],
    summary,
    parity: [],
    findings: more.findings ?? [],
    sources: Array.from({ length: more.files ?? 0 }, (_, n) => ({
      file: `drawn${n}.npz`,
      format: "npz",
      trainer: "verl",
      step: null,
      rank: null,
      bytes: 1,
      found: [],
      guessed: [],
      missing: [],
    })),
  });
}

const kinds = ({ facts }: MismatchReport): string[] => facts.map(({ kind }) => kind);
const findText = ({ facts }: MismatchReport, kind: string): string =>
  facts.find((fact) => fact.kind === kind)?.text ?? "";

describe("what the first screen says of a run", () => {
  it("is that nothing stands out of a run in which nothing does", () => {
    const report = makeReport(drawRun(() => 1));
    expect(kinds(report)).toEqual([]);
    expect(report.verdict).toMatchObject({ level: "normal", level_range: ["normal", "normal"] });
    expect(report.next.command).toBe("logratio gate drawn.npz --update --against baseline.yaml");
  });

  it("is which answers are further off, either way round", () => {
    const wrong = findText(makeReport(drawRun(({ correct }) => (correct === 0 ? 4 : 1))), "correctness");
    expect(wrong).toMatch(/^Incorrect responses differ (3\.[5-9]|4\.\d) times as much as correct ones/);
    const right = findText(makeReport(drawRun(({ correct }) => (correct === 1 ? 4 : 1))), "correctness");
    expect(right).toMatch(/^Correct responses differ (3\.[5-9]|4\.\d) times as much as incorrect ones/);
  });

  it("is which rank or environment is further off, not which is nearer", () => {
    const rank = (of: number) =>
      findText(makeReport(drawRun((place) => (place.rank === 2 ? of : 1))), "rank");
    expect(rank(4)).toMatch(/^Rank 2 stands out: /);
    const [mean, others] = [...rank(4).matchAll(/0\.\d+/g)].map(Number) as [number, number];
    expect(mean / others).toBeGreaterThan(3);
    expect(rank(0.25)).not.toContain("Rank 2");
    const maths = (of: number) =>
      findText(makeReport(drawRun(({ environment }) => (environment === "maths" ? of : 1))), "environment");
    expect(maths(4)).toMatch(/^Environment maths stands out/);
    expect(maths(0.25)).toMatch(/^Environment code stands out/);
  });

  it("is whether Δ grows or falls", () => {
    expect(findText(makeReport(drawRun(({ step }) => 1.02 ** step)), "drift")).toMatch(/^Mean \|Δ\| grows/);
    expect(findText(makeReport(drawRun(({ step }) => 1.02 ** -step)), "drift")).toMatch(/^Mean \|Δ\| falls/);
  });

  it("is to which side Δ leans", () => {
    const of = (lean: number) => findText(makeReport(drawRun(() => 1, lean)), "one-sided");
    expect(of(0.004)).toMatch(/the trainer finds the tokens more likely by 0\.00[34]/);
    expect(of(-0.004)).toMatch(/the trainer finds the tokens less likely by 0\.00[34]/);
  });

  it("is the step to look at alone, and that it is worse than the others", () => {
    const report = makeReport(drawRun(({ step }) => (step === 80 ? 3 : 1)));
    expect(findText(report, "worst-step")).toMatch(/^Step 80 stands out/);
    expect(report.next.command).toBe("logratio report drawn.npz --steps 80");
    expect(report.next.why).toContain("step 80");
    expect(report.verdict.headline).toMatch(
      /, in every step; mean \|Δ\| [23]\.\d times as large in step 80$/,
    );
    const far = makeReport(drawRun(({ step }) => (step === 80 ? 12 : 1)));
    expect(far.verdict.headline).toMatch(/^in step 80 only: /);
    expect(far.verdict.level).toBe("high");
    expect(far.next.command).toBe("logratio doctor drawn.npz");
    const calm = makeReport(drawRun(({ step }) => (step === 80 ? 1 / 12 : 1)));
    expect(kinds(calm)).not.toContain("worst-step");
    expect(calm.verdict.headline).toMatch(
      /mismatch, in every step; mean \|Δ\| 0\.0\d+ times as large in step 80$/,
    );
  });

  it("is the one token that makes most of k3, which show opens", () => {
    const run = drawRun(() => 1);
    const odd = { ...run[33]!, deltas: run[33]!.deltas.replace(/ \S+$/, " -3") };
    const report = makeReport(run.with(33, odd));
    expect(findText(report, "single-token")).toMatch(
      /^One token, s30\.r1\.q33\.t63 \(Δ -3\.00, p 0\.951 → 0\.0474\)/,
    );
    expect(report.next.command).toBe("logratio show drawn.npz s30.r1.q33.t63");
  });

  it("is what a verdict needs where there is too little for one", () => {
    const { verdict } = makeReport(drawRun(() => 1).slice(0, 7));
    expect(verdict.level).toBe("too_few");
    expect(verdict.headline).toMatch(/^448 tokens of 7 sequences; a verdict needs at least/);
  });

  it("is not comparable where every log-prob of one side is one number", () => {
    const constant = (count: number): Finding => ({
      code: "constant-logprobs",
      severity: "warning",
      message: "every trainer log-prob is 0",
      count,
      at: {},
    });
    const run = drawRun(() => 1);
    expect(makeReport(run, { findings: [constant(12_288)] }).verdict).toMatchObject({
      level: "not_comparable",
      headline: "every trainer log-prob is 0",
    });
    expect(makeReport(run, { findings: [constant(12_287)] }).verdict.level).toBe("normal");
    const other: Finding = { ...constant(12_288), code: "note" };
    expect(makeReport(run, { findings: [other] }).verdict.level).toBe("normal");
  });

  it("is not given on columns that do not belong together, and what to run next says why", () => {
    const finding = (code: Finding["code"]): Finding => {
      return { code, severity: "warning", message: "what was found", count: 100, at: {} };
    };
    const run = drawRun(() => 1);
    const report = (code: Finding["code"]) => {
      const { verdict, next } = makeReport(run, { findings: [finding(code)] });
      return [verdict.level, verdict.headline, next.command];
    };
    expect(report("shifted-columns")).toEqual([
      "not_comparable",
      "not comparable until the columns are aligned: what was found",
      "logratio report drawn.npz --align auto",
    ]);
    expect(report("padding-side")).toEqual([
      "not_comparable",
      "not comparable until the columns are aligned: what was found",
      "logratio report drawn.npz --explain",
    ]);
    expect(report("zero-logprobs")).toEqual([
      "not_comparable",
      "not comparable until the mask is right: what was found",
      "logratio report drawn.npz --explain",
    ]);
    expect(report("padding-counted")[0]).toBe("normal");
    expect(report("same-columns")[0]).toBe("normal");
  });

  it("is that inputs were skipped, before anything that stands out", () => {
    const skipped: Finding = { code: "bad-row", severity: "skipped", message: "odd.npz", count: 1, at: {} };
    const far = drawRun(({ step }) => (step === 80 ? 3 : 1));
    expect(makeReport(far, { findings: [skipped] }).next).toEqual({
      command: "logratio report drawn.npz --explain",
      why: "some inputs were skipped: see how each file was read",
    });
    expect(makeReport(far, { findings: [{ ...skipped, severity: "warning" }] }).next.command).toContain(
      "--steps 80",
    );
  });

  it("is the share of files that could not be read", () => {
    const lost: Finding = {
      code: "bad-row",
      severity: "skipped",
      message: "odd.npz",
      count: 1,
      at: {},
      omits: { unit: "file", why: "unreadable" },
    };
    const headline = (files: number): string =>
      makeReport(
        drawRun(() => 1),
        { findings: [lost], files },
      ).verdict.headline;
    expect(headline(9)).toMatch(/; 1 of 10 files \(10\.0 %\) left out$/);
    expect(headline(10)).not.toContain("left out");
  });
});
