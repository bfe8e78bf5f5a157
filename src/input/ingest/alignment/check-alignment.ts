/**
 * What the batches of one source say about their alignment, as findings.
 *
 * @module
 */
import type { FindingLog, RecordBatch } from "../../../core/schema/index.ts";
import { formatCount, plural } from "../../../core/text/index.ts";
import { createZeroCheck } from "./check-zeros.ts";
import { reportShift } from "./report-shift.ts";
import type { ShiftScanner } from "./scan-shifts.ts";
import type { SourceChecks } from "./source-checks.ts";

/** A short greedy answer may have the same log-probs on both sides; a column of this many tokens is one column. */
const FEWEST_EQUAL = 20;

export interface AlignmentCheckOptions {
  readonly findings: FindingLog;
  readonly file: string;
  /** Filled while batches are seen. */
  readonly checks: SourceChecks;
  /** Undefined: the user trusts the file (`--align none`), or looks at one column for both sides. */
  readonly scanner: ShiftScanner | undefined;
  /** One column was named for both sides on purpose. */
  readonly isOneSided: boolean;
}

export interface AlignmentCheck {
  /** A batch as it goes into figures: sentinels are missing, the trainer's column is where `--align` put it. */
  see(batch: RecordBatch): void;
  /** Reports what the whole source said. */
  finish(): void;
}

/** The response's ids and the end of prompt and response together must be the same tokens. */
function reportIds({ findings, file, checks: { ids } }: AlignmentCheckOptions): void {
  if (ids.differ === 0) return;
  findings.add({
    code: "ids-differ",
    severity: "warning",
    subject: file,
    count: ids.differ,
    at: { file },
    likely:
      "prompt and response together are padded on another side than the response, or the ids of the prompt alone",
    hint: "the response's own ids are shown; --explain lists the columns",
    describe: (count) =>
      `${formatCount(count)} of ${plural(ids.compared, "response token id")} ${count === 1 ? "differs" : "differ"} from the last columns of the ids of prompt and response together`,
  });
}

/** Looks at the batches of one source. */
export function createAlignmentCheck(options: AlignmentCheckOptions): AlignmentCheck {
  const { findings, file, checks, scanner } = options;
  const zeros = createZeroCheck(options);
  let equal = 0;
  let compared = 0;

  return {
    see(batch) {
      scanner?.add(batch);
      zeros.see(batch);
      const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask } = batch;
      // Every token passes here: counts are kept beside the loop.
      let [masked, same, both] = [0, 0, 0];
      for (let t = 0; t < mask.length; t++) {
        if (mask[t] === 0) continue;
        masked++;
        if (rollout === undefined || trainer === undefined) continue;
        const r = rollout[t]!;
        const u = trainer[t]!;
        if (r === u) same++;
        else if (!Number.isNaN(r) && !Number.isNaN(u)) both++;
      }
      checks.maskedTokens += masked;
      equal += same;
      compared += same + both;
    },
    finish() {
      checks.scan = scanner?.finish();
      checks.scanSums = scanner?.sums();
      zeros.finish();
      reportShift(options);
      reportIds(options);
      if (options.isOneSided || equal < compared || equal < FEWEST_EQUAL) return;
      findings.add({
        code: "same-columns",
        // A short file may agree bit for bit where the engines do; the verdict speaks of the run.
        severity: "info",
        count: equal,
        at: { file },
        likely:
          "one column was written as both: AReaL without the decoupled loss overwrites logprobs with the trainer's; or the engines agree bit for bit",
        hint: "compare with what the engine returned, before the trainer recomputes it; --explain lists the columns",
        describe: (count) =>
          `rollout and trainer log-probs are the same numbers at all ${formatCount(count)} tokens: Δ is 0 everywhere`,
      });
    },
  };
}
