/** docs/metrics.md: the names, labels, units and meanings of figures are those of their entries, and none is left out. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RUN_METRICS, type RunMetric, STEP_ONLY_METRICS } from "../../src/results/metrics/run-metrics.ts";

const page = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
const metrics: Readonly<Record<string, RunMetric>> = { ...RUN_METRICS, ...STEP_ONLY_METRICS };

const escapeBars = (text: string) => text.replaceAll("|", "\\|");

function rowOf(key: string): string {
  const { label, unit, worse = "–", mean, hasInterval, meaning } = metrics[key]!;
  const interval = mean || hasInterval ? "yes" : "–";
  return `| \`${key}\` | ${escapeBars(label)} | ${unit || "–"} | ${worse} | ${interval} | ${escapeBars(meaning)} |`;
}

/** Names of the table of formulas, where `_p99` stands for the name before it with another end. */
function namesWithFormula(): string[] {
  const cells = [...page.split("## ")[0]!.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell!);
  return cells.flatMap((cell) => {
    const [first = "", ...others] = [...cell.matchAll(/`([\w.*]+)`/g)].map(([, name]) => name!);
    return [first, ...others.map((name) => (name.startsWith("_") ? first.replace(/_[^_]+$/, name) : name))];
  });
}

describe("docs/metrics.md", () => {
  it("lists every figure as its entry has it", () => {
    const table = /## All names\n[\s\S]*?\n((?:\|.*\n)+)/.exec(page)![1]!;
    const head = ["| name | label | unit | worse | interval | what it is |", "|---|---|---|---|---|---|"];
    expect(table.trim().split("\n")).toEqual([...head, ...Object.keys(metrics).map(rowOf)]);
  });

  it("has a formula of every figure of the report that is no plain count", () => {
    const figures = Object.keys(RUN_METRICS).filter((key) => !metrics[key]!.isAmount);
    const names = namesWithFormula();
    expect(names).toEqual(expect.arrayContaining(figures));
    expect(
      names.filter(
        (name) => /^(delta|k\d|chi2|ratio|prob|cata|ess$|pearson)/.test(name) && !(name in metrics),
      ),
    ).toEqual([]);
  });
});
