import { describe, expect, it } from "vitest";
import { displayWidth } from "../../render/terminal/columns.ts";
import type { KlReport } from "../results/report.ts";
import { renderKlMarkdown, renderKlTerminal } from "./document.ts";
import {
  CHECKPOINTS,
  emptyKlReport,
  HOSTILE,
  hostileKlReport,
  nullKlReport,
  sampleKlReport,
} from "./sample.test-data.ts";
import { intervalMethod } from "./summary.ts";

const REPORTS: readonly (readonly [string, KlReport])[] = [
  ["whole", sampleKlReport()],
  ["null", nullKlReport()],
  ["empty", emptyKlReport()],
  ["hostile", hostileKlReport()],
  ["wide", hostileKlReport("数".repeat(50))],
];

const ESCAPE = String.fromCharCode(27);

describe.each(REPORTS)("the %s report", (name, report) => {
  it.each([60, 80, 120, 200])("keeps to %i columns", (width) => {
    for (const color of [true, false]) {
      for (const unicode of [true, false]) {
        const text = renderKlTerminal(report, { width, color, unicode });
        for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        if (!unicode && !color) expect(text).toMatch(/^[\x20-\x7e\n]*$/);
        if (!color) expect(text).not.toContain(ESCAPE);
      }
    }
  });

  it("has no NaN, no undefined and nothing that moves a cursor or reorders a line", () => {
    const texts = [
      renderKlTerminal(report, { width: 120, color: false, unicode: true }),
      renderKlMarkdown(report, { command: "logratio kl study" }),
    ];
    for (const text of texts) {
      expect(text).not.toMatch(/\bNaN\b|undefined|\[object/);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    }
    if (name === "null") for (const text of texts) expect(text).not.toMatch(/\bnull\b|n\/a/);
  });
});

describe("the first screen", () => {
  const screen = (report: KlReport, width: number): string[] =>
    renderKlTerminal(report, {
      width,
      color: false,
      unicode: true,
      sections: "summary",
      more: "logratio kl study --full",
    }).split("\n");

  it.each(REPORTS.slice(0, 3))("of the %s report fits 80 columns and 23 rows", (_, report) => {
    const lines = screen(report, 80);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    expect(lines.length - 1).toBeLessThanOrEqual(23);
  });

  it("says where, of which kind, since when, what was tested, and shows the largest spike", () => {
    const text = screen(sampleKlReport(), 100).join("\n");
    expect(text).toMatch(/^where {3}.* of the KL; by token “/m);
    expect(text).toMatch(/^kind {4}.* of the KL on .* of the tokens/m);
    expect(text).toMatch(/^since {3}half of it is there by /m);
    expect(text).toMatch(/^tests {3}/m);
    expect(text).toContain("largest spike “");
    expect(text).toMatch(/the rest +logratio kl study --full\n$/);
    expect(text).not.toContain("Methodology");
  });
});

describe("renderKlTerminal", () => {
  const options = { width: 120, color: false, unicode: true };
  const text = renderKlTerminal(sampleKlReport(), options);

  it("answers first, with what carries each answer", () => {
    const head = text.split("\n").slice(0, 23).join("\n");
    for (const { question } of sampleKlReport().answers) expect(head).toContain(question);
    expect(head).toContain("· descriptive  ");
    expect(head).toContain("△ not supported  ");
    expect(head).toContain("· not enough data  ");
    expect(head).toContain("mean KL 0.0170 ± 0.0071 nats");
  });

  it("names every checkpoint with its figures", () => {
    for (const name of CHECKPOINTS) expect(text).toMatch(new RegExp(`^  ${name} .*±`, "m"));
    expect(text).toMatch(/^ {2}rlvr_step_300 +300 +0\.0185 ± 0\.0078/m);
    expect(text).toContain("rlvr_step_300 lacks 3 texts");
    expect(text).toContain("figures are of the lower bound");
  });

  it("shows spikes with context and what both policies would say", () => {
    expect(text).toContain("45 =⟦12⟧5$");
    expect(text).toMatch(/rlvr_step_1000 +“11” 95\.5 % {2}“12” 2\.1 %/);
    expect(text).toMatch(/dpo +“12” 87\.0 % {2}“11” 9\.0 %/);
  });

  it("shows a text as a strip, and tokens by checkpoint", () => {
    expect(text).toContain("⟦a!:12⟧5$.⏎");
    expect(text).toContain("‹tool: <out>170</out>›");
    expect(text.match(/^ {4}rlvr_step_\d+ +[ ▁▂▃▄▅▆▇█?]+$/gm)).toHaveLength(5);
  });

  it("shows attention to the error beside the reference's, and KL with the error hidden", () => {
    const wide = renderKlTerminal(sampleKlReport(), { ...options, width: 250 });
    expect(wide).toMatch(
      /rlvr_step_1000 +90 +8\.\d+ % +7\.\d+ % +\+1\.21 +\+0\.\d+ to \+2\.\d+ +4\.00e-4 +yes/,
    );
    expect(wide).toMatch(/11\.3: 61\.3 %, 50\.2 %/);
    expect(wide).toMatch(/rlvr_step_1000 +74 +0\.0181 +0\.00920 +0\.0178 +-0\.00890 +-0\.0120 to -0\.0060/);
    const [, hidden = ""] = wide.split("KL after the error with the error hidden\n");
    expect(hidden.slice(0, hidden.indexOf("\n\n"))).not.toContain("rlvr_step_100 ");
  });

  it("shows what the KL behind the error depends on, and what came of continuing", () => {
    const wide = renderKlTerminal(sampleKlReport(), { ...options, width: 250 });
    expect(wide).toMatch(
      /rlvr_step_1000 +90 +201 +23\.1 % +8\.4 % +3\.1 % +\+14\.7 +\+12\.0 to \+17\.0 +4\.00e-4 +yes +\+0\.143/,
    );
    expect(wide).toMatch(
      /rlvr_step_1000 +from after the first error +90 +360 +43\.0 % +62\.0 % +11\.0 % +\+51\.0 +\+44\.0 to \+58\.0 /,
    );
    expect(wide).toContain("depends on      “ =” at 40 31.8 %  “55” of the prompt -15.5 %");
    expect(wide).toContain("From after the first error (48 tokens forced)");
    expect(wide).toContain("dpo: 0 of 4 right, 1 without an answer; rlvr_step_1000: 3 of 4 right");
    expect(wide).toContain("rlvr_step_1000 wrote: “5$. Wait, 170 - 55 = 115. #### 115”");
  });

  it("says what the tests, the caveats and the gaps are", () => {
    expect(text).toMatch(/rlvr_step_100 +rlvr_step_200 .* 1\.90e-11 +yes/);
    expect(text).toContain("Teacher forcing asks");
    expect(text).toContain("correlation with difficulty: no problem has a level");
    expect(text).toContain("3 texts are longer than the context of rlvr_step_300");
  });

  it("writes what is not known as a dash, never as 0", () => {
    const row = (report: KlReport) =>
      renderKlTerminal(report, options)
        .split("\n")
        .find((line) => line.startsWith("  rlvr_step_100 "));
    expect(row(nullKlReport())).toMatch(/^ {2}rlvr_step_100 +– +– +– +14\.9 +– +1,787 +–/);
    const bare = renderKlTerminal(emptyKlReport(), options);
    expect(bare).toContain("mean KL –");
    expect(bare).not.toContain("Progression");
    expect(bare).not.toContain("Largest spikes");
  });
});

describe("follow-ups in Markdown", () => {
  const text = renderKlMarkdown(sampleKlReport());

  it("stand beside the spikes and under the cases", () => {
    expect(text).toMatch(/\| depends on +\|/);
    expect(text).toMatch(/“ =” at 40 31\.8 %, “55” of the prompt -15\.5 %/);
    expect(text).toMatch(
      /\*\*From after the first error \(48 tokens forced\):\*\* dpo: 0 of 4 right, 1 without an answer; .* 3 of 4 right/,
    );
    expect(text).toContain("Wait, 170 - 55 = 115. #### 115");
  });

  it("have no column where nobody asked for gradients", () => {
    const report = sampleKlReport();
    const without = report.top_spikes.map((spike) => ({ ...spike, depends_on: null }));
    const cases = report.cases.map((one) => ({
      ...one,
      continuations: [],
      spikes: one.spikes.map((spike) => ({ ...spike, depends_on: null })),
    }));
    const plain = renderKlMarkdown({ ...report, top_spikes: without, cases });
    expect(plain).not.toContain("depends on |");
    expect(plain).not.toContain("tokens forced");
  });
});

describe("renderKlMarkdown", () => {
  const command = "logratio kl runs/kl-study --markdown";
  const text = renderKlMarkdown(sampleKlReport(), { command });

  it("has the published analysis's sections in its order", () => {
    const heads = [...text.replaceAll(/^```text\n[\s\S]*?\n```$/gm, "").matchAll(/^#### (.+)$/gm)].map(
      ([, head]) => head,
    );
    expect(heads).toEqual([
      "Checkpoint comparison",
      "Training progression",
      "Token categories",
      "Spikes",
      "Correctness",
      "Statistical tests",
      "Case studies",
      "Methodology",
      "Limitations",
      "Left out",
    ]);
    for (const title of [
      "Turning points",
      "Spike distribution at",
      "Problems with most spikes",
      "Problems with the highest mean KL",
      "The first error and the spikes",
      "Attention to the first error",
      "KL after the error with the error hidden",
    ])
      expect(text).toContain(`**${title}`);
    expect(text).toContain(command);
  });

  it("has tables whose rows all have as many cells as their head", () => {
    for (const report of [sampleKlReport(), hostileKlReport()]) {
      const lines = renderKlMarkdown(report).split("\n");
      let cells = 0;
      let fenced = false;
      for (const line of lines) {
        if (/^`{3,}/.test(line)) fenced = !fenced;
        if (fenced) continue;
        if (!line.startsWith("| ")) {
          cells = 0;
          continue;
        }
        const own = line.replaceAll("\\|", "").split("|").length;
        if (cells > 0) expect(own, line).toBe(cells);
        cells = own;
      }
    }
  });

  it("lets no foreign text become markup", () => {
    const hostile = renderKlMarkdown(hostileKlReport());
    const outside = hostile
      .replaceAll(/^(`{3,})\w*\n[\s\S]*?\n\1$/gm, "")
      .replaceAll(/(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, "");
    expect(outside).not.toContain("<script");
    expect(outside).not.toContain("<img");
    expect(hostile).not.toContain(HOSTILE);
  });

  it("leaves out sections without content", () => {
    const bare = renderKlMarkdown(emptyKlReport());
    expect(bare).not.toContain("#### Case studies");
    expect(bare).not.toContain("#### Statistical tests");
    expect(bare).toContain("#### Checkpoint comparison");
  });
});

it.each([
  [5, "none: 5 problems, and fewer than 6 say almost nothing about others"],
  [
    30,
    "95 %, the wider of Student's t and the studentized bootstrap (2,000 bootstrap samples of problems, seed 42); none over fewer than 6",
  ],
])("names the intervals that %d problems have", (problems, text) => {
  const { settings, checkpoints } = sampleKlReport();
  const [name, figures] = Object.entries(checkpoints)[0]!;
  const report = { settings: { ...settings, seed: 42 }, checkpoints: { [name]: { ...figures, problems } } };
  expect(intervalMethod(report)).toBe(text);
});
