/**
 * Findings about the alignment of one source's batches.
 *
 * @module
 */
import type { FloatArray } from "../../core/base/index.ts";
import type { OrdinaryLogprobs } from "../../core/kernels/index.ts";
import type { FindingLog, RecordBatch } from "../../core/schema/index.ts";
import { formatCount, plural } from "../../core/text/index.ts";
import { createZeroCheck } from "./check-zeros.ts";
import { reportShift } from "./report-shift.ts";
import type { ShiftScanner } from "./scan-shifts.ts";
import type { SourceChecks } from "./source-checks.ts";

/**
 * A short greedy answer may have the same log-probs on both sides; with this many equal tokens, one column was written
 * twice.
 */
const FEWEST_EQUAL = 20;

export interface AlignmentCheckOptions {
  readonly findings: FindingLog;
  readonly file: string;
  /** Filled as batches come in. */
  readonly checks: SourceChecks;
  /** Undefined when the user trusts the file (`--align none`), or named one column for both sides. */
  readonly scanner: ShiftScanner | undefined;
  /** One column was named for both sides on purpose. */
  readonly isOneSided: boolean;
}

export interface AlignmentCheck {
  /** What is known of a batch if all its log-probs are ordinary; call it before anything else reads the batch. */
  scan(batch: RecordBatch): OrdinaryLogprobs | undefined;
  /**
   * Takes a batch as the figures will see it: without sentinels, and with the trainer's column moved by `--align`.
   *
   * @param ordinary what {@link scan} said of this batch
   */
  see(batch: RecordBatch, ordinary?: OrdinaryLogprobs): void;
  /** Reports on the whole source. */
  finish(): void;
}

/** The response's ids must equal the end of the prompt and response ids. */
function reportIds({ findings, file, checks: { ids } }: AlignmentCheckOptions): void {
  if (ids.differ === 0) return;
  findings.add({
    code: "ids-differ",
    severity: "warning",
    subject: file,
    count: ids.differ,
    at: { file },
    likely:
      "the prompt and response ids are padded on the opposite side from the response ids, or hold only the prompt",
    hint: "check the columns with --explain; the response's own ids are used",
    describe: (count) =>
      `${formatCount(count)} of ${plural(ids.compared, "response token id")} ${count === 1 ? "differs" : "differ"} from the end of the prompt and response ids`,
  });
}

export function countOnes(mask: Uint8Array): number {
  let ones = 0;
  for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) ones++;
  return ones;
}

interface Pairs {
  /** Tokens with mask 1; of these, those with equal values on both sides, and those with a value on both. */
  readonly masked: number;
  readonly same: number;
  readonly compared: number;
}

function countPairs(
  { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask }: RecordBatch,
  ordinary: OrdinaryLogprobs | undefined,
): Pairs {
  if (ordinary !== undefined) return { ...ordinary, compared: ordinary.masked };
  if (rollout === undefined || trainer === undefined)
    return { masked: countOnes(mask), same: 0, compared: 0 };
  return comparePairs(rollout, trainer, mask);
}

/** May run over every token: with only numbers in the loop it stays fast. */
function comparePairs(rollout: FloatArray, trainer: FloatArray, mask: Uint8Array): Pairs {
  let [masked, same, different] = [0, 0, 0];
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue;
    masked++;
    const r = rollout[t]!;
    const u = trainer[t]!;
    // NaN, a missing value, fails every comparison.
    if (r < u || r > u) different++;
    else if (r === u) same++;
  }
  return { masked, same, compared: same + different };
}

/** Checks the batches of one source. */
export function createAlignmentCheck(options: AlignmentCheckOptions): AlignmentCheck {
  const { findings, file, checks, scanner } = options;
  const zeros = createZeroCheck(options);
  let equal = 0;
  let compared = 0;

  return {
    scan: (batch) => zeros.scan(batch),
    see(batch, ordinary) {
      scanner?.add(batch);
      zeros.see(batch, ordinary);
      const counted = countPairs(batch, ordinary);
      checks.maskedTokens += counted.masked;
      equal += counted.same;
      compared += counted.compared;
    },
    finish() {
      checks.scanSums = scanner?.sums();
      zeros.finish();
      reportShift({ findings, file, checks, scan: scanner?.finish() });
      reportIds(options);
      if (options.isOneSided || equal < compared || equal < FEWEST_EQUAL) return;
      findings.add({
        code: "same-columns",
        // Engines may agree bit for bit over a short file; this finding is about the whole run.
        severity: "info",
        count: equal,
        at: { file },
        likely:
          "one column was written for both sides (AReaL without decoupled loss overwrites logprobs with the trainer's), or the engines agree bit for bit",
        hint: "compare with what the engine returned before the trainer recomputed it; --explain lists the columns",
        describe: (count) =>
          `rollout and trainer log-probs are identical at all ${formatCount(count)} tokens: Δ is 0 everywhere`,
      });
    },
  };
}
