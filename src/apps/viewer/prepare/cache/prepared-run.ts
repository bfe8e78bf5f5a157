import type { AlertList } from "../../../../results/alerts.ts";
import type {
  PromptMatches,
  SavedFilterChange,
  SavedFilterList,
  TermCounts,
} from "../../../../results/filters.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import type { SqlAnswer } from "../../../../results/sql.ts";
import type { StarChange, StarList } from "../../../../results/story.ts";
import type { SweepReport } from "../../../../results/sweep.ts";
import type {
  CorrectBins,
  MatchingGroups,
  MatchingTokens,
  RunInfo,
  TopTokens,
} from "../../../../results/view.ts";
import type { CorrectAnswers } from "../correct/answer.ts";
import type { Question } from "../correct/question.ts";
import type { AnswerName } from "./cache-files.ts";

/** A run that another is compared with. */
export interface OtherRun {
  readonly run: PreparedRun;
  /** JSON of a `RunComparison`. */
  readonly comparison: Uint8Array;
}

/** A run whose cache is open. Its methods do not use `this`: a comparison copies them into another object. */
export interface PreparedRun {
  readonly info: RunInfo;
  /** The cache's directory. */
  readonly directory: string;
  /** True if nothing had to be read. */
  readonly reused: boolean;
  /** False if a file that was being written could only be read in part. */
  readonly complete: boolean;
  /** Bytes of the answers that are the same for everyone; `sequences` is the table. */
  answer(name: AnswerName): Promise<Uint8Array>;
  /** Alerts raised so far: read again each time, because another process may write them. */
  alerts(): Promise<AlertList>;
  /** Changes when `alerts` does. */
  alertsStamp(): Promise<string>;
  /** Starred places: read again each time, because several viewers may show the run. */
  stars(): Promise<StarList>;
  /** The list after the change. @throws UsageError or FileSystemError if it cannot be stored */
  changeStar(change: StarChange): Promise<StarList>;
  /** Saved filters, stored like stars. */
  savedFilters(): Promise<SavedFilterList>;
  /** The list after the change. @throws UsageError or FileSystemError if it cannot be stored */
  changeFilter(change: SavedFilterChange): Promise<SavedFilterList>;
  /** The report on digits as JSON; undefined without `info.has.digits`. */
  digits(): Promise<Uint8Array | undefined>;
  /** An encoded `WireSequence`; undefined without such a sequence. */
  sequence(index: number): Promise<Uint8Array | undefined>;
  /** `SequenceBrief`s of these sequences, concatenated; undefined if there is no such sequence. */
  briefs(indexes: readonly number[]): Promise<Uint8Array | undefined>;
  /** Prompts that contain the words of a text, from the briefs. */
  prompts(text: string): Promise<PromptMatches>;
  /** The places of all sequences of this one's prompt group, ascending; undefined without such a sequence. */
  members(index: number): Promise<Uint32Array | undefined>;
  /** An encoded `WireTopK`, for as many of the tokens as exist; undefined without such a sequence. */
  topK(index: number, from: number, count: number): Promise<Uint8Array | undefined>;
  /** The effect of a correction. @throws UsageError if it cannot be applied */
  correct(question: Question): Promise<CorrectAnswers>;
  /** The result of `logratio sweep` over these steps or all; undefined if they have no tokens. */
  sweep(steps: readonly [from: number, to: number] | null): Promise<SweepReport | undefined>;
  /** The sums of `correct-bins` over steps, both included; undefined if they have no tokens. */
  bins(steps: readonly [from: number, to: number]): Promise<CorrectBins | undefined>;
  /** The report over steps, both included, and its most divergent tokens; undefined if they have no tokens. */
  reportOf(
    steps: readonly [from: number, to: number],
  ): Promise<{ readonly report: MismatchReport; readonly top: TopTokens } | undefined>;
  /** An encoded `TurnTable`. */
  turns(): Promise<Uint8Array>;
  /** An encoded `TokenMatches`. @throws UsageError if the filter cannot be parsed or does not apply to the run */
  match(filter: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The tokens themselves. @throws like `match` */
  matchTokens(filter: string, signal?: AbortSignal): Promise<MatchingTokens>;
  /** The same tokens in groups. @throws like `match` */
  matchGroups(filter: string, signal?: AbortSignal): Promise<MatchingGroups>;
  /** What each term of a filter matches alone. @throws like `match` */
  matchTerms(filter: string, signal?: AbortSignal): Promise<TermCounts>;
  /** The first rows of a query's result. @throws UsageError or LimitError if it cannot be run */
  sql(query: string, signal?: AbortSignal): Promise<SqlAnswer>;
  /** The runs that this one is compared with, and the results. */
  readonly compared?: {
    /** This run by itself. */
    readonly first: PreparedRun;
    readonly others: readonly OtherRun[];
    /** JSON of `ComparedRuns`. */
    readonly together: Uint8Array;
  };
  close(): Promise<void>;
}
