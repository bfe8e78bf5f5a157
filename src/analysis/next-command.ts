import type { Fact, MismatchReport } from "../protocol/report.ts";
import type { Finding } from "../schema/findings.ts";
import type { FactSource } from "./facts.ts";

/** The one command that gets furthest from here, given what stands out and which trainers' figures are there already. */
export function nextCommand(
  source: FactSource,
  facts: readonly Fact[],
  findings: readonly Finding[],
  paths: readonly string[],
  compared: readonly string[],
): MismatchReport["next"] {
  const input = paths.map(quoteForShell).join(" ");
  const report = `logratio report ${input}`;
  if (findings.some(({ severity }) => severity === "skipped")) {
    return {
      command: `${report} --explain`,
      why: "some inputs were skipped: see what each file was read as",
    };
  }
  const [worst] = source.worst_tokens;
  const lead = facts.find(
    ({ kind }) => kind === "single-token" || kind === "worst-step" || kind === "drift",
  )?.kind;
  if (lead === "single-token" && worst !== undefined) {
    return {
      command: `logratio show ${input} ${worst.handle}`,
      why: "that token in its text, and what both policies would rather have said",
    };
  }
  if (source.metrics.steps > 1 && lead !== undefined) {
    const step = worstStepOf(source);
    if (step !== null)
      return { command: `${report} --steps ${step}`, why: `look at step ${step}, the worst, alone` };
  }
  const trainer = source.trainers.find(
    (name) => (name === "verl" || name === "xtuner") && !compared.includes(name),
  );
  if (trainer !== undefined) {
    return {
      command: `${report} --parity ${trainer}`,
      why: `compare with what ${trainer} logged, key by key`,
    };
  }
  return { command: `${report} --html report.html`, why: "the same with pictures, in one file to share" };
}

function worstStepOf({ per_step }: FactSource): number | null {
  return per_step.reduce((a, b) => (b.delta_abs_mean > a.delta_abs_mean ? b : a)).step;
}

/** As a POSIX shell needs it. */
export function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
