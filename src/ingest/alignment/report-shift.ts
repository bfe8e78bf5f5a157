import type { FindingLog } from "../../core/schema/index.ts";
import { formatCount, formatNumber } from "../../core/text/index.ts";
import type { Offset, ScannedShift, ShiftScan } from "./scan-shifts.ts";
import type { SourceChecks } from "./source-checks.ts";

/** Adds the finding that a different shift fits, if the scan found one. */
export function reportShift({
  findings,
  file,
  scan,
  checks: { shift, maskedTokens },
}: {
  readonly findings: FindingLog;
  readonly file: string;
  readonly scan: ShiftScan | undefined;
  readonly checks: Pick<SourceChecks, "shift" | "maskedTokens">;
}): void {
  if (scan?.found === undefined) return;
  const { found } = scan;
  const { offset } = found;
  const figures = `${compare(found)}; ${listShifts(scan)}`;
  if (typeof offset === "string") {
    const other = offset === "left" ? "right" : "left";
    findings.add({
      code: "padding-side",
      severity: "warning",
      subject: offset,
      count: maskedTokens,
      at: { file },
      likely: "one column was padded on the left and the other on the right",
      hint: "write both columns with the padding on the same side",
      describe: (count) =>
        `the trainer log-probs of ${formatCount(count)} tokens are padded on the ${offset}, the rollout's on the ${other}: ${figures}`,
    });
    return;
  }
  if (found.scope === "later") {
    findings.add({
      code: "shifted-columns",
      severity: "warning",
      subject: `later ${offset}`,
      count: maskedTokens,
      at: { file },
      likely:
        "the sides have different numbers of tokens between the turns: one tokenized the text again, or omits a token of the chat template",
      hint: "write both log-probs for one list of token ids; logratio show TOKEN prints a response with its turns",
      describe: () =>
        `the columns are shifted after the first turn: there the trainer log-probs are ${describeDistance(offset)}: ${compare(found)}`,
    });
    return;
  }
  const wanted = shift + offset;
  findings.add({
    code: "shifted-columns",
    severity: "warning",
    subject: String(offset),
    count: maskedTokens,
    at: { file },
    likely: explainShift(offset),
    hint: `try --align ${formatShift(wanted)}, or --align auto; --align none trusts the file as it is`,
    describe: (count) =>
      `the columns are shifted: the trainer log-probs of ${formatCount(count)} tokens are ${describeDistance(offset)}${shift === 0 ? "" : ` after --align ${formatShift(shift)}`}: ${figures}`,
  });
}

/** `+1`, `-2`, `0`. */
export function formatShift(shift: number): string {
  return shift > 0 ? `+${shift}` : String(shift);
}

function describeDistance(offset: number): string {
  const places = `${Math.abs(offset)} ${Math.abs(offset) === 1 ? "entry" : "entries"}`;
  return offset > 0 ? `${places} too late` : `${places} too early`;
}

function explainShift(offset: number): string {
  if (offset === 1)
    return "the trainer's column starts with an entry for <bos> or the last prompt token, or the rollout's entry t is about token t + 1";
  if (offset === -1)
    return "the trainer's entry t is about token t + 1, as logits are, or the rollout's column starts with an entry for <bos>";
  return `one column begins ${Math.abs(offset)} tokens before the other`;
}

function compare({ deltaAbs, deltaAbsInPlace, votes, stretches }: ScannedShift): string {
  return `mean |Δ| is ${formatNumber(deltaAbs)} there and ${formatNumber(deltaAbsInPlace)} in place, and ${formatCount(votes)} of ${formatCount(stretches)} stretches of tokens agree better`;
}

/** `by shift: -3 1.41, …, 0 1.46, +1 0.0003, …`. */
export function listShifts({ shifts, deltaAbs }: ShiftScan): string {
  const numbered: [Offset, number][] = shifts
    .filter(({ offset, tokens }) => typeof offset === "number" && tokens > 0)
    .map(({ offset, deltaAbs: own }) => [offset, own]);
  const all = [...numbered, [0, deltaAbs] as [Offset, number]].sort(([a], [b]) => Number(a) - Number(b));
  return `mean |Δ| by shift: ${all.map(([offset, own]) => `${formatShift(Number(offset))}: ${formatNumber(own)}`).join(", ")}`;
}
