/**
 * Reports as shown by the viewer's page: texts, tables and pictures prepared by the server, so that the page needs no
 * code for their content.
 *
 * @module
 */
import type { VerdictLevel } from "./report.ts";

/** An exported row: all figures in full precision. */
export type PageRow = Readonly<Record<string, string | number | boolean | null>>;

/** The target of a link, as changes to the page's current address; anything not named stays. */
export interface PageMove {
  readonly view?: "sequences" | "sequence" | "group" | "tokens" | "checkpoints";
  readonly sequence?: number;
  readonly token?: number;
  readonly params?: Readonly<Record<string, string>>;
}

/** A token: where a link to it leads, and one line of text before, at and after it; null if unknown. */
export interface PagePlace {
  readonly move: PageMove | null;
  readonly context: readonly [before: string, token: string, after: string] | null;
}

export interface PageColumn {
  readonly header: string;
  readonly align: "left" | "right";
  /** Formatted, and printable. */
  readonly cells: readonly string[];
  /** What the column is, for a tooltip. */
  readonly meaning?: string;
  /** What each cell is. */
  readonly meanings?: readonly string[];
  /** Shares of the largest value; null: no bar. */
  readonly bars?: readonly (number | null)[];
  readonly levels?: readonly VerdictLevel[];
  /** The row that matters most in this column. */
  readonly worstRow?: number;
  /** Whether it is prose that may wrap. */
  readonly wrap?: boolean;
  /** Bounds and estimate as shares of a scale, drawn below the figure. */
  readonly spans?: readonly (readonly [low: number, estimate: number, high: number] | null)[];
  /** The color of the policy that the spans describe. */
  readonly color?: "blue" | "orange";
  /** Cells are the text before a token, the token, and the text after it. */
  readonly contexts?: readonly (readonly [before: string, token: string, after: string] | null)[];
}

export interface PageTable {
  /** For file names and keys. */
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly rows: number;
  readonly columns: readonly PageColumn[];
  /** The link of each row's first cell. */
  readonly links?: readonly (PageMove | null)[];
  /** First cells are handles of sequences or tokens. */
  readonly handles?: true;
  /** Rows shown at first, if there are far more. */
  readonly first?: number;
  readonly raw: readonly PageRow[];
}

export interface PagePicture {
  readonly id: string;
  /** Our own markup: its texts are escaped. */
  readonly svg: string;
  readonly raw: readonly PageRow[];
}

/** A place to look at first, and why. */
export interface FirstLook {
  readonly label: string;
  /** A handle if there is no move. */
  readonly place: string;
  readonly move?: PageMove;
  readonly text: string;
  /** The text before, of, and after the place. */
  readonly context?: readonly [before: string, token: string, after: string];
}

/** `api/glossary`: what terms mean, and how to find them in a heading. */
export interface Glossary {
  /** A regular expression with the flags `iu` that finds whole terms, the longest first. */
  readonly pattern: string;
  /** One sentence per term in lower case. */
  readonly meanings: Readonly<Record<string, string>>;
}

/** `api/group/INDEX`: the samples of one prompt in one step. */
export interface GroupPage {
  /** Index of its first sequence in the table of sequences: the group's own address. */
  readonly first: number;
  readonly group: string | null;
  readonly step: number | null;
  /** How a reader recognizes it: its step, and the first words of the question, or its id if no text may be shown. */
  readonly title: string;
  /** The prompt of the first sample; null if no text is known or may be shown. */
  readonly prompt: string | null;
  readonly prompt_tokens: number;
  /** The outcome of the samples: how many are right, and their rewards. */
  readonly outcome: string;
  /** Whether samples have different prompts. */
  readonly prompts_differ: boolean;
  /** Response tokens that all samples start with; 0 if ids are not known. */
  readonly shared: { readonly tokens: number; readonly text: string | null };
  /** Response tokens of the longest sample: strips are drawn to this length. */
  readonly longest: number;
  /** The best reward first, unknown ones last; among equal ones the largest |Δ|. */
  readonly samples: readonly GroupSample[];
  /** Tokens with a large |Δ|; the same token after the same two shares a row. Null if there are none. */
  readonly events: PageTable | null;
}

/** Figures are over its tokens with mask 1. */
export interface GroupSample {
  readonly sequence: number;
  readonly handle: string;
  readonly reward: number | null;
  readonly correct: number | null;
  /** Reward, advantage, mean |Δ|, tokens, finish reason: those that are known. */
  readonly facts: readonly string[];
  /** Of the response. */
  readonly tokens: number;
  readonly delta_abs_max: number | null;
  /** The response token with the largest |Δ|; -1 without one. */
  readonly worst: number;
  /** The first response token at which the sample differs from all others; `tokens` if there is none. */
  readonly branch: number;
  /** The end of its text. */
  readonly answer: string | null;
  /**
   * Along the response: the level of the largest |Δ| of each part (`sparkValue`), with its sign; 0 if there is none.
   */
  readonly strip: readonly number[];
}
