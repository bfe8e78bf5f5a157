import { shellCommand } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import type { Assessment } from "../../results/assessment.ts";
import type { Fact, MismatchReport } from "../../results/report.ts";
import { inputWasSkipped } from "../assessment/left-out.ts";
import type { FactSource } from "./facts/index.ts";

/** How the run was read, so that a command can read it again. */
export interface CommandInput {
  /** As given by the user. */
  readonly paths: readonly string[];
  /** Flags that choose what is read and how, verbatim: `--rollout`, `lp_vllm`, … */
  readonly flags: readonly string[];
  /** Trainers whose figures are already included. */
  readonly compared: readonly string[];
  /** Whether something is wrong and its cause should be sought. */
  readonly isOff?: boolean;
  /** Whether there is too little data for a verdict. */
  readonly isTooFew?: boolean;
}

/** The single most useful next command, given what stands out. */
export function nextCommand(
  source: FactSource,
  facts: readonly Fact[],
  findings: readonly Finding[],
  input: CommandInput,
): MismatchReport["next"] {
  // A path given twice is counted once, so it is listed once for reading again.
  const paths = [...new Set(input.paths)];
  const next = chooseNext(source, facts, findings, { ...input, paths });
  if (!input.paths.includes("-")) return next;
  return { ...next, why: `${next.why}; - means the same input, piped in again` };
}

function chooseNext(
  source: FactSource,
  facts: readonly Fact[],
  findings: readonly Finding[],
  { paths, flags, compared, isOff = false, isTooFew = false }: CommandInput,
): MismatchReport["next"] {
  const parity = (names: readonly string[]): string[] =>
    names.length === 0 ? [] : ["--parity", names.join(",")];
  const report = (...more: string[]): string => shellCommand("report", paths, [...flags, ...more]);
  if (inputWasSkipped(findings)) {
    return {
      command: report(...parity(compared), "--explain"),
      why: "some inputs were skipped: see how each file was read",
    };
  }
  const hasMoved = findings.some(({ code }) => code === "shifted-columns");
  if (hasMoved) {
    return {
      command: shellCommand("report", paths, [
        ...withoutFlag(flags, "--align"),
        ...parity(compared),
        "--align",
        "auto",
      ]),
      why: "the same, with the trainer column shifted to where it matches the rollout column",
    };
  }
  if (findings.some(({ code }) => code === "zero-logprobs" || code === "padding-side")) {
    return {
      command: report(...parity(compared), "--explain"),
      why: "which masks were combined, and which columns exist",
    };
  }
  const [failure] = source.identity.failures;
  if (failure !== undefined) {
    return {
      command: shellCommand("doctor", paths, flags),
      why: "the log-probs fail a test that any weights must pass: see which cause explains it",
    };
  }
  if (isOff) {
    return {
      command: shellCommand("doctor", paths, flags),
      why: "the most likely causes, their evidence and their fixes",
    };
  }
  if (isTooFew) {
    return {
      command: shellCommand("show", [...paths, "worst"], withoutFlag(flags, "--filter")),
      why: "the tokens that differ most; more steps or prompts would allow a verdict",
    };
  }
  const [worst] = source.worst_tokens;
  const lead = facts.find(({ kind }) => kind === "single-token" || kind === "worst-step");
  if (lead?.kind === "single-token" && worst !== undefined) {
    return {
      command: shellCommand("show", [...paths, worst.handle], withoutFlag(flags, "--filter")),
      why: "that token in its context, with the alternatives of both policies",
    };
  }
  if (lead?.evidence !== undefined) {
    const step = lead.evidence.subject;
    const others = withoutFlag(flags, "--steps");
    return {
      command: shellCommand("report", paths, [...others, ...parity(compared), "--steps", String(step)]),
      why: `look at step ${step} alone, which stands out`,
    };
  }
  return {
    command: shellCommand("gate", paths, [...flags, "--update", "--against", "baseline.yaml"]),
    why: "nothing to do; this learns what is normal here, to be told when it changes",
  };
}

/** The command that finds a correction, if one is needed: what cannot be compared needs another remedy first. */
export function correctCommand(
  { level, comparable, correction }: Assessment,
  { paths, flags }: Pick<CommandInput, "paths" | "flags">,
): MismatchReport["correct"] {
  const isOff = level !== "none" && level !== "normal" && level !== "too_few";
  if (!isOff || !comparable.is_comparable || correction === null || correction.need === "none") return null;
  const why =
    correction.need === "few"
      ? "a correction for the few tokens that need one"
      : "a correction to train with";
  return { command: shellCommand("sweep", [...new Set(paths)], flags), why: `${why}, as a config` };
}

/** The words without this flag and its value. */
function withoutFlag(flags: readonly string[], flag: string): readonly string[] {
  const at = flags.indexOf(flag);
  return at < 0 ? flags : flags.toSpliced(at, 2);
}
