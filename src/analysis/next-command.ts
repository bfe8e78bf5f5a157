import type { Fact, MismatchReport } from "../protocol/report.ts";
import type { Finding } from "../schema/findings.ts";
import type { FactSource } from "./facts.ts";

/** The one command that gets furthest from here, given what stands out. */
export function nextCommand(
  source: FactSource,
  facts: readonly Fact[],
  findings: readonly Finding[],
  paths: readonly string[],
): MismatchReport["next"] {
  const report = `logratio report ${paths.map(quote).join(" ")}`;
  if (findings.some(({ severity }) => severity === "skipped")) {
    return { command: `${report} --explain`, why: "some inputs were skipped: see what each file was read as" };
  }
  const [worst] = source.worst_tokens;
  const lead = facts[0]?.kind;
  if (source.metrics.steps > 1 && worst && worst.step !== null && (lead === "single-token" || lead === "worst-step" || lead === "drift")) {
    const step = lead === "single-token" ? worst.step : worstStepOf(source);
    return { command: `${report} --step ${step}`, why: `look at step ${step} alone` };
  }
  if (source.trainers.includes("verl") || source.trainers.includes("xtuner")) {
    const trainer = source.trainers.includes("verl") ? "verl" : "xtuner";
    return { command: `${report} --parity ${trainer}`, why: `compare with what ${trainer} logged, key by key` };
  }
  return { command: `${report} --html report.html`, why: "the same with pictures, in one file to share" };
}

function worstStepOf({ per_step }: FactSource): number | null {
  return per_step.reduce((a, b) => (b.delta_abs_mean > a.delta_abs_mean ? b : a)).step;
}

/** As a POSIX shell needs it. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
