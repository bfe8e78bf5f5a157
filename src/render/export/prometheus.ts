import type { MismatchReport } from "../../results/report.ts";
import { keepNumbers, listStepScalars, PREFIX } from "./scalars.ts";

/**
 * Gauges in Prometheus' text format: every figure of the whole run, and of its last step only, since Prometheus cannot
 * hold a time series per step of every run.
 */
export function renderPrometheus(report: MismatchReport): string {
  const excluded = keepNumbers(report.excluded).map(([name, value]) => [`excluded_${name}`, value] as const);
  const samples = new Map<string, string[]>();
  const add = (name: string, part: string, value: number): void => {
    const metric = `logratio_${name}`;
    const line = `${metric}{run="${escapeLabel(report.run)}",part="${part}"} ${value}`;
    const lines = samples.get(metric);
    if (lines === undefined) samples.set(metric, [line]);
    else lines.push(line);
  };
  for (const [name, value] of [...keepNumbers(report.metrics), ...excluded]) add(name, "run", value);
  const last = report.per_step.some(({ step }) => step !== null)
    ? listStepScalars(report).steps.at(-1)
    : undefined;
  if (last !== undefined) {
    add("step", "last_step", last.step);
    for (const [name, value] of last.values) add(name.slice(PREFIX.length), "last_step", value);
  }
  return [...samples]
    .map(
      ([metric, lines]) =>
        `# HELP ${metric} ${metric.slice("logratio_".length)} of logratio report --json\n` +
        `# TYPE ${metric} gauge\n${lines.join("\n")}\n`,
    )
    .join("");
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
