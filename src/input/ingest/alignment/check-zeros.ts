/**
 * Log-probs that are exactly 0, as engines and trainers write them where there are none (tool output, padding).
 *
 * @module
 */
import type { FindingLog, RecordBatch } from "../../../core/schema/index.ts";
import { formatCount, formatShare, plural } from "../../../core/text/index.ts";
import type { SourceChecks } from "./source-checks.ts";

/**
 * If the other side's log-prob is below this, exactly 0 is a placeholder: one side is certain of a token that the
 * other gives less than 1/e.
 */
const CERTAIN_ELSEWHERE = -1;
/** Both sides may be certain of the last few tokens of a response, but hardly of more. */
const FEWEST_TRAILING = 4;

interface Side {
  count: number;
  /** Σ|Δ| at them, nats. */
  deltaAbs: number;
  /** Those with a neighbor of the same kind. */
  inRuns: number;
}

export interface ZeroCheck {
  see(batch: RecordBatch): void;
  finish(): void;
}

export function createZeroCheck({
  findings,
  file,
  checks,
}: {
  readonly findings: FindingLog;
  readonly file: string;
  readonly checks: SourceChecks;
}): ZeroCheck {
  const sides = { rollout: newSide(), trainer: newSide() };
  let deltaAbs = 0;
  let compared = 0;
  let trailing = 0;
  let trailed = 0;

  /** Counts a token with exactly 0 on one side or both. */
  function seeZero(rollout: number, trainer: number): "rollout" | "trainer" | undefined {
    if (rollout === 0 && trainer === 0) checks.zeros.both++;
    else if (rollout === 0) checks.zeros.rollout++;
    else checks.zeros.trainer++;
    const delta = Math.abs(trainer - rollout);
    // This also skips missing values.
    if (!Number.isFinite(delta)) return undefined;
    const side =
      rollout === 0 && trainer < CERTAIN_ELSEWHERE
        ? "rollout"
        : trainer === 0 && rollout < CERTAIN_ELSEWHERE
          ? "trainer"
          : undefined;
    if (side === undefined) return undefined;
    sides[side].count++;
    sides[side].deltaAbs += delta;
    return side;
  }

  return {
    see({ rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, offsets, length }) {
      if (rollout === undefined || trainer === undefined) return;
      // Every token passes here, and few are 0: local sums keep the loop fast.
      let sum = deltaAbs;
      let finite = 0;
      for (let i = 0; i < length; i++) {
        const end = offsets[i + 1]!;
        let run = 0;
        let last: "rollout" | "trainer" | undefined;
        let isInRun = false;
        for (let t = offsets[i]!; t < end; t++) {
          if (mask[t] === 0) continue;
          const r = rollout[t]!;
          const u = trainer[t]!;
          const delta = Math.abs(u - r);
          if (delta < Number.POSITIVE_INFINITY) {
            finite++;
            sum += delta;
          }
          const side = r === 0 || u === 0 ? seeZero(r, u) : undefined;
          if (side !== undefined && side === last) {
            sides[side].inRuns += isInRun ? 1 : 2;
            isInRun = true;
          } else isInRun = false;
          last = side;
          run = r === 0 && u === 0 ? run + 1 : 0;
        }
        if (run < FEWEST_TRAILING) continue;
        trailing += run;
        trailed++;
      }
      deltaAbs = sum;
      compared += finite;
    },
    finish() {
      for (const side of ["rollout", "trainer"] as const) {
        const { count, deltaAbs: own, inRuns } = sides[side];
        // If most of the mismatch is between log-probs and placeholders, the figures describe the placeholders.
        if (2 * own <= deltaAbs || count === 0) continue;
        const share = count / compared;
        findings.add({
          code: "zero-logprobs",
          severity: "warning",
          subject: side,
          count,
          at: { file },
          likely:
            2 * inRuns > count
              ? "tool output or padding is counted as sampled: the mask is not the one that the loss used"
              : "no log-prob was returned for these tokens, and 0 was filled in",
          hint: "name the mask: --mask COLUMN; --explain lists the columns and the masks that were combined",
          describe: (total) =>
            `${plural(total, `${side} log-prob`)} (${formatShare(share)} of the tokens) ${total === 1 ? "is" : "are"} exactly 0 where the ${side === "rollout" ? "trainer" : "rollout"}'s ${total === 1 ? "is" : "are"} not; ${formatShare(own / deltaAbs)} of the total |Δ| comes from there`,
        });
      }
      if (trailing === 0 || checks.masks?.length !== 0) return;
      findings.add({
        code: "padding-counted",
        severity: "warning",
        count: trailing,
        at: { file },
        likely: "padding is counted as sampled: the file has no mask",
        hint: "name a mask: --mask COLUMN, or the attention mask: --attention COLUMN",
        describe: (total) =>
          `${plural(total, "token")} at the end of ${plural(trailed, "response")} ${total === 1 ? "is" : "are"} exactly 0 on both sides: Δ = 0 there lowers every mean (${formatCount(compared)} tokens are compared)`,
      });
    },
  };
}

function newSide(): Side {
  return { count: 0, deltaAbs: 0, inRuns: 0 };
}
