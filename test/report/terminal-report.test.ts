import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listLeftOut } from "../../src/analyses/assessment/left-out.ts";
import type { Finding } from "../../src/core/schema/findings.ts";
import { renderTerminal } from "../../src/render/report/terminal.ts";
import { displayWidth } from "../../src/render/terminal/columns.ts";
import { pasteable } from "../../src/render/terminal/command.ts";
import type { MismatchReport } from "../../src/results/report.ts";
import {
  emptyReport,
  sampleMetrics,
  sampleOutcomes,
  sampleReport,
  withoutIntervals,
} from "./sample-report.ts";

const ESCAPE = String.fromCharCode(27);
const PLAIN = { width: 80, color: false, unicode: true } as const;

const anyOptions = fc.record({
  width: fc.integer({ min: 8, max: 200 }),
  color: fc.boolean(),
  unicode: fc.boolean(),
});
const foreign = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
);
const anyFigure = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.NaN, 0, 1, -1e-300, 1e300, Number.POSITIVE_INFINITY),
);

/** Reports with any texts and figures that a broken or hostile dump may hold. */
const anyReport: fc.Arbitrary<MismatchReport> = fc
  .record({
    run: foreign,
    environments: fc.array(foreign, { maxLength: 3 }),
    files: fc.array(foreign, { maxLength: 3 }),
    command: foreign,
    steps: fc.constantFrom(1, 2, 25),
    headline: foreign,
    fact: foreign,
    figure: anyFigure,
  })
  .map(({ headline, fact, figure, ...options }) => {
    const report = sampleReport(options);
    const metrics = {
      ...report.metrics,
      delta_abs_mean: figure,
      pearson: figure,
      ess: figure,
      delta_mean: figure,
    };
    return {
      ...report,
      metrics,
      verdict: { ...report.verdict, headline },
      facts: [{ kind: "any", text: fact, weight: 1 }],
      per_step: report.per_step.map((step, index) =>
        index % 2 === 0 ? { ...step, delta_abs_mean: figure, k3: figure } : step,
      ),
    };
  });

function splitLines(text: string): string[] {
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n");
}

describe("renderTerminal", () => {
  it("keeps every line but the next command within the width, whatever files hold", () => {
    fc.assert(
      fc.property(anyReport, anyOptions, (report, options) => {
        const lines = splitLines(renderTerminal(report, options));
        const wide = lines.filter((line) => displayWidth(line) > options.width);
        expect(wide.length).toBeLessThanOrEqual(1);
        expect(wide.every((line) => line.includes(pasteable(report.next.command, options.unicode)))).toBe(
          true,
        );
      }),
      { numRuns: 100 },
    );
  });

  it("writes no escape sequence without color and nothing but ASCII without unicode", () => {
    fc.assert(
      fc.property(anyReport, fc.integer({ min: 20, max: 160 }), (report, width) => {
        const text = renderTerminal(report, { width, color: false, unicode: false });
        expect(text).toMatch(/^[\n\x20-\x7e]*$/);
      }),
      { numRuns: 100 },
    );
  });

  it("differs between color and no color by styles alone", () => {
    fc.assert(
      fc.property(anyReport, fc.integer({ min: 40, max: 160 }), (report, width) => {
        const plain = renderTerminal(report, { width, color: false, unicode: true });
        const colored = renderTerminal(report, { width, color: true, unicode: true });
        const stripped = colored.replaceAll(new RegExp(`${ESCAPE}\\[[0-9;]*m`, "g"), "");
        // A style may keep spaces at the end of a line that are trimmed without it.
        expect(stripped.replaceAll(/ +$/gm, "")).toBe(plain.replaceAll(/ +$/gm, ""));
      }),
      { numRuns: 60 },
    );
  });

  it("shows the first screen in 24 rows of 80 columns, with sentences of two lines each", () => {
    const sentence =
      "Tokens that the rollout policy gave p < 0.5 are 6.1 % of all tokens and 59 % of the sum of |Δ| over the run";
    const report = sampleReport({ steps: 12, run: "grpo-qwen3-8b" });
    const long = {
      ...report,
      verdict: { ...report.verdict, headline: sentence },
      facts: [1, 2, 3].map((weight) => ({ kind: "any", text: sentence, weight })),
    };
    const rows = splitLines(renderTerminal(long, { ...PLAIN, sections: "summary" }));
    expect(rows.length).toBeLessThanOrEqual(23);
  });

  it("says the levels of the steps where they jump", () => {
    const picture = (...means: readonly number[]): string | undefined => {
      const report = sampleReport();
      const { when } = report.assessment;
      const segments = means.map((delta_abs_mean, i) => ({
        from_step: i,
        to_step: i,
        steps: 1,
        steps_at_level: 1,
        tokens: 1000,
        delta_abs_mean,
        k3: 1e-5,
        level: "normal" as const,
      }));
      const assessment = { ...report.assessment, when: { ...when, segments } };
      return renderTerminal({ ...report, assessment }, { ...PLAIN, sections: "summary" })
        .split("\n")
        .find((line) => line.includes("▇▄█"));
    };
    expect(picture(0.0108, 0.0017)).toBe("  over steps  ▇▄█  mean |Δ| 0.0108 nats, then 0.00170");
    expect(picture(0.01, 0.02, 0.01)).toBe(
      "  over steps  ▇▄█  mean |Δ| 0.0100 nats, then 0.0200, then 0.0100",
    );
    expect(picture(0.01, 0.02, 0.01, 0.03)).toBe("  over steps  ▇▄█  mean |Δ| 0.00600 → 0.00700 nats");
    expect(picture(0.01)).toBe("  over steps  ▇▄█  mean |Δ| 0.00600 → 0.00700 nats");
  });

  it("tells the story of the sample on its first screen", () => {
    expect(renderTerminal(sampleReport(), { ...PLAIN, sections: "summary" })).toMatchInlineSnapshot(`
      "sample · verl · steps 10–30 (3) · 192 answers · 3,000 tokens · 2 ranks

      △ ELEVATED  Single tokens are far off: look at step 10.

        over steps  ▇▄█  mean |Δ| 0.00600 → 0.00700 nats
        worst       s30.r0.q3.t41: 90.5 % in the engine, 36.8 % in the trainer. No
                    other of 3,000 tokens differs more

                    this run  usual
        mean |Δ|    0.00300   none     ✓
        mean |Δp|   0.00150   none     △

        next        logratio view runs/sample  look at the worst token
      "
    `);
  });

  it("says why there is no interval, and what is left without any one prompt", () => {
    const figures = renderTerminal(withoutIntervals(), { ...PLAIN, width: 160, sections: "all" });
    expect(figures).toContain("— (one prompt holds 52 %; 0.00190 – 0.00410 without any one)");
  });

  it("never hides what was left out", () => {
    const report = sampleReport();
    const findings: Finding[] = [
      {
        code: "file-skipped",
        severity: "skipped",
        message: "npz data is cut off",
        count: 1,
        at: { file: "b.npz" },
        hint: "write it again",
      },
      {
        code: "positive-logprob",
        severity: "warning",
        message: "17 log-probs are above 0",
        count: 17,
        at: {},
      },
    ];
    const left = { missing: 412, delta_negative_infinite: 0, delta_positive_infinite: 0 };
    const whole = { ...report, findings, left_out: listLeftOut(findings, left) };
    const text = renderTerminal(whole, { ...PLAIN, width: 120 });
    expect(text).toContain(
      "  left out    412 tokens without a log-prob; b.npz: npz data is cut off; 1 other warning, see Findings\n",
    );
    expect(text).toContain("△ skipped  npz data is cut off\n  at      b.npz\n  try     write it again\n");
    const alone = renderTerminal(whole, { ...PLAIN, width: 120, sections: "summary" });
    expect(alone).toContain("1 other warning, see --full");
    expect(alone).not.toContain("Findings");
  });

  it("head the columns of the key figures, however much else there is to say", () => {
    const report = { ...sampleReport(), run: "a run whose name takes a line of its own" };
    for (const width of [80, 60]) {
      const lines = renderTerminal(report, {
        ...PLAIN,
        width,
        sections: "summary",
        more: "logratio x --full",
      });
      expect(lines).toMatch(/^ +this run +usual\n {2}mean \|Δ\|/m);
    }
  });

  it("say on the first screen how the trainer's log differs from the dumps", () => {
    const report = sampleReport();
    const message = "1 of 2 logged metrics is not what the dumps give, the first: mean, step 5: logged 0.31";
    const findings: Finding[] = [
      { code: "logged-differs", severity: "warning", message, count: 1, at: { file: "metrics.jsonl" } },
    ];
    const text = renderTerminal({ ...report, findings }, { ...PLAIN, width: 120 });
    expect(text).toContain(`  logged      ${message}\n`);
    expect(text).not.toContain("warning, see");
  });

  it("folds many steps into 20 rows and keeps the worst", () => {
    const report = sampleReport({ steps: 1000 });
    const worst = {
      ...sampleOutcomes(1),
      step: 4321,
      ...sampleMetrics(1, 1000),
      delta_abs_mean: 0.5,
      delta_abs_max: 77,
    };
    const steps = report.per_step.map((step, index) => (index === 431 ? worst : step));
    const text = renderTerminal({ ...report, per_step: steps }, PLAIN);
    const section = text.slice(text.indexOf("\nBy step"), text.indexOf("\nBy turn"));
    expect(section).toContain("1,000 steps in 20 rows");
    expect(section.match(/^ +\d+–\d+ /gm)).toHaveLength(20);
    expect(section).toMatch(/4010–4500 .* 4321 /);
  });

  it("draws one step without step pictures and says which tables have nothing to show", () => {
    const text = renderTerminal(sampleReport({ steps: 1, turns: 1, ranks: 1 }), PLAIN);
    expect(text).not.toContain("over steps");
    expect(text).toContain("no table for: by step (one step), by turn (one turn), by rank (one rank)");
  });

  it("draws a report without a single token", () => {
    const text = renderTerminal(emptyReport(), PLAIN);
    expect(text).toContain("✗ BROKEN");
    expect(text).toContain("0 answers · 0 tokens\n");
    expect(text).not.toMatch(/NaN|undefined|null/);
  });

  it("takes a report that went through JSON, where NaN is null", () => {
    const revived = JSON.parse(JSON.stringify(emptyReport())) as MismatchReport;
    expect(renderTerminal(revived, PLAIN)).toBe(renderTerminal(emptyReport(), PLAIN));
  });

  it("shows where the trainer's figure differs, with digits enough to see it", () => {
    const text = renderTerminal(sampleReport(), { ...PLAIN, width: 100 });
    expect(text).toMatch(/rollout_corr\/kl +0\.001420 +0\.001421 +summed in float32/);
    expect(text).toMatch(/training\/rollout_probs_diff_mean +0\.00134\n/);
  });
});
