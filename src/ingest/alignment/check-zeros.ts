/**
 * Log-probs of exactly 0, which engines and trainers write where they have none (tool output, padding).
 *
 * @module
 */
import { type OrdinaryLogprobs, scanLogprobs } from "../../core/kernels/index.ts";
import type { FindingLog, RecordBatch } from "../../core/schema/index.ts";
import { formatCount, formatShare, plural } from "../../core/text/index.ts";
import { CERTAIN_ELSEWHERE, LOWEST } from "../odd-values.ts";
import type { SourceChecks } from "./source-checks.ts";

/** Both sides may be certain of the last few tokens of a response, but hardly of more. */
const FEWEST_TRAILING = 4;

type SideName = "rollout" | "trainer";

interface Side {
  count: number;
  /** Σ|Δ| at them, nats. */
  deltaAbs: number;
  /** Those with a neighbor of the same kind. */
  inRuns: number;
}

export interface ZeroCheck {
  /** Defined where all log-probs of both sides are ordinary; nothing then needs to look at them one by one. */
  scan(batch: RecordBatch): OrdinaryLogprobs | undefined;
  /** @param ordinary what {@link scan} returned for this batch */
  see(batch: RecordBatch, ordinary?: OrdinaryLogprobs): void;
  finish(): void;
}

interface ZeroCheckOptions {
  readonly findings: FindingLog;
  readonly file: string;
  readonly checks: SourceChecks;
}

export function createZeroCheck(options: ZeroCheckOptions): ZeroCheck {
  return new ZeroSums(options);
}

/**
 * Two readings of zeros over the tokens of a file, added up batch by batch:
 *
 * ```
 *  rollout   -0.3   0      0     -1.2    0    0    0    0
 *  trainer   -0.4  -2.1   -3.0   -1.3    0    0    0    0
 *                  └────┬─────┘          └──────┬──────┘
 *        on one side, where the other     on both, at the end of a response:
 *        is far from certain: log-probs   padding that is counted
 *        that were filled in
 * ```
 */
class ZeroSums implements ZeroCheck {
  readonly #options: ZeroCheckOptions;
  readonly #sides: Readonly<Record<SideName, Side>> = { rollout: newSide(), trainer: newSide() };
  /** Σ|Δ| over all tokens, nats, and the number of tokens that have one. */
  #deltaAbs = 0;
  #compared = 0;
  /** Tokens at the end of responses that are 0 on both sides, and the number of such responses. */
  #trailing = 0;
  #trailed = 0;

  constructor(options: ZeroCheckOptions) {
    this.#options = options;
  }

  scan({
    rolloutLogprobs: rollout,
    trainerLogprobs: trainer,
    responseMask: mask,
  }: RecordBatch): OrdinaryLogprobs | undefined {
    if (rollout === undefined || trainer === undefined) return undefined;
    const thresholds = { lowest: LOWEST, certain: CERTAIN_ELSEWHERE };
    return scanLogprobs({ rollout, trainer, mask }, { ...thresholds, deltaAbs: this.#deltaAbs });
  }

  see(batch: RecordBatch, ordinary?: OrdinaryLogprobs): void {
    if (ordinary === undefined) this.#seeTokens(batch);
    else this.#seeOrdinary(batch, ordinary);
  }

  #seeOrdinary(
    { rolloutLogprobs, trainerLogprobs, responseMask: mask, offsets, length }: RecordBatch,
    { masked, zeros, deltaAbs }: OrdinaryLogprobs,
  ): void {
    const known = this.#options.checks.zeros;
    for (const side of ["rollout", "trainer", "both"] as const) known[side] += zeros[side];
    this.#deltaAbs = deltaAbs;
    this.#compared += masked;
    for (let i = 0; zeros.both > 0 && i < length; i++) {
      let run = 0;
      for (let t = offsets[i + 1]! - 1; t >= offsets[i]!; t--) {
        if (mask[t] === 0) continue;
        if (rolloutLogprobs![t] !== 0 || trainerLogprobs![t] !== 0) break;
        run++;
      }
      this.#addTrailing(run);
    }
  }

  #addTrailing(run: number): void {
    if (run < FEWEST_TRAILING) return;
    this.#trailing += run;
    this.#trailed++;
  }

  #seeTokens({
    rolloutLogprobs: rollout,
    trainerLogprobs: trainer,
    responseMask: mask,
    offsets,
    length,
  }: RecordBatch): void {
    if (rollout === undefined || trainer === undefined) return;
    // Every token passes here, and few are 0: local sums keep the loop fast.
    let sum = this.#deltaAbs;
    let finite = 0;
    for (let i = 0; i < length; i++) {
      const end = offsets[i + 1]!;
      let run = 0;
      let last: SideName | undefined;
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
        const side = r === 0 || u === 0 ? this.#seeZero(r, u) : undefined;
        if (side !== undefined && side === last) {
          // The second of a run also counts the first.
          this.#sides[side].inRuns += isInRun ? 1 : 2;
          isInRun = true;
        } else isInRun = false;
        last = side;
        run = r === 0 && u === 0 ? run + 1 : 0;
      }
      this.#addTrailing(run);
    }
    this.#deltaAbs = sum;
    this.#compared += finite;
  }

  finish(): void {
    for (const side of ["rollout", "trainer"] as const) this.#reportSide(side);
    // With a mask, somebody chose to count the zeros at the end.
    if (this.#trailing > 0 && this.#options.checks.masks?.length === 0) this.#reportPadding();
  }

  /** Counts a token with exactly 0 on one side or both; returns the side on which it is a placeholder. */
  #seeZero(rollout: number, trainer: number): SideName | undefined {
    const { zeros } = this.#options.checks;
    if (rollout === 0 && trainer === 0) zeros.both++;
    else if (rollout === 0) zeros.rollout++;
    else zeros.trainer++;
    const delta = Math.abs(trainer - rollout);
    // This also skips missing values.
    if (!Number.isFinite(delta)) return undefined;
    const name = findPlaceholder(rollout, trainer);
    if (name === undefined) return undefined;
    const side = this.#sides[name];
    side.count++;
    side.deltaAbs += delta;
    return name;
  }

  #reportSide(side: SideName): void {
    const { count, deltaAbs: own, inRuns } = this.#sides[side];
    const all = this.#deltaAbs;
    // If most of the mismatch is between log-probs and placeholders, the figures describe the placeholders.
    if (2 * own <= all || count === 0) return;
    const share = count / this.#compared;
    const { findings, file } = this.#options;
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
        `${plural(total, `${side} log-prob`)} (${formatShare(share)} of the tokens) ${total === 1 ? "is" : "are"} exactly 0 where the ${side === "rollout" ? "trainer" : "rollout"}'s ${total === 1 ? "is" : "are"} not; ${formatShare(own / all)} of the total |Δ| comes from there`,
    });
  }

  #reportPadding(): void {
    const trailed = this.#trailed;
    const compared = this.#compared;
    const { findings, file } = this.#options;
    findings.add({
      code: "padding-counted",
      severity: "warning",
      count: this.#trailing,
      at: { file },
      likely: "padding is counted as sampled: the file has no mask",
      hint: "name a mask: --mask COLUMN, or the attention mask: --attention COLUMN",
      describe: (total) =>
        `${plural(total, "token")} at the end of ${plural(trailed, "response")} ${total === 1 ? "is" : "are"} exactly 0 on both sides: Δ = 0 there lowers every mean (${formatCount(compared)} tokens are compared)`,
    });
  }
}

function findPlaceholder(rollout: number, trainer: number): SideName | undefined {
  if (rollout === 0 && trainer < CERTAIN_ELSEWHERE) return "rollout";
  return trainer === 0 && rollout < CERTAIN_ELSEWHERE ? "trainer" : undefined;
}

function newSide(): Side {
  return { count: 0, deltaAbs: 0, inRuns: 0 };
}
