/**
 * The JSON answers of the viewer's server. Binary answers (the table of sequences, a sequence, its alternatives) are in
 * `wire/`.
 *
 * | path | answer |
 * |---|---|
 * | `GET api/run` | {@link ViewInfo}: a run, a study of checkpoints, or that there is nothing yet |
 * | `GET api/report` | the `MismatchReport` of `logratio report --json` |
 * | `GET api/steps` | {@link StepSeries} |
 * | `GET api/sequences` | `SequenceTable`, binary |
 * | `GET api/sequence/INDEX` | `WireSequence`, binary |
 * | `GET api/sequence/INDEX/topk?from=F&count=N` | `WireTopK`, binary |
 * | `GET api/briefs?rows=A,B,…` | `SequenceBrief`s, binary: what lists show of these sequences, 256 at most |
 * | `GET api/group/INDEX` | `GroupPage` of `results/page.ts`: the prompt group that the sequence is in |
 * | `GET api/tokens` | {@link TopTokens} |
 * | `GET api/correct-bins` | {@link CorrectBins} |
 * | `GET api/answer.html` | the report of `logratio report --html` with the correction's config, to save; `?steps=10..30` over these steps |
 * | `GET api/answer-tables` | `AnswerPage` of `results/answer-page.ts`: the assessment as the page shows it; `?steps=10..30` over these steps |
 * | `GET api/report-tables` | `PageDocument` of `render/page`: the report as the page shows it |
 * | `GET api/doctor` | the `DoctorReport` of `logratio doctor --json` |
 * | `GET api/health-tables` | `PageDocument`: the run's health; `?steps=10..30` over these steps |
 * | `GET api/doctor-tables` | the same as a `PageDocument` |
 * | `GET api/digits` | the `DigitsReport` of `logratio digits --json`; 404 without `has.digits` |
 * | `GET api/digits-tables` | the same as a `PageDocument` |
 * | `GET api/correct-bins?steps=A..B` | the same over these steps |
 * | `GET api/match?filter=F` | `TokenMatches`, binary: the sequences that a filter leaves; 400 where F is not understood |
 * | `GET api/match/tokens?filter=F` | {@link MatchingTokens} |
 * | `GET api/match/groups?filter=F` | {@link MatchingGroups} |
 * | `GET api/sweep` | `SweepReport` of `results/sweep.ts`; `?steps=10..30` over these steps |
 * | `POST api/correct` | {@link CorrectAnswer} to an {@link CorrectQuestion} |
 * | `POST api/correct/steps` | {@link CorrectSteps} to an {@link CorrectQuestion} |
 * | `POST api/parquet` | rows (a list of objects) as a Parquet file |
 * | `GET api/alerts` | `AlertList`: what rules of alerts raised |
 * | `GET api/stars` | `StarList`: places that somebody starred |
 * | `POST api/stars` | `{handle, note}` adds or changes a star, `note: null` removes it; `{handle, before}` moves it before another star, `before: null` to the end; the `StarList` afterwards |
 * | `POST api/drops` | `{id}`: begins to take files that are dropped on the page |
 * | `POST api/drops/ID/file?name=PATH&at=BYTES` | a piece of one of them, as `application/octet-stream` |
 * | `POST api/drops/ID/read` | `{name}`: they are read, and the run is compared with them; 422 with the reason in lines |
 * | `GET api/glossary` | `Glossary` of `results/page.ts`: what terms of headings mean; of a study too |
 * | `GET api/story` | `StoryPage`: the stars as the page tells them |
 * | `GET api/filters` | `SavedFilterList`: filters that somebody named |
 * | `POST api/filters` | `{name, filter}` saves a filter, `filter: null` removes it; the `SavedFilterList` afterwards |
 * | `GET api/match/terms?filter=F` | `TermCounts`: what each term of a filter matches by itself |
 * | `GET api/prompts?text=T` | `PromptMatches`: prompts that hold all words of T |
 * | `GET api/sql` | {@link SqlTables}: the tables that SQL sees, examples, limits |
 * | `POST api/sql` | `{sql}`: {@link SqlAnswer}; 400 with what DuckDB says where the query cannot be used |
 * | `GET api/compare` | {@link RunComparison}: only where `RunInfo.compared` names another run; `api/compare-2`, … with the others |
 * | `GET api/other/…` | the other run's `run`, `report`, `steps`, `sequences`, `sequence/…`; `api/other-2/…`, … of the others |
 * | `GET api/compared-runs` | {@link ComparedRuns}: this run and all others in one table |
 * | `GET api/study` | the `KlReport` of `logratio kl --json`; only of a study, as the next three |
 * | `GET api/study-tables` | the same as a `PageDocument` |
 * | `GET api/study-texts` | {@link StudyTexts} |
 * | `GET api/study-text/INDEX` | `WireStudyText`, binary |
 * | `GET api/logged` | {@link LoggedMetrics} of the run's own logger; none where no file of them is among the paths |
 * | `GET api/events` | server-sent events: `run` when `api/run` has changed, `verdict` with {@link SoFar}, `alerts` when `api/alerts` has |
 *
 * @module
 */

import type { Fraction } from "../core/base/index.ts";
import type { Finding } from "../core/schema/index.ts";
import type { StepMetric } from "./metrics/run-metrics.ts";
import type { ReportMetrics, VerdictLevel } from "./report.ts";
import type { ServedRun } from "./serve.ts";

export const VIEW_SCHEMA_VERSION = 1;

export interface RunInfo {
  readonly schemaVersion: typeof VIEW_SCHEMA_VERSION;
  readonly kind: "view-run";
  readonly name: string;
  /** Changes whenever any answer does: part of the addresses of cached answers. */
  readonly version: string;
  readonly sequences: number;
  /** Tokens with mask 1, and all tokens. */
  readonly tokens: number;
  readonly all_tokens: number;
  /** Ascending; empty without steps. */
  readonly steps: readonly number[];
  readonly ranks: readonly number[];
  readonly environments: readonly string[];
  readonly turns_max: number;
  /** Trainers that wrote the files. */
  readonly trainers: readonly string[];
  /** Names of policies with top-k alternatives, with entropies, and of further ones with log-probs. */
  readonly top_k: readonly string[];
  readonly entropies: readonly string[];
  readonly policies: readonly string[];
  readonly has: {
    readonly texts: boolean;
    /**
     * Whether lists can show the beginning of a prompt or the end of an answer: with a tokenizer, or if the data have
     * texts.
     */
    readonly briefs: boolean;
    readonly prompts: boolean;
    readonly advantages: boolean;
    readonly rewards: boolean;
    readonly correctness: boolean;
    readonly groups: boolean;
    readonly weight_versions: boolean;
    /** Whether digits in the policy's output are known: only with a tokenizer. */
    readonly digits: boolean;
  };
  readonly shipped: readonly ShippedCorrection[];
  /**
   * Fixed for the run, so that colors mean the same everywhere: p99.5 of |Δ|, of k3, of |Δp|, of entropy, of |A|·|ρ − 1|, and the
   * largest of each.
   */
  readonly scales: RunScales & { readonly largest: RunScales };
  readonly tokenizer: string | null;
  /** Without a tokenizer: a directory near the run that has one. Absent if none was found. */
  readonly tokenizer_guess?: string;
  /** Paths, and the flags that said how to read them: what a command needs to read the run again. */
  readonly input: { readonly paths: readonly string[]; readonly flags: readonly string[] };
  /** As far as the data say: every combination that occurs, once each. */
  readonly sampling: readonly SamplingInfo[];
  /**
   * Names of the runs that it is compared with (`view --compare`), each once: for the first there are `api/compare` and
   * `api/other/…`, for the second `api/compare-2` and `api/other-2/…`, and so on.
   */
  readonly compared: readonly string[];
  /** `reading`: more will come (`--follow`). `preparing`: the first read is in progress. */
  readonly status: "ready" | "reading" | "preparing";
  /** Share of its bytes in this state, while `preparing`; absent if their number is not known. */
  readonly read_share?: Fraction;
  /** For a growing run: while this stays the same, so do existing sequences and their places; new ones are appended. */
  readonly growing?: string;
  /** Files still being written, in none of the answers yet; absent if there are none. */
  readonly writing?: readonly string[];
  readonly redacted: boolean;
  /**
   * Answers are files (`view --bundle`), `api/PATH.js`: a script that sets the variable `bundled` to the JSON, or to
   * bytes in base64. `correct` has the answer about the recommended correction under
   * its text; no `events`; all alternatives of a sequence at `topk/INDEX`.
   */
  readonly bundled?: true;
  readonly findings: readonly Finding[];
}

export interface RunScales {
  readonly delta: number;
  readonly k3: number;
  readonly prob_diff: number;
  readonly entropy: number | null;
  /** Null without advantages. */
  readonly impact: number | null;
}

/** The rollout engine's sampling parameters; null if unknown. */
export interface SamplingInfo {
  readonly temperature: number | null;
  readonly top_p: number | null;
  readonly top_k: number | null;
  /** For instance vLLM's `raw_logprobs` or `processed_logprobs`. */
  readonly logprobs_mode: string | null;
}

/** A study that `logratio score` or `logratio kl` wrote: texts forced through checkpoints. It has no other answers. */
export interface StudyInfo {
  readonly schemaVersion: typeof VIEW_SCHEMA_VERSION;
  readonly kind: "view-study";
  readonly name: string;
  readonly version: string;
  readonly reference: string;
  /** In training order, baselines first. */
  readonly checkpoints: readonly string[];
  readonly problems: number;
  readonly texts: number;
  /** Checkpoints that were not trained from the reference, so they do not measure training. */
  readonly baselines: readonly string[];
  /** Response tokens with mask 1. */
  readonly tokens: number;
  readonly status: "ready";
  readonly redacted: boolean;
  /** Answers are files (`view --bundle`). */
  readonly bundled?: true;
  readonly findings: readonly Finding[];
}

/** The state of `view` before anything was read, or of `--follow` before the first step. It has no other answers. */
export interface WaitingInfo {
  readonly schemaVersion: typeof VIEW_SCHEMA_VERSION;
  readonly kind: "view-waiting";
  readonly name: string;
  readonly version: string;
  /** The paths it waits for. */
  readonly paths: readonly string[];
  /** Why there is nothing to show yet; null while the first read is in progress. */
  readonly reason: string | null;
  readonly status: "reading" | "preparing";
  readonly bundled?: undefined;
  readonly findings: readonly Finding[];
}

/** Progress of the first read of a run. */
export interface ReadProgress {
  readonly bytes_read: number;
  /** 0 if not known. */
  readonly bytes_total: number;
  readonly sequences: number;
  readonly seconds_left: number | null;
  /** The file that is being read. */
  readonly file: string;
}

/** The verdict on a growing run as its server knows it now: a page may still show an older state. */
export interface SoFar {
  readonly level: VerdictLevel;
  readonly headline: string;
  /** The last step; null if steps are not known. */
  readonly last_step: number | null;
}

/** Replaces `RunInfo` if there are many runs. */
export interface RunsInfo {
  readonly schemaVersion: typeof VIEW_SCHEMA_VERSION;
  readonly kind: "view-runs";
  readonly name: string;
  /** Changes whenever anything else does. */
  readonly version: string;
  /** The last written first. */
  readonly runs: readonly ServedRun[];
  readonly status: "reading";
  readonly bundled?: undefined;
  readonly findings: readonly Finding[];
}

export type ViewInfo = RunInfo | StudyInfo | WaitingInfo | RunsInfo;

/** One value per step; null for a step without one. Without steps there is one entry, with step null. */
export interface StepSeries {
  readonly steps: readonly (number | null)[];
  readonly sequences: readonly number[];
  readonly tokens: readonly number[];
  readonly series: Readonly<Record<StepMetric, readonly (number | null)[]>>;
  /** The same by slice: correctness, rank, environment, weight version; only existing slices. */
  readonly slices: readonly {
    readonly by: "correct" | "rank" | "environment" | "weight_version";
    readonly value: string;
    readonly series: Readonly<Partial<Record<StepMetric, readonly (number | null)[]>>>;
  }[];
}

export interface TopTokens {
  /** The largest |Δ| of the run, largest first. */
  readonly occurrences: readonly TokenOccurrence[];
  readonly by_token: readonly TokenGroup[];
  readonly by_class: readonly TokenGroup[];
  readonly by_position: readonly TokenGroup[];
  readonly by_turn: readonly TokenGroup[];
  /** The worst turns of the run: by mean |Δ|, among those with at least four tokens, and by their largest |Δ|. */
  readonly turns: { readonly by_mean: readonly WorstTurn[]; readonly by_max: readonly WorstTurn[] };
}

/** A turn's tokens are those with mask 1. */
export interface WorstTurn {
  readonly sequence: number;
  /** Handle of the sequence. */
  readonly handle: string;
  /** From 0. */
  readonly turn: number;
  /** Response tokens: the turn's first, and the one with the largest |Δ|. */
  readonly first: number;
  readonly worst: number;
  readonly tokens: number;
  readonly delta_abs_mean: number;
  readonly delta_abs_max: number;
  /** Its first words. */
  readonly opening: string | null;
  readonly step: number | null;
  readonly correct: number | null;
}

export interface TokenOccurrence {
  /** Index in the table of sequences, and response token. */
  readonly sequence: number;
  readonly token: number;
  readonly handle: string;
  readonly token_id: number;
  readonly text: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly delta: number;
  readonly rollout_logprob: number;
  readonly trainer_logprob: number;
  /** From 0; null for a token that the policy did not sample. */
  readonly turn: number | null;
  readonly step: number | null;
  readonly correct: number | null;
}

/**
 * The tokens that match a filter: their number, the number of their sequences, and those with the largest |Δ|, largest
 * first.
 */
export interface MatchingTokens {
  readonly sequences: number;
  readonly tokens: number;
  readonly occurrences: readonly TokenOccurrence[];
}

/** The same tokens grouped by what they are and where they are. */
export interface MatchingGroups
  extends Pick<MatchingTokens, "sequences" | "tokens">,
    Pick<TopTokens, "by_token" | "by_class" | "by_position" | "by_turn"> {}

export interface TokenGroup {
  readonly label: string;
  /** A filter term that matches exactly these tokens (`id:55`, `is:number`, `turn:3`); null if there is none. */
  readonly term: string | null;
  readonly tokens: number;
  readonly delta_mean: number;
  readonly delta_abs_mean: number;
  readonly delta_abs_max: number;
  /** Share of Σk3 over all grouped tokens: the run's, or those that match the filter. */
  readonly share_of_k3: number;
  /** The worst occurrence. */
  readonly worst: { readonly sequence: number; readonly token: number } | null;
}

/** Tokens with mask 1 in bins of Δ, by the outcome of their sequence. */
export interface CorrectBins {
  /** `[bins + 1]`, nats, ascending; the first and last are -inf and +inf as null. */
  readonly edges: readonly (number | null)[];
  readonly groups: readonly {
    /** `right`, `wrong`, `unknown`. */
    readonly name: "right" | "wrong" | "unknown";
    /** `[bins]` each. */
    readonly tokens: readonly number[];
    readonly rho: readonly number[];
    readonly rho_squares: readonly number[];
    /** Zeros for a selection of steps: single advantages are not stored. */
    readonly abs_advantage: readonly number[];
  }[];
  /**
   * By number of tokens in the sequence, about a quarter of the sequences each; fewer groups if lengths hardly differ.
   */
  readonly by_length: readonly (ValueGroup & { readonly tokens: readonly number[] })[];
  /** By reward; empty without rewards, or if they are 0 and 1 and equal correctness. */
  readonly by_reward: readonly (ValueGroup & { readonly tokens: readonly number[] })[];
}

/** Both ends included. Rewards are rounded to two digits. */
export interface ValueGroup {
  readonly from: number;
  readonly to: number;
}

/** Asks what a correction would do, over the whole run or some of its steps. */
export interface CorrectQuestion {
  /** As `formatCorrection` of the neutral form writes it: `weight:token truncate:..2`. */
  readonly correction: string;
  /** Over these steps only, both included; null or absent: all. */
  readonly steps?: readonly [from: number, to: number] | null;
}

/** Trainers' defaults: with their correction enabled, and nothing else set. */
export interface ShippedCorrection {
  /** As named by `logratio correct --preset`. */
  readonly presets: readonly string[];
  /** As in {@link CorrectQuestion}, and in words. */
  readonly correction: string;
  readonly words: string;
}

/** Tokens are those with mask 1 and a finite Δ. */
export interface CorrectAnswer {
  /** Tokens in the mask, not vetoed, with a non-zero weight; sequences with any. */
  readonly kept_tokens: number;
  readonly kept_sequences: number;
  /** (Σw)² / (n Σw²) over all n tokens, with w = 0 for dropped ones; w = ρ without weights. */
  readonly ess: number;
  /** Tokens whose weight is truncated, including dropped ones. */
  readonly clipped: number;
  /** Tokens that the `zero` and `mask` steps drop without the vetoes. */
  readonly masked: number;
  /** Sequences that the vetoes alone drop. */
  readonly vetoed: number;
  /** Over kept tokens; 1 without weights. */
  readonly mean_weight: number;
  /** Shares dropped among the tokens of right and of wrong sequences. */
  readonly dropped_right: number | null;
  readonly dropped_wrong: number | null;
  /** By the groups of {@link CorrectBins}, omitting reward groups without tokens. */
  readonly dropped_by_length: readonly (ValueGroup & Dropped)[];
  readonly dropped_by_reward: readonly (ValueGroup & Dropped)[];
  /** The correction in words, one sentence without a full stop. */
  readonly words: string;
  /** Each trainer's config that does this, by preset name, and a `logratio` command. */
  readonly configs: Readonly<Record<string, string>>;
  readonly command: string;
}

export interface Dropped {
  readonly tokens: number;
  /** Share of them. */
  readonly dropped: number;
}

export const CORRECT_COUNTS = ["kept_tokens", "kept_sequences", "clipped", "masked", "vetoed"] as const;
export type CorrectCount = (typeof CORRECT_COUNTS)[number];
export const CORRECT_FIGURES = ["ess", "mean_weight", "dropped_right", "dropped_wrong"] as const;
export type CorrectFigure = (typeof CORRECT_FIGURES)[number];

/** The figures of {@link CorrectAnswer} step by step, over all steps: counts add up to the whole run's. */
export interface CorrectSteps {
  /** As in {@link StepSeries}. */
  readonly steps: readonly (number | null)[];
  /** Tokens with mask 1 and a finite Δ, and sequences with one. */
  readonly tokens: readonly number[];
  readonly sequences: readonly number[];
  readonly counts: Readonly<Record<CorrectCount, readonly number[]>>;
  readonly figures: Readonly<Record<CorrectFigure, readonly (number | null)[]>>;
}

/** A comparison of two runs: a is the run of `api/run`, b that of `api/other/run`. Differences are b − a. */
export interface RunComparison {
  readonly schemaVersion: typeof VIEW_SCHEMA_VERSION;
  readonly kind: "view-comparison";
  readonly names: { readonly a: string; readonly b: string };
  /** First the reasons why the comparison is meaningless, then those why it is doubtful. */
  readonly warnings: readonly ComparisonWarning[];
  /** What could not be checked for lack of data, one sentence each. */
  readonly unchecked: readonly string[];
  readonly pairs: SequencePairs;
  /** Sequences without a partner. */
  readonly unmatched: { readonly a: number; readonly b: number };
  /** For the steps that both have, ascending; null is the single step of runs without steps. */
  readonly steps: {
    readonly steps: readonly (number | null)[];
    readonly difference: Readonly<Record<StepMetric, readonly (number | null)[]>>;
  };
}

/** The metrics written by the run's own logger. */
export interface LoggedMetrics {
  readonly schemaVersion: typeof VIEW_SCHEMA_VERSION;
  readonly kind: "view-logged";
  /** Metrics of the mismatch first. */
  readonly metrics: readonly LoggedMetric[];
  /** About the files: what could not be read. */
  readonly findings: readonly Finding[];
}

export interface LoggedMetric {
  /** The name in the log. */
  readonly metric: string;
  /** Empty if the file has a single run and does not name it. */
  readonly run: string;
  readonly file: string;
  /** For mismatch metrics of known trainers; null for all others. */
  readonly meaning: string | null;
  readonly unit: string | null;
  /** Ascending, each once. */
  readonly steps: readonly number[];
  /** By step; null if not finite. */
  readonly values: readonly (number | null)[];
}

/** This run, and all runs that it is compared with, in the order of `RunInfo.compared`. */
export interface ComparedRuns {
  readonly schemaVersion: typeof VIEW_SCHEMA_VERSION;
  readonly kind: "view-compared-runs";
  readonly first: { readonly name: string; readonly metrics: ReportMetrics };
  readonly others: readonly ComparedRun[];
}

export interface ComparedRun {
  readonly name: string;
  readonly metrics: ReportMetrics;
  /** This run's figures minus those of the first; nats. */
  readonly differences: {
    /**
     * `tokens`: over the tokens that both runs scored after the same text, which are at least half of either. `texts`:
     * over all tokens of both, because the runs sampled different texts.
     */
    readonly over: "tokens" | "texts";
    /** Number of tokens in either run behind the differences. */
    readonly tokens: { readonly first: number; readonly this: number };
    /** The sampling unit of the intervals: `prompt` if both runs know it, or else `sequence`. */
    readonly unit: "prompt" | "sequence";
    readonly figures: Readonly<Record<DifferenceFigure, RunDifference>>;
  };
}

export const DIFFERENCE_FIGURES = ["delta_abs_mean", "delta_mean", "k3"] as const;
export type DifferenceFigure = (typeof DIFFERENCE_FIGURES)[number];

/** 95 % interval, clustered; null below ten units in either run. */
export interface RunDifference {
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly clusters: number;
}

export interface ComparisonWarning {
  readonly code: "tokenizer" | "temperature" | "logprob-mode" | "prompts" | "steps" | "masks";
  readonly severity: "meaningless" | "doubtful";
  /** One sentence with its numbers. */
  readonly what: string;
  readonly count: number;
  readonly of: number;
  /** The consequence for the reader. */
  readonly follows: string;
}

/**
 * How two sequences were matched: `ids` the same prompt and response tokens (two engines that scored
 * one text), `prompt` the same prompt and step and the same place among them, `group` the same with the group's name.
 */
export type PairKind = "ids" | "prompt" | "group";

/**
 * Columns of equal length, in the order of a. Gaps are |Δb − Δa| over the response tokens that both sequences start
 * with, after the same prompt: only there the policies score the same. Tokens count if both masks are 1 and both Δ
 * finite.
 */
export interface SequencePairs {
  /** Indices into the tables of sequences. */
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly how: readonly PairKind[];
  /** Number of response tokens that both start with. */
  readonly shared: readonly number[];
  /** Nats; null without such a token. */
  readonly gap_mean: readonly (number | null)[];
  readonly gap_max: readonly (number | null)[];
  /** The response token of `gap_max`; -1 without one. */
  readonly gap_token: readonly number[];
}

/** Every text of a study, in its order. */
export interface StudyTexts {
  /** The checkpoints behind `mean_kl` and `spikes` of a text. */
  readonly checkpoints: readonly string[];
  /** The end of the color scale of KL, the same for every text. p99.9 of the KL of all tokens at all checkpoints. */
  readonly scale: number;
  /** The largest of them; above the scale they share its last color. */
  readonly largest: number;
  readonly texts: readonly StudyTextRow[];
}

export interface StudyTextRow {
  /** Index in the study's list of texts, and `q12`. */
  readonly index: number;
  readonly handle: string;
  readonly text: string;
  readonly problem: string;
  readonly source: string | null;
  readonly correct: boolean | null;
  readonly subject: string | null;
  readonly level: number | null;
  /** Of the response, and those with mask 1. */
  readonly tokens: number;
  readonly own_tokens: number;
  /** The beginning of its prompt; null if not known. */
  readonly opening: string | null;
  readonly has_error: boolean;
  /** `[checkpoints]`; null if a checkpoint has no scores for it. */
  readonly mean_kl: readonly (number | null)[];
  readonly max_kl: readonly (number | null)[];
  readonly spikes: readonly (number | null)[];
}
