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
  /** False when a file that was being written could be read in part only. */
  readonly complete: boolean;
  /** Bytes of the answers that are the same for everyone; `sequences` is the table. */
  answer(name: AnswerName): Promise<Uint8Array>;
  /** Raised so far: read again each time, since another process may write them. */
  alerts(): Promise<AlertList>;
  /** Changes when `alerts` does. */
  alertsStamp(): Promise<string>;
  /** Starred places: read again each time, since several viewers may show the run. */
  stars(): Promise<StarList>;
  /** The list after the change. @throws UsageError or FileSystemError where it cannot be kept */
  changeStar(change: StarChange): Promise<StarList>;
  /** Saved filters, kept as stars are. */
  savedFilters(): Promise<SavedFilterList>;
  /** The list after the change. @throws UsageError or FileSystemError where it cannot be kept */
  changeFilter(change: SavedFilterChange): Promise<SavedFilterList>;
  /** The report on digits as JSON; undefined without `info.has.digits`. */
  digits(): Promise<Uint8Array | undefined>;
  /** An encoded `WireSequence`; undefined without such a sequence. */
  sequence(index: number): Promise<Uint8Array | undefined>;
  /** `SequenceBrief`s of these sequences, one after the other; undefined where there is no such sequence. */
  briefs(indexes: readonly number[]): Promise<Uint8Array | undefined>;
  /** Prompts that contain the words of a text, as briefs have them. */
  prompts(text: string): Promise<PromptMatches>;
  /** The places of all sequences of this one's prompt group, ascending; undefined without such a sequence. */
  members(index: number): Promise<Uint32Array | undefined>;
  /** An encoded `WireTopK`, of as many of the tokens as there are; undefined without such a sequence. */
  topK(index: number, from: number, count: number): Promise<Uint8Array | undefined>;
  /** What a correction does. @throws UsageError where it cannot be applied */
  correct(question: Question): Promise<CorrectAnswers>;
  /** What `logratio sweep` says, over these steps or all; undefined where no token is in them. */
  sweep(steps: readonly [from: number, to: number] | null): Promise<SweepReport | undefined>;
  /** The sums of `correct-bins` over steps, both included; undefined where no token is in them. */
  bins(steps: readonly [from: number, to: number]): Promise<CorrectBins | undefined>;
  /** The report over steps, both included, and its most divergent tokens; undefined where no token is in them. */
  reportOf(
    steps: readonly [from: number, to: number],
  ): Promise<{ readonly report: MismatchReport; readonly top: TopTokens } | undefined>;
  /** An encoded `TurnTable`. */
  turns(): Promise<Uint8Array>;
  /** An encoded `TokenMatches`. @throws UsageError when the filter is not understood or cannot be asked of the run */
  match(filter: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The tokens themselves. @throws as `match` does */
  matchTokens(filter: string, signal?: AbortSignal): Promise<MatchingTokens>;
  /** The same tokens in groups. @throws as `match` does */
  matchGroups(filter: string, signal?: AbortSignal): Promise<MatchingGroups>;
  /** What each term of a filter matches by itself. @throws as `match` does */
  matchTerms(filter: string, signal?: AbortSignal): Promise<TermCounts>;
  /** The first rows of a query's result. @throws UsageError or LimitError where it cannot be run */
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
