import { describe, expect, it } from "vitest";
import { buildSweep } from "../../analyses/sweep/build-sweep.ts";
import { defaultGrid } from "../../analyses/sweep/grid.ts";
import { randomBatch } from "../../analyses/sweep/random.test-data.ts";
import { Sweep } from "../../analyses/sweep/sweep.ts";
import type { SourceSummary } from "../../results/report.ts";
import type { SweepReport } from "../../results/sweep.ts";
import { PRESETS, presetNamed } from "../../trainers/presets.ts";
import { renderSweepTerminal, type TerminalSweepOptions } from "./document.ts";

/** A sweep over files that this trainer wrote. */
function makeReport(
  trainer: string,
  { choose, presets = PRESETS }: Partial<Parameters<typeof buildSweep>[0]> = {},
) {
  const sweep = new Sweep(defaultGrid());
  for (const step of [1, 2]) sweep.add(randomBatch(step, 30, step));
  const sources = [{ file: "a.npz", trainer } as SourceSummary];
  return buildSweep({ run: "run", sweep, presets, findings: [], sources, ...(choose && { choose }) });
}

function draw(report: SweepReport, more: Partial<TerminalSweepOptions> = {}): string {
  const options = { width: 80, height: 60, color: false, unicode: true, sections: "summary" } as const;
  return renderSweepTerminal(report, { ...options, more: "logratio sweep x --full", ...more });
}

/** The titles of presets whose config is printed. */
const listConfigs = (text: string): string[] =>
  ["logratio", ...PRESETS.map(({ name }) => name)].filter((name) =>
    new RegExp(`^  ${name}  `, "m").test(text),
  );

describe("the first screen of a sweep", () => {
  it("is the recommendation, why, rows of the front, one config, and the command for the rest", () => {
    const report = makeReport("verl");
    const text = draw(report);
    for (const reason of report.recommendation.reasons.slice(0, 2))
      expect(text.replace(/\s+/g, " ")).toContain(reason);
    expect(text).toContain("Corrections, 4 of 84");
    expect(text).toMatch(new RegExp(`>\\*? +${report.recommendation.name}`));
    expect(text).not.toMatch(/Who is dropped|Product ratios|not tried/);
    expect(text.trimEnd().split("\n").at(-1)).toBe("the rest   logratio sweep x --full");
    expect(text.split("\n").length).toBeLessThan(45);
  });

  it("of a small terminal is the recommendation and its config", () => {
    const report = makeReport("verl", { choose: "token-tis 2" });
    const text = draw(report, { height: 24 });
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(23);
    expect(text).toContain(report.recommendation.name);
    expect(text).toContain("rollout_is_threshold: 2");
    expect(text).not.toMatch(/Corrections, |others/);
    // Requested rows are shown at any height.
    expect(draw(report, { height: 24, rows: 9 })).toContain("Corrections, 9 of 84");
  });

  it("has the config of the trainer that wrote the files, and names the others that can do it", () => {
    for (const trainer of ["verl", "nemo-rl", "slime"]) {
      const report = makeReport(trainer, { choose: "token-tis 2" });
      const text = draw(report);
      expect(listConfigs(text)).toEqual([trainer]);
      const others = report.configs.map(({ preset }) => preset).filter((preset) => preset !== trainer);
      expect(text.replace(/\s+/g, " ")).toContain(`others --for NAME: ${others.join(", ")}`);
    }
  });

  it("has the correction as a flag where the trainer is unknown, or cannot do it: then it says why", () => {
    expect(listConfigs(draw(makeReport("record", { choose: "token-tis 2" })))).toEqual(["logratio"]);
    const report = makeReport("nemo-rl", { choose: "geo-rs 0.99-1.01" });
    const why = report.inexpressible.find(({ preset }) => preset === "nemo-rl")!.why;
    const text = draw(report);
    expect(listConfigs(text)).toEqual(["logratio"]);
    expect(text).toContain(`nemo-rl  ${why}`);
    expect(text).toContain("--correction mask:sequence.mean.ratio:0.99..1.01");
  });

  it("has all configs of the trainers that were named", () => {
    const presets = ["slime", "trl", "xtuner"].map(presetNamed);
    const text = draw(makeReport("verl", { choose: "token-tis 2", presets }), { isForNamed: true });
    expect(listConfigs(text).sort()).toEqual(["slime", "trl", "xtuner"]);
    expect(text).not.toContain("others");
  });

  it("shows the rows that were asked for", () => {
    expect(draw(makeReport("verl"), { rows: 9 })).toContain("Corrections, 9 of 84");
    expect(draw(makeReport("verl"), { rows: "all" })).toMatch(/^Corrections {2}no room|^Corrections$/m);
  });
});

it("leaves nothing out where all is asked for", () => {
  const report = makeReport("verl", { choose: "token-tis 2" });
  const text = draw(report, { sections: "all" });
  expect(listConfigs(text)).toEqual(["logratio", ...report.configs.map(({ preset }) => preset)]);
  expect(text).toMatch(/Product ratios/);
  expect(text).not.toContain("the rest");
});
