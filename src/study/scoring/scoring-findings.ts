/**
 * Findings made while a study is scored.
 *
 * @module
 */
import type { LogratioError } from "../../core/base/index.ts";
import type { FindingLog } from "../../core/schema/index.ts";
import type { PolicyFacts } from "./policy.ts";
import type { RefusedText } from "./store/manifest.ts";
import type { DamagedScores } from "./store/scores-damage.ts";
import type { PolicySpec } from "./study-spec.ts";

export function reportDamage(findings: FindingLog, name: string, { file, why }: DamagedScores): void {
  findings.add({
    code: "note",
    severity: "warning",
    subject: `${name} damage`,
    count: 1,
    describe: (count) =>
      count === 1
        ? `scores of ${name} were lost with ${file} (${why}) and will be computed again`
        : `scores of ${name} were lost with ${count} files, the first ${file} (${why}), and will be computed again`,
    at: { file },
    likely: "the disk was full, or the file was copied incompletely, edited or removed",
  });
}

export function reportNoAttention(findings: FindingLog, name: string, { backend, notes }: PolicyFacts): void {
  const why = notes.find((note) => note.includes("attention cannot be read"));
  findings.add({
    code: "note",
    severity: "info",
    subject: `${name} attention`,
    count: 1,
    describe: () => `${name} has no attention figures`,
    at: {},
    likely: why ?? `hf: and onnx: models provide attention, not ${backend}`,
    ...(why !== undefined &&
      backend === "onnx" && {
        hint: "export the checkpoint with plain attention (opset 14 to 17, no fused operators)",
      }),
  });
}

export function reportPolicy(
  findings: FindingLog,
  { name, at }: PolicySpec,
  error: LogratioError,
  done = "scored",
): void {
  findings.add({
    code: "policy-skipped",
    severity: "skipped",
    subject: name,
    count: 1,
    describe: () => `${name} (${at}) was not ${done}: ${error.message}`,
    at: error.at,
    ...(error.likely !== undefined && { likely: error.likely }),
    ...(error.hint !== undefined && { hint: error.hint }),
  });
}

export function reportRefusals(
  findings: FindingLog,
  policy: string,
  refused: readonly RefusedText[],
  givenUp: number,
): void {
  for (const { text, reason, message, likely, hint } of refused) {
    findings.add({
      code: "text-refused",
      severity: "skipped",
      subject: `${policy} ${reason}`,
      count: 1,
      describe: (count) =>
        count === 1
          ? `${policy} has no scores of ${text}: ${message}`
          : `${policy} has no scores of ${count} texts (${reason}); the first is ${text}: ${message}`,
      at: {},
      ...(likely !== undefined && { likely }),
      ...(hint !== undefined && { hint }),
    });
  }
  if (givenUp > 0) {
    findings.add({
      code: "text-refused",
      severity: "skipped",
      subject: `${policy} given up`,
      count: givenUp,
      describe: (count) =>
        `${count} more texts were not sent to ${policy}, because its server failed several times in a row`,
      at: {},
      hint: "run the same command again when the server is back: scores so far are kept",
    });
  }
}
