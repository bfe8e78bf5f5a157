/**
 * What is missing from the figures: the one count behind the "left out" line, the verdict's first line, `left_out` of
 * `--json` and the exit status.
 *
 * @module
 */

import type { Finding, OmissionReason } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { ExcludedTokens, LeftOut } from "../../results/report.ts";

/** Whether input that should have been read was skipped: exit status 4. */
export function inputWasSkipped(findings: readonly Pick<Finding, "severity">[]): boolean {
  return findings.some(({ severity }) => severity === "skipped");
}

/** Tokens without a figure, then what findings left out, in the order they were noticed; empty if nothing was. */
export function listLeftOut(findings: readonly Finding[], excluded: ExcludedTokens): LeftOut[] {
  const tokens = (count: number, what: string): LeftOut[] => {
    if (count === 0) return [];
    const named = `${plural(count, "token")} ${what}`;
    return [{ what: named, count, unit: "token", why: "unreadable", severity: "warning" }];
  };
  return [
    ...tokens(excluded.missing, "without a log-prob"),
    ...tokens(excluded.delta_negative_infinite, "with Δ = −∞"),
    ...tokens(excluded.delta_positive_infinite, "with Δ = +∞"),
    ...findings.flatMap(({ omits, severity, message, count, at: { file } }): LeftOut[] => {
      if (omits === undefined && severity !== "skipped") return [];
      return [
        {
          what: message,
          count,
          ...(omits ?? { unit: "input", why: "unreadable" }),
          severity,
          ...(file === undefined ? {} : { file }),
        },
      ];
    }),
  ];
}

/** Reasons that mean lost data; the others are counted elsewhere, were empty, or were left out by request. */
const LOST: ReadonlySet<OmissionReason> = new Set<OmissionReason>(["unreadable", "incomparable"]);

/** How much of one kind of data is in the figures, and how much was lost. */
export interface Kept {
  readonly unit: "token" | "sequence" | "file";
  readonly kept: number;
  readonly dropped: number;
}

/** Shares lost of tokens, sequences and files, the largest first. */
export function droppedShares(
  leftOut: readonly LeftOut[],
  kept: Readonly<Record<Kept["unit"], number>>,
): Kept[] {
  return (["token", "sequence", "file"] as const)
    .map((unit) => ({
      unit,
      kept: kept[unit],
      dropped: leftOut.reduce(
        (sum, part) => sum + (part.unit === unit && LOST.has(part.why) ? part.count : 0),
        0,
      ),
    }))
    .filter(({ dropped }) => dropped > 0)
    .sort((a, b) => b.dropped / (b.dropped + b.kept) - a.dropped / (a.dropped + a.kept));
}
