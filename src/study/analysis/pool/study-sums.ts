/**
 * What is kept of a study so that its texts can be reported together with those of other studies: no more than reports
 * need.
 *
 * @module
 */
import type { KlPolicy } from "../../results/report.ts";
import type { HeadSums } from "../attention/head-sums.ts";
import type { ReportText } from "../report/report-input.ts";
import type { CheckpointSummary, TextSummary, TextUnderCheckpoints } from "../summary.ts";

export interface StudySums {
  /** Its name in the config, else its directory. */
  readonly study: string;
  readonly reference: string;
  readonly policies: ReadonlyMap<string, KlPolicy>;
  readonly vocabularySize: number | null;
  /** Tokens with mask 0. */
  readonly maskedOutTokens: number;
  /** All texts, in the study's order: a summary's `index` is a place in this list. */
  readonly texts: readonly KeptText[];
  /** In the order of the study's policies. */
  readonly checkpoints: readonly StudyCheckpoint[];
  readonly pairs: readonly SummarizedPair[];
  /** The texts that a report on this study, alone or with others, may revisit ({@link listCandidates}). */
  readonly looked: readonly TextUnderCheckpoints[];
}

export interface KeptText extends Pick<ReportText, "id" | "problem" | "source" | "correct" | "level"> {
  readonly otherResults: NonNullable<ReportText["otherResults"]>;
  /** Checksum of the prompt's token ids, which must be the same for a problem in all studies. */
  readonly prompt: number;
}

/** Largest probability of P (and of Q) in vocabulary entries that the other policy lacks. */
export interface ExcludedMass {
  readonly p: number;
  readonly q: number;
}

export interface StudyCheckpoint extends Omit<CheckpointSummary, "heads"> {
  readonly heads?: HeadSums | undefined;
  readonly excluded: ExcludedMass;
}

/** P against Q, where neither is the reference. */
export interface SummarizedPair {
  readonly p: string;
  readonly q: string;
  readonly texts: readonly TextSummary[];
  readonly excluded: ExcludedMass;
}

/**
 * Drops what no report reads: sums by token at checkpoints before the last, and the alternatives at spikes of texts
 * that will not be revisited.
 *
 * @param last name of the last checkpoint
 */
export function dropUnread(study: StudySums, last: string): StudySums {
  const looked = new Set(study.looked.map(({ index }) => index));
  const slim = (isLast: boolean) => {
    return (summary: TextSummary): TextSummary => ({
      ...summary,
      byToken: isLast ? summary.byToken : new Map(),
      spikes:
        isLast && looked.has(summary.index)
          ? summary.spikes
          : summary.spikes.map(({ dependsOn: _, ...spike }) => ({
              ...spike,
              alternatives: [],
              referenceAlternatives: [],
            })),
    });
  };
  return {
    ...study,
    checkpoints: study.checkpoints.map((one) => ({ ...one, texts: one.texts.map(slim(one.name === last)) })),
    pairs: study.pairs.map((pair) => ({ ...pair, texts: pair.texts.map(slim(false)) })),
  };
}
