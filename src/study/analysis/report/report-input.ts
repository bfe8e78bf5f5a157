/**
 * The input of a report, and the view of it that all its parts share.
 *
 * @module
 */

import type { Finding } from "../../../core/schema/index.ts";
import type { KlPolicy, KlSettings } from "../../results/report.ts";
import type { Category } from "../categories/categories.ts";
import type { ErrorSpan } from "../error-span.ts";
import type { StudyText } from "../study.ts";
import type { CheckpointSummary, TextSummary, TextUnderCheckpoints } from "../summary.ts";
import { type Bootstrap, seededBootstrap } from "./bootstrap.ts";
import { byText } from "./numbers.ts";
import { groupProblems, type Problem } from "./problems.ts";

/** What a report needs of a text in addition to its summaries. A {@link StudyText} has all of it. */
export interface ReportText extends Pick<StudyText, "id" | "problem" | "source" | "correct" | "level"> {
  /** These two may be absent for texts that are not among the cases, if `otherResults` is there. */
  readonly tokens?: readonly string[];
  readonly mask?: Uint8Array;
  /** Where a text announces a result, other than at its known error; see `listOtherResults`. */
  readonly otherResults?: readonly ErrorSpan[];
}

export interface KlStudyInput {
  /** The study's name in the config, else its directory. */
  readonly study: string;
  /** Name of the reference policy. */
  readonly reference: string;
  readonly policies: Readonly<Record<string, KlPolicy>>;
  readonly settings: KlSettings;
  /** Kinds of tokens, in the order in which they are tried. */
  readonly categories: readonly Category[];
  /** All texts of the study; a summary's `index` is a place in this list. */
  readonly texts: readonly ReportText[];
  readonly vocabularySize: number | null;
  /** Tokens with mask 0, over all texts. */
  readonly maskedOutTokens: number;
  /** Each checkpoint against the reference; at least one. */
  readonly checkpoints: readonly CheckpointSummary[];
  readonly pairs: readonly PolicyPair[];
  readonly findings: readonly Finding[];
  readonly sizes?: Partial<ReportSizes>;
}

/** Two policies other than checkpoint and reference: P against Q. */
export interface PolicyPair {
  readonly p: string;
  readonly q: string;
  readonly texts: readonly TextSummary[];
}

export interface KlReportInput extends KlStudyInput {
  /** The texts that `chooseCases` named, under every checkpoint; absent ones are left out of the cases. */
  readonly cases: readonly TextUnderCheckpoints[];
  /** Whether to list every spike of every text and checkpoint (`all_spikes`); default false. */
  readonly allSpikes?: boolean | undefined;
}

/** How many items of each list the report holds. */
export interface ReportSizes {
  readonly topProblems: number;
  readonly topTokens: number;
  readonly topSpikes: number;
  readonly cases: number;
  /** Tokens before and after a spike. */
  readonly context: number;
}

export const REPORT_SIZES: ReportSizes = {
  topProblems: 10,
  topTokens: 20,
  topSpikes: 15,
  cases: 8,
  context: 12,
};

export interface Checkpoint extends CheckpointSummary {
  /** Problems with scores, by name. */
  readonly problems: readonly Problem[];
}

export interface KlStudy {
  readonly input: KlStudyInput;
  readonly sizes: ReportSizes;
  /** Baselines first, then checkpoints by step, then those without a step. */
  readonly checkpoints: readonly Checkpoint[];
  readonly bootstrap: Bootstrap;
  /** Notes once what is null or empty and why, and for which checkpoints. */
  readonly absent: (line: string, checkpoint?: string) => void;
  /** The notes, one line each, in the order in which they were first made. */
  readonly absentLines: () => string[];
}

export function viewStudy(input: KlStudyInput): KlStudy {
  const noted = new Map<string, Set<string>>();
  return {
    input,
    sizes: { ...REPORT_SIZES, ...input.sizes },
    checkpoints: [...input.checkpoints].sort(inTrainingOrder).map((checkpoint) => ({
      ...checkpoint,
      problems: groupProblems(checkpoint.texts),
    })),
    bootstrap: seededBootstrap(input.settings.bootstrap_replicates, input.settings.seed),
    absent: (line, checkpoint) => {
      const known = noted.get(line) ?? new Set();
      noted.set(line, checkpoint === undefined ? known : known.add(checkpoint));
    },
    absentLines: () =>
      [...noted].map(([line, at]) => {
        const all = at.size > 1 && at.size === input.checkpoints.length;
        return at.size === 0 ? line : `${line} (${all ? "every checkpoint" : [...at].join(", ")})`;
      }),
  };
}

type Placed = Pick<CheckpointSummary, "name" | "role" | "step">;

function inTrainingOrder(a: Placed, b: Placed): number {
  const place = (one: Placed): number => (one.role === "baseline" ? 0 : one.step === null ? 2 : 1);
  return place(a) - place(b) || (a.step ?? 0) - (b.step ?? 0) || byText(a.name, b.name);
}

/** The checkpoints of the training run, without baselines. */
export function trained(study: KlStudy): readonly Checkpoint[] {
  return study.checkpoints.filter(({ role }) => role !== "baseline");
}

/** The last checkpoint of the training run, else the last of all. */
export function lastCheckpoint(study: KlStudy): Checkpoint {
  return findLast(study.checkpoints) as Checkpoint;
}

/** Like {@link lastCheckpoint}, for checkpoints in any order; undefined if there are none. */
export function findLast<One extends Placed>(checkpoints: readonly One[]): One | undefined {
  const sorted = [...checkpoints].sort(inTrainingOrder);
  return sorted.findLast(({ role }) => role !== "baseline") ?? sorted.at(-1);
}
