/**
 * One policy alone: how sure it was of what it sampled, where, and which sequences it was least sure of.
 * Comparisons of two policies belong in `report`.
 *
 * @module
 */
import { type LogratioError, shellCommand } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import { type NextStep, POLICY_SCHEMA_VERSION, type PolicyReport } from "../../results/policy.ts";
import type { SourceSummary } from "../../results/report.ts";
import type { PolicyRunResult } from "./policy-run.ts";

export interface PolicyReportInput {
  readonly run: string;
  readonly result: PolicyRunResult;
  /** Why the files cannot be compared: what they are, which side is missing, which option to enable. */
  readonly error: LogratioError;
  /** What the files are, if their adapter has a name for it. */
  readonly what?: string | undefined;
  /** The paths as given by the user, and the flags that choose what is read, for the suggested commands. */
  readonly paths: readonly string[];
  readonly flags: readonly string[];
  readonly findings: readonly Finding[];
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
}

/** The report of one policy. */
export function buildPolicyReport(input: PolicyReportInput): PolicyReport {
  const { sequencesByFile, hasNumberTexts: _, ...figures } = input.result;
  const { sources, error } = input;
  return {
    schemaVersion: POLICY_SCHEMA_VERSION,
    kind: "report",
    run: input.run,
    what:
      input.what?.replace(/^an? /, "") ??
      [...new Set(sources.map(({ trainer, format }) => `${trainer} ${format}`))].join(", "),
    trainers: [...new Set(sources.map(({ trainer }) => trainer))],
    missing: {
      side: figures.policies === "rollout" ? "trainer" : "rollout",
      message: error.message,
      likely: error.likely ?? null,
      hint: error.hint ?? null,
    },
    ...figures,
    next: chooseNext(input),
    findings: input.findings,
    sources: sources.map((source) => ({ ...source, sequences: sequencesByFile.get(source.file) ?? 0 })),
  };
}

function chooseNext(input: PolicyReportInput): NextStep[] {
  const { result, paths, flags } = input;
  // Piped input is consumed: a command that reads it again would wait for more.
  if (paths.includes("-")) return [];
  const [token] = result.unlikely_tokens;
  const at = flags.indexOf("--filter");
  const others = at < 0 ? flags : [...flags.slice(0, at), ...flags.slice(at + 2)];
  return [
    ...(token === undefined
      ? []
      : [
          {
            command: shellCommand("show", [...paths, token.handle], others),
            why: "the token that the policy was least sure of, in its text",
          },
        ]),
    ...chooseDigits(input, others),
    { command: shellCommand("view", paths, others), why: "every sequence, token by token, in a browser" },
  ];
}

/**
 * The command for digits, if it is known to find some. Files of digits alone and tokens with texts need no tokenizer.
 * Server replies come without one, and rarely contain digits, so a command for them would mostly fail.
 */
function chooseDigits({ result, paths, sources }: PolicyReportInput, flags: readonly string[]): NextStep[] {
  const why = "how sure the policy is of the digits";
  if (result.hasNumberTexts || sources.every(({ trainer }) => trainer === "ntl"))
    return [{ command: shellCommand("digits", paths, flags), why }];
  if (sources.every(({ trainer }) => trainer === "servers")) return [];
  return [{ command: shellCommand("digits", paths, [...flags, "--tokenizer", "MODEL_DIR"]), why }];
}
