import { describe, expect, it } from "vitest";
import { formatChance } from "../../core/text/format.ts";
import type { DoctorCause, EvidencePicture, GuiltyLeg } from "../../results/diagnosis.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import { displayWidth } from "../terminal/columns.ts";
import { makeSurface } from "../terminal/surface.ts";
import { evidenceChart } from "./evidence-charts.ts";
import { drawEvidence } from "./evidence-lines.ts";
import { renderDoctorHtml, renderDoctorMarkdown, renderDoctorTerminal, splitSteps } from "./index.ts";
import { CANNOT_TELL, FAULT, HEALTHY, TOO_FEW } from "./sample.test-data.ts";
import { causeTitle, chanceLevel, firstCauses } from "./words.ts";

const INPUT = { paths: ["my runs/a"], flags: ["--steps", "1..5", "--filter", "abs>0.5"] };
const draw = (report: DoctorReport, width = 100, unicode = true): string =>
  renderDoctorTerminal(report, { width, color: false, unicode, input: INPUT });
const firstScreen = (report: DoctorReport): string =>
  renderDoctorTerminal(report, {
    width: 100,
    color: false,
    unicode: true,
    input: INPUT,
    sections: "summary",
  });

describe("the first screen", () => {
  it("says verdict, three causes with their strongest evidence, fix, where to look and what to do next", () => {
    expect(firstScreen(FAULT)).toMatchInlineSnapshot(`
      "runs/grpo · 64 sequences · 4,902 tokens · 1 file · verl

      ▲ FAULT  Dropout is on in the trainer's forward pass (87 %). The size alone looks normal (mean |Δ|
        0.0170).

      ▲ 87 %  Dropout is on in the trainer's forward pass
        • Δ is wide at every position and in every sequence: mean |Δ| 0.0170 nats, 17 times what bfloat16
          explains.
        • mean ρ is 0.991; “Dropout is on” predicts 0.990, “older weights” 1.
      · 9 %  The rollout engine samples from older weights
        • mean ρ is 0.991; “older weights” predicts 1, “Dropout is on” 0.990.

      legs    The engine's decoding agrees with its own prefill; the trainer differs from both: mean |Δ|
              is 3.75e-6 nats in the decode leg, 0.0170 in the trainer leg.

        fix  for verl
          actor_rollout_ref.model.override_config.attention_dropout=0.0

      look       logratio show 'my runs/a' s254.q3.t17 --steps 1..5
      next       logratio report first.npz second.npz --brief
                 Compute the trainer's log-probs of one batch twice and compare them
      "
    `);
  });

  it.each([
    ["healthy", HEALTHY, "✓ NORMAL  Kernels and precision explain the mismatch."],
    [
      "cannot tell",
      CANNOT_TELL,
      "△ ELEVATED  Something differs beyond the precision of an engine, and the data do not show what.",
    ],
    [
      "too few",
      TOO_FEW,
      "? TOO FEW TO SAY  3 tokens of 1 sequence; a verdict needs at least 1,000 tokens and 8 sequences.",
    ],
  ])("says in its first line that a run is %s", (_, report, line) => {
    expect(firstScreen(report).split("\n")[2]).toBe(line);
  });

  it("is short where nothing is wrong, and says how far that word goes", () => {
    const lines = firstScreen(HEALTHY).trimEnd().split("\n");
    expect(lines.slice(4)).toEqual(["untested  tests that need a missing column: entropy.rollout"]);
    expect(firstScreen(FAULT)).not.toContain("untested");
  });

  it("names no cause of too few data, and rules none out", () => {
    expect(draw(TOO_FEW)).not.toContain("Other causes");
    expect(firstScreen(TOO_FEW).trimEnd().split("\n")).toHaveLength(3);
  });

  it("fits a small terminal", () => {
    for (const report of [FAULT, HEALTHY, CANNOT_TELL, TOO_FEW])
      expect(firstScreen(report).trimEnd().split("\n").length).toBeLessThanOrEqual(23);
  });

  it("leads to the evidence where it stands alone", () => {
    const options = { width: 100, color: false, unicode: true, sections: "summary" } as const;
    const text = renderDoctorTerminal(FAULT, { ...options, more: "logratio doctor x --full" });
    expect(text.trimEnd().split("\n").at(-1)).toBe("the rest   logratio doctor x --full");
  });

  it("has a fix only where the fault is the verdict", () => {
    const at = (level: DoctorReport["assessment"]["level"]): string =>
      firstScreen({ ...FAULT, assessment: { ...FAULT.assessment, level } });
    for (const level of ["fault", "not_comparable", "broken"] as const)
      expect(at(level)).toContain("attention_dropout=0.0");
    for (const level of ["elevated", "high", "normal"] as const) expect(at(level)).not.toMatch(/\bfix\b/);
  });

  it("has advice as a sentence, not as a line to paste", () => {
    const [first] = FAULT.causes;
    const fix = [{ trainer: null, line: "join by request id", is_code: false, note: "Not by order." }];
    const text = firstScreen({ ...FAULT, causes: [{ ...first!, fix }] });
    expect(text).toMatch(/^fix +Join by request id\. Not by order\.$/m);
    expect(text).not.toContain("for any trainer");
  });
});

describe("causes", () => {
  const cause = (probability: number, id = "log_base"): DoctorCause => ({
    ...FAULT.causes[0]!,
    id,
    probability,
  });

  it("come by probability in whole per cents, never as certain or impossible", () => {
    expect([0, 0.004, 0.01, 0.104, 0.495, 0.99, 0.991, 1].map(formatChance)).toEqual([
      "under 1 %",
      "under 1 %",
      "1 %",
      "10 %",
      "50 %",
      "99 %",
      "over 99 %",
      "over 99 %",
    ]);
  });

  it("are marked by how likely they are", () => {
    expect([0.5, 0.49, 0.1, 0.09].map((chance) => chanceLevel(cause(chance)))).toEqual([
      "high",
      "elevated",
      "elevated",
      "none",
    ]);
    expect([cause(1, "healthy"), cause(1, "cannot_tell")].map(chanceLevel)).toEqual(["normal", "too_few"]);
  });

  it("that stand beside the first say so, and what they explain", () => {
    const beside = { ...cause(1), title: "Rounded", coexists: true };
    expect(causeTitle({ ...beside, coexists: false })).toBe("Rounded");
    expect(causeTitle({ ...beside, explains: 0.0006 })).toBe("Rounded, beside the first: 0.060 % of Σ|Δ|");
    expect(causeTitle({ ...beside, explains: null })).toBe("Rounded, beside the first");
  });

  it("are at most three, without those that are hardly possible, but always one", () => {
    const of = (...chances: number[]): number[] =>
      firstCauses({ ...FAULT, causes: chances.map((chance) => cause(chance)) }).map(
        (each) => each.probability,
      );
    expect(of(0.4, 0.3, 0.2, 0.1)).toEqual([0.4, 0.3, 0.2]);
    expect(of(0.9, 0.019)).toEqual([0.9]);
    expect(of(0.01, 0.009)).toEqual([0.01]);
  });

  it("have what speaks for them apart from what speaks against them, with the size of each", () => {
    const lines = draw(FAULT, 140).split("\n");
    const forIt = lines.indexOf("Evidence for it");
    const against = lines.indexOf("Evidence against it");
    const place = (text: string): number => lines.findIndex((line) => line.includes(text));
    for (const text of ["(odds × 30).", "(odds × 3.3).", "(odds × 1.5)."]) {
      expect(place(text)).toBeGreaterThan(forIt);
      expect(place(text)).toBeLessThan(against);
    }
    expect(place("all ranks are alike (odds ÷ 2.0).")).toBeGreaterThan(against);
    expect(place("not 2.303 (odds ÷ over 1,000).")).toBeGreaterThan(lines.indexOf("Other causes"));
  });

  it("have their fixes whole, however narrow the terminal is, and a page each", () => {
    const text = draw(FAULT, 60);
    expect(
      text.match(/^ {4}actor_rollout_ref\.model\.override_config\.attention_dropout=0\.0$/gm),
    ).toHaveLength(2);
    expect(text).toContain("    model.eval()  # before log-probs are computed");
    expect(text).toContain("More: docs/causes/dropout_on.md");
    expect(text).not.toContain("docs/causes/cannot_tell.md");
  });

  it("lead to sequences by commands that read the run again, without its filter", () => {
    expect(draw(FAULT)).toContain("logratio show 'my runs/a' s254.q3.t17 --steps 1..5\n");
    expect(renderDoctorHtml(FAULT)).toContain("logratio show runs/grpo/step_0254.npz s255.q9");
  });
});

describe("the next experiment", () => {
  it("tells sentences from commands", () => {
    const steps = [
      "Stop the run.",
      "Then compare:\nlogratio report a b\n$ CUDA=1 python x.py",
      "LR=0 python y.py",
    ];
    expect(splitSteps({ ...FAULT.next_experiment!, steps })).toEqual([
      { text: "Stop the run.", isCommand: false },
      { text: "Then compare:", isCommand: false },
      { text: "logratio report a b", isCommand: true },
      { text: "CUDA=1 python x.py", isCommand: true },
      { text: "LR=0 python y.py", isCommand: true },
    ]);
  });

  it("says what each outcome means, by the causes' titles", () => {
    const text = draw(FAULT, 120);
    expect(text).toMatch(/the two differ +Dropout is on in the trainer's forward pass\n/);
    expect(text).toMatch(/the second run fails +none of these\n/);
    expect(text).toMatch(
      /the two are equal +The rollout engine samples from older weights, weight quantization\n/,
    );
  });

  it("is its first step where it needs no command", () => {
    const next = { ...FAULT.next_experiment!, steps: ["Set the learning rate to 0."] };
    expect(firstScreen({ ...FAULT, next_experiment: next })).toContain(
      "next    Compute the trainer's log-probs of one batch twice and compare them: Set the learning rate",
    );
  });
});

it.each<[GuiltyLeg | null, string]>([
  [
    "decode",
    "The engine's decoding differs from its own prefill, and that prefill agrees with the trainer: mean |Δ| is",
  ],
  [
    "trainer",
    "The engine's decoding agrees with its own prefill; the trainer differs from both: mean |Δ| is",
  ],
  [
    "both",
    "The engine's decoding differs from its own prefill, and the trainer differs from that prefill: mean |Δ| is",
  ],
  ["none", "Neither leg differs by more than this precision explains: mean |Δ| is 3.75e-6"],
  [null, "Too few sequences have all three columns to say which leg differs: mean |Δ| is 3.75e-6"],
])("says which leg differs: %s", (guilty_leg, sentence) => {
  const text = renderDoctorTerminal(
    { ...FAULT, guilty_leg },
    { width: 400, color: false, unicode: true, sections: "summary" },
  );
  expect(text).toContain(sentence);
  expect(text).toContain("3.75e-6 nats in the decode leg, 0.0170 in the trainer leg.");
});

it("says what the digests of both sides' weights show", () => {
  const weights = {
    sentence: "They are equal.",
    ...{ sequences: 64, equal: 64, rounded: 0, different: 0, unknown: 0 },
    ...{ first_different_step: null, lag: null, lag_sequences: 0, updates: 3, updates_below_bfloat16: 0 },
  };
  expect(firstScreen({ ...FAULT, weights })).toMatch(/^weights +They are equal\.$/m);
  expect(firstScreen(FAULT)).not.toMatch(/^weights/m);
});

it("says which checkpoints were used, of each side and step, and by how much", () => {
  const used = (checkpoint: string | null, none: number) => ({
    checkpoint,
    nearest: "dpo",
    none,
    most_noise: 0.2,
  });
  const distance = (probability: number, logit_noise_mean: number) => ({
    probability,
    logit_noise_mean,
    ...{ logit_noise: 0.1, delta_abs_median: 0.01 },
  });
  const checkpoints = {
    sentence: "The engine used dpo.",
    ...{ sequences: 8, prompts: 2, tokens: 100 },
    ...{ rollout: used("dpo", 0.02), trainer: used(null, 0.9) },
    checkpoints: [
      { name: "dpo", at: "onnx:dpo", rollout: distance(0.98, 0.0297), trainer: distance(0.1, 0.4) },
    ],
    by_step: [{ step: 7, sequences: 8, rollout: used("dpo", 0.02), trainer: used(null, 0.9) }],
  };
  const report = { ...FAULT, checkpoints };
  expect(firstScreen(report)).toMatch(/^checkpoints +The engine used dpo\.$/m);
  const text = draw(report);
  expect(text).toMatch(/^ *dpo +98 % +0\.0297 +.*10 %/m);
  expect(text).toContain("None of these: 2 % in the engine, 90 % in the trainer.");
  expect(text).toMatch(/^ *7 +dpo +none of these \(90 %\), nearest dpo +8$/m);
  expect(draw(FAULT)).not.toContain("Each checkpoint");
});

describe("terminals", () => {
  it.each([60, 80, 100, 140])("of %i columns are not overrun, but by what is pasted", (width) => {
    const isPasted = (line: string): boolean => /logratio show|override_config|logratio report/.test(line);
    for (const report of [FAULT, HEALTHY, CANNOT_TELL, TOO_FEW])
      for (const line of draw(report, width).split("\n"))
        if (!isPasted(line)) expect([line, displayWidth(line) <= width]).toEqual([line, true]);
  });

  it("without Unicode get ASCII, without color no escape sequence", () => {
    for (const report of [FAULT, HEALTHY, CANNOT_TELL, TOO_FEW])
      expect(draw(report, 80, false)).toMatch(/^[\x20-\x7e\n]*$/);
    expect(renderDoctorTerminal(FAULT, { width: 80, color: true, unicode: true })).toContain("\u001b[");
  });
});

describe("pictures", () => {
  const surface = makeSurface({ width: 80, color: false, unicode: true });
  const picture = (kind: EvidencePicture["kind"], x: EvidencePicture["x"], y: (number | null)[]) => ({
    kind,
    title: "a picture",
    x_label: "x",
    y_label: "y",
    x,
    series: [{ name: "one", y }],
  });

  it("draw lines from 0, with gaps, and their ends", () => {
    const [title, line, axis] = drawEvidence(picture("line", [1, 2, 3, 4], [1, null, 4, 8]), surface);
    expect([title?.trim(), line?.trim(), axis?.trim()]).toEqual([
      "a picture",
      "one             ▁ ▄█  1.00 … 8.00",
      "y; x: 1 … 4",
    ]);
  });

  it("keep a spike that shares its column with others", () => {
    const spike = Array.from({ length: 500 }, (_, at) => (at === 333 ? -9 : 0.1));
    const drawn = drawEvidence(
      picture(
        "line",
        spike.map((_, at) => at),
        spike,
      ),
      surface,
    )[1]!;
    expect(drawn).toContain("-9.00 …");
    expect(drawn.match(/▁/g)).toHaveLength(1);
  });

  it("draw a bar for each name, and say how many more there are", () => {
    const names = Array.from({ length: 11 }, (_, at) => `name ${at}`);
    const lines = drawEvidence(
      picture(
        "bars",
        names,
        names.map((_, at) => (at === 0 ? -2 : 1)),
      ),
      surface,
    );
    expect(lines).toHaveLength(10);
    expect(lines[1]!.match(/█/g)!.length).toBeGreaterThan(lines[2]!.match(/█/g)!.length);
    expect(lines[1]).toContain("-2.00");
    expect(lines.at(-1)?.trim()).toBe("y; 3 more");
  });

  it("put points where they are", () => {
    const lines = drawEvidence(picture("points", [0, 10], [0, 5]), surface).slice(1, 7);
    expect(lines[0]!.trimEnd().endsWith("·")).toBe(true);
    expect(lines[5]!.indexOf("·")).toBeLessThan(lines[0]!.indexOf("·"));
  });

  it("are charts on a page: each kind, also of nothing, with foreign names as text", () => {
    const hostile = { ...picture("bars", ["<script>", "b"], [-1, 2]), title: "<img src=x>" };
    const drawn = [
      evidenceChart(picture("line", [3, 1, 2], [-1, 2, null])),
      evidenceChart(picture("points", [0, 10], [0, 5])),
      evidenceChart(picture("bars", ["a", "b"], [1, 2])),
      evidenceChart(picture("points", [], [])),
      evidenceChart(hostile),
    ];
    for (const svg of drawn) {
      expect(svg.startsWith("<svg ")).toBe(true);
      expect(svg).not.toMatch(/NaN|Infinity|undefined|<script|<img/);
    }
    expect(drawn[1]!.match(/<circle /g)).toHaveLength(2);
    expect(drawn[2]!.match(/<rect /g)).toHaveLength(2);
    expect(drawn[4]).toContain("&lt;script&gt;");
  });

  it("show on which side of 0 a bar is", () => {
    const svg = evidenceChart(picture("bars", ["down", "up"], [-1, 3]));
    const [down, up] = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
      ([, x, width]) => [Number(x), Number(width)] as const,
    );
    // Both end at the axis, and are as long as their values.
    expect(down![0] + down![1]).toBeCloseTo(up![0], 1);
    expect(up![1] / down![1]).toBeCloseTo(3, 1);
  });
});

it("escapes what files say, in every medium", () => {
  const report: DoctorReport = {
    ...FAULT,
    run: "<b>run</b>\u001b[31m",
    causes: [{ ...FAULT.causes[0]!, title: "a <script> | `tick`\u0007" }],
  };
  const html = renderDoctorHtml(report);
  expect(html).not.toContain("<b>run");
  expect(html).not.toContain("a <script>");
  for (const control of ["\u0007", "\u001b"]) expect(draw(report)).not.toContain(control);
  expect(renderDoctorMarkdown(report)).toContain("a &lt;script&gt; \\| \\`tick\\`");
});

it("is Markdown with pictures as text and the command that repeats it", () => {
  const text = renderDoctorMarkdown(FAULT, { input: INPUT, command: "logratio doctor x" });
  expect(text.startsWith("### Diagnosis of `runs/grpo`: FAULT\n")).toBe(true);
  expect(text).toContain("- **Dropout is on in the trainer's forward pass** (87 %)\n");
  expect(text).toContain("```text\n    mean |Δ| over the response\n");
  expect(text).toContain("To repeat this:\n\n```sh\nlogratio doctor x\n```");
});

it("is a page with every picture, and says what was left out", () => {
  const html = renderDoctorHtml(FAULT, INPUT);
  expect(html.match(/<svg /g)).toHaveLength(3);
  expect(html).toContain("rollout missing");
  expect(html).not.toContain("trainer missing");
});
