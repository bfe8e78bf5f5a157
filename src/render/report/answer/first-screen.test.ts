import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyReport, sampleReport } from "../../../../test/report/sample-report.ts";
import type { Assessment } from "../../../results/assessment.ts";
import type { EvidencePicture, Fix } from "../../../results/diagnosis.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { displayWidth } from "../../terminal/columns.ts";
import { countRows } from "../../terminal/screen.ts";
import { makeSurface } from "../../terminal/surface.ts";
import { eventsOf, makeEvent, makeGroup, makePart, makeReport, makeSegment } from "./answer.test-data.ts";
import { drawAnswerScreen } from "./first-screen.ts";

function draw(
  report: MismatchReport,
  { width = 80, unicode = true, color = false, rows = 23 } = {},
): string[] {
  return drawAnswerScreen(report, makeSurface({ width, unicode, color }), { rows });
}
const screen = (answer: Partial<Assessment> = {}, more: Partial<MismatchReport> = {}): string =>
  draw(makeReport(answer, more)).join("\n");

const evidence = { subject: 30, p: 0.01, factor: 3, interval: null, leave_one_out: { low: 2, high: 4 } };
const FIX: Fix = {
  trainer: "verl",
  line: "one.key=1\nother.key=2",
  is_code: true,
  note: "the same on both sides",
};
const PICTURE: EvidencePicture = {
  kind: "bars",
  ...{ title: "Gap by environment", x_label: "environment", y_label: "gap" },
  ...{ x: ["a", "b", "c"], series: [{ name: "gap", y: [3, 0.1, 0.2] }] },
};

/** A run about which everything can be said. */
const FULL: Partial<Assessment> = {
  level: "elevated",
  sentence: "in steps 10–20; normal since step 30",
  events: eventsOf(makeEvent()),
  where: [makePart("correctness", "incorrect", 0.96), makePart("turn", "1", 0.81)],
  reach: { k3_share_at_zero: 0.78, impact_relative: 0.1, impact_share_in_bad_steps: 0.77 },
  when: {
    words: "in steps 10–20",
    segments: [makeSegment([10, 20], "elevated", 0.0108), makeSegment([30, 30], "normal", 0.0017)],
    ...{ steps_skipped: 0, false_alarm_rate: 0.05 },
  },
  causes: [
    makeGroup("Different weights on the two sides", 0.51, { evidence: ["Bad where it learned fastest."] }),
    makeGroup("Quantized weights", 0.19),
  ],
};
const COMMANDS: Partial<MismatchReport> = {
  next: { command: "logratio doctor run", why: "the most likely causes, their evidence and their fixes" },
  correct: { command: "logratio sweep run", why: "a correction to train with, as a config" },
  facts: [{ kind: "turn", text: "Turn 2 stands out.", weight: 2, evidence }],
};
const SHIFTED: Partial<Assessment> = {
  level: "not_comparable",
  sentence: "The trainer's log-probs are 1 token late. No figure means anything until they are moved back",
  comparable: {
    is_comparable: false,
    reason: "The trainer's log-probs are 1 token late",
    by_shift: [-1, 0, 1].map((shift) => ({ shift, delta_abs_mean: shift === 1 ? 0.0007 : 0.125 })),
    shift: 1,
  },
  causes: [makeGroup("One column is shifted", 0.99, { fix: FIX })],
};
const FAULT: Partial<Assessment> = {
  level: "fault",
  sentence: "One environment is wrong: a (92 %). The size alone looks normal (mean |Δ| 0.0023)",
  causes: [makeGroup("One environment is wrong", 0.92, { part: "a", picture: PICTURE, fix: FIX })],
  events: eventsOf(makeEvent()),
};

describe("the first screen", () => {
  it("is head, verdict with when, mistake, place, reach, cause, figures, commands", () => {
    expect(screen(FULL, COMMANDS)).toMatchInlineSnapshot(`
      "sample · verl · steps 10–30 (3) · 192 answers · 3,000 tokens · 2 ranks

      △ ELEVATED  In steps 10–20; normal since step 30.

        over steps  ▇▄█  mean |Δ| 0.0108 nats, then 0.00170
        worst       step 30, in 7 of the 8 answers to “…please Solve x - 86 = 24”:
                         have 110.⏎Therefore x = 1▐0▌0. #### 100
                    engine   0    98.3 %     1     1.6 %
                    trainer  0  0.0020 %     1   >99.9 %
        where       wrong answers 96 % of the KL, turn 1 81 %
        matters?    78 % of the KL has advantage 0: no gradient. Of what reaches the
                    gradient, 77 % is in steps 10–20
        cause       different weights on the two sides (51 %); else quantized weights
                    (19 %)
        evidence    Bad where it learned fastest.
        also        Turn 2 stands out.

                    this run  usual
        mean |Δ|    0.00300   none     ✓
        mean |Δp|   0.00150   none     △

        next        logratio doctor run
        meanwhile   logratio sweep run"
    `);
  });

  it("of columns that cannot be compared shows what fits and the fix, and no figure, place or mistake", () => {
    const text = screen({ ...FULL, ...SHIFTED }, { ...COMMANDS, correct: null });
    expect(text).toMatchInlineSnapshot(`
      "sample · verl · steps 10–30 (3) · 192 answers · 3,000 tokens · 2 ranks

      ✗ NOT COMPARABLE  The trainer's log-probs are 1 token late. No figure means
        anything until they are moved back.

        moved by           -1        0       +1
        mean |Δ|        0.125    0.125  7.00e-4
                                        ^^^^^^^
        fix         verl: the same on both sides
                    one.key=1
                    other.key=2

        next        logratio doctor run
                    the most likely causes, their evidence and their fixes"
    `);
    for (const word of ["worst", "where", "matters", "over steps", "ESS", "usual"])
      expect(text).not.toContain(word);
  });

  it("of a fault shows the part, the fix and the figures", () => {
    expect(screen(FAULT)).toMatchInlineSnapshot(`
      "sample · verl · steps 10–30 (3) · 192 answers · 3,000 tokens · 2 ranks

      ▲ FAULT  One environment is wrong: a (92 %). The size alone looks normal (mean
        |Δ| 0.0023).

        over steps  ▇▄█  mean |Δ| 0.00600 → 0.00700 nats
        gap         gap by environment, nats
                    a  ████████████████████  3.00
                    c  █                     0.200
                    b  █                     0.100
        fix         verl: the same on both sides
                    one.key=1
                    other.key=2
        worst       step 30, in 7 of the 8 answers to “…please Solve x - 86 = 24”:
                         have 110.⏎Therefore x = 1▐0▌0. #### 100
                    engine   0    98.3 %     1     1.6 %
                    trainer  0  0.0020 %     1   >99.9 %

                    this run  usual
        mean |Δ|    0.00300   none     ✓
        mean |Δp|   0.00150   none     △

        next        logratio view runs/sample  look at the worst token"
    `);
  });

  it("says a run of one step, without a course, and of several ranks", () => {
    const [head] = draw(makeReport({}, { per_step: sampleReport().per_step.slice(0, 1) }));
    expect(head).toBe("sample · verl · step 10 · 192 answers · 3,000 tokens · 2 ranks");
    expect(screen({}, { per_step: sampleReport().per_step.slice(0, 1) })).not.toContain("over steps");
  });

  it("tells what mean |Δ| was in each part of the run, else at its ends", () => {
    expect(screen(FULL)).toContain("mean |Δ| 0.0108 nats, then 0.00170");
    const four = [1, 2, 3, 4].map((step) => makeSegment([step, step], "normal"));
    const when = { ...FULL.when!, segments: four };
    expect(screen({ when })).toMatch(/over steps .*mean \|Δ\| \S+ → \S+ nats/);
  });
});

describe("its level", () => {
  it.each([
    ["none", "· NO MISMATCH  ", "- NO MISMATCH  "],
    ["normal", "✓ NORMAL  ", "= NORMAL  "],
    ["elevated", "△ ELEVATED  ", "! ELEVATED  "],
    ["high", "▲ HIGH  ", "!! HIGH  "],
    ["broken", " ✗ BROKEN   ", " !!! BROKEN   "],
    ["fault", "▲ FAULT  ", "!! FAULT  "],
    ["too_few", "? TOO FEW TO SAY  ", "? TOO FEW TO SAY  "],
    ["not_comparable", "✗ NOT COMPARABLE  ", "!!! NOT COMPARABLE  "],
  ] as const)("is the first word, with a sign: %s", (level, unicode, ascii) => {
    const report = makeReport({ level, sentence: "some words" });
    expect(draw(report)[2]).toBe(`${unicode}Some words.`);
    expect(draw(report, { unicode: false })[2]).toBe(`${ascii}Some words.`);
  });

  it("has one full stop after it, whatever the sentence ends with", () => {
    expect(draw(makeReport({ sentence: "mended." }))[2]).toBe("✓ NORMAL  Mended.");
  });
});

describe("its room", () => {
  const everything = makeReport({ ...FULL, ...{ beside: [] } }, COMMANDS);

  it("goes first to what matters most: reasons and gaps go before rows, the cause last of these", () => {
    const labels = (lines: readonly string[]) =>
      lines.flatMap((line) => /^ {2}(also|where|evidence|matters\?|cause|worst) /.exec(line)?.[1] ?? []);
    const all = ["worst", "where", "matters?", "cause", "evidence", "also"];
    const order = ["also", "where", "evidence", "matters?", "worst", "cause"];
    const seen: string[][] = [];
    for (let rows = 23; rows > 3; rows--) {
      const found = labels(draw(everything, { rows }));
      if (seen.at(-1)?.join() !== found.join()) seen.push(found);
    }
    // Each time, the least of them is dropped.
    expect(seen.at(-1)).toEqual([]);
    for (const found of seen) {
      const gone = order.slice(0, all.length - found.length);
      expect(found).toEqual(all.filter((label) => !gone.includes(label)));
    }
  });

  it("holds the figures and the commands, however little there is", () => {
    const text = draw(everything, { rows: 3 }).join("\n");
    expect(text).toContain("mean |Δ|");
    expect(text).toContain("logratio doctor run");
    expect(text).toContain("logratio sweep run");
    expect(text).not.toContain("the most likely causes");
    expect(draw(everything, { width: 120 }).join("\n")).toContain("the most likely causes");
  });

  it.each([
    ["everything", FULL],
    ["a fault", FAULT],
    ["a shift", SHIFTED],
    ["nothing", {}],
  ])("is 23 rows of 80 columns with %s, less what the caller needs", (_, answer) => {
    const report = makeReport(answer, COMMANDS);
    for (const unicode of [true, false])
      for (const rows of [23, 22, 21, 20]) {
        const lines = draw(report, { unicode, rows });
        expect(countRows(lines, 80)).toBeLessThanOrEqual(rows);
        for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
        if (!unicode) expect(lines.join("\n")).toMatch(/^[\x20-\x7e\n]*$/);
      }
  });

  it("cuts no line that is there to be pasted", () => {
    const line = `actor_rollout_ref.${"very_long.".repeat(12)}key=1`;
    const command = `logratio doctor ${"deep/".repeat(30)}run`;
    const lines = draw(
      makeReport(
        { ...FAULT, causes: [makeGroup("One rank", 0.9, { fix: { ...FIX, line } })] },
        { next: { command, why: "causes" } },
      ),
    );
    expect(lines.some((one) => one.endsWith(line))).toBe(true);
    expect(lines).toContain(command);
    for (const one of lines)
      if (!one.includes(line) && one !== command) expect(displayWidth(one)).toBeLessThan(81);
  });

  it("counts a line that is wider than the terminal as several rows", () => {
    expect(countRows(["", "x".repeat(80), "x".repeat(81), "x".repeat(161)], 80)).toBe(1 + 1 + 2 + 3);
  });

  const foreign = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 90 }),
    fc.constantFrom("", "a b", "\u001b[2J", "x".repeat(300)),
  );

  it("is kept by whatever texts a dump holds", () => {
    fc.assert(
      fc.property(foreign, foreign, foreign, fc.boolean(), (one, two, three, unicode) => {
        const text = { before: one, token: two, after: three, prompt: one };
        const answer = {
          ...FULL,
          events: eventsOf(makeEvent({ text, alternatives: [] })),
          where: [makePart("environment", two, 0.9), makePart("engine", three, 0.8)],
          causes: [makeGroup("One environment is wrong", 0.9, { part: one })],
        };
        for (const level of ["elevated", "fault", "normal"] as const) {
          const lines = draw(makeReport({ ...answer, level }, { ...COMMANDS, run: three }), { unicode });
          for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
          expect(lines.join("")).not.toContain("\u001b");
        }
      }),
      { numRuns: 100 },
    );
  });

  it("is enough for a run without a single figure", () => {
    const report = emptyReport();
    const answer = {
      ...report.assessment,
      level: "too_few",
      sentence: "no token has both log-probs",
    } as const;
    const lines = draw({ ...report, assessment: answer });
    expect(lines[2]).toBe("? TOO FEW TO SAY  No token has both log-probs.");
    expect(lines.join("\n")).not.toMatch(/NaN|undefined|null/);
  });

  it("colors the verdict by its level, and nothing without colors", () => {
    const report = makeReport({ ...FULL, level: "high" });
    expect(draw(report, { color: true })[2]).toContain("\u001b[1;31m▲ HIGH\u001b[0m  ");
    expect(draw(report).join("")).not.toContain("\u001b");
  });
});
