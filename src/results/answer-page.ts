import type { EventRank } from "./events.ts";
import type { PageMove } from "./page.ts";
import type { ReadingLevel, VerdictLevel } from "./reading-level.ts";

/**
 * `api/answer-tables`: the `Assessment` of a run, or of selected steps, in words for the page's first screen. Numbers
 * are formatted; lengths of bars are fractions of 1.
 */
export interface AnswerPage {
  readonly level: VerdictLevel;
  /** The level for readers who see no color: `△`, `Elevated`. */
  readonly sign: string;
  readonly word: string;
  /** The sentence in two parts: one with the time or the cause, and the rest, which may be empty. */
  readonly headline: string;
  readonly detail: string;
  /** The steps that give the level, both included; null if all do, or if something else does. */
  readonly stretch: readonly [from: number, to: number] | null;
  /** Whether there is nothing to explain: no cause, no level beyond normal. */
  readonly is_sound: boolean;
  readonly is_comparable: boolean;
  /** The trainer that wrote the files; null if they name none, or several. */
  readonly trainer: string | null;
  /** The mean |Δ| from which each level begins, the mildest first. */
  readonly zones: readonly AnswerZone[];
  /** Steps worse than normal; the worst have words. */
  readonly points: readonly { readonly x: number; readonly label: string }[];
  /** Mean |Δ| with the trainer's column shifted; empty if that was not tried. */
  readonly shifts: readonly AnswerShift[];
  /** Most likely first. */
  readonly causes: readonly AnswerCause[];
  /** What would distinguish the causes, and its lines to copy; null if nothing more needs to be known. */
  readonly decide: { readonly text: string; readonly outcomes: string; readonly lines: string } | null;
  /** Fix for the likeliest cause. */
  readonly fix: AnswerFix | null;
  /** The most important first. */
  readonly mistakes: readonly AnswerMistake[];
  /** The part that stands out most first. */
  readonly where: readonly AnswerPart[];
  readonly figures: readonly AnswerFigure[];
  /** What else keeps the run from learning. */
  readonly beside: readonly AnswerBeside[];
  readonly untested: readonly { readonly test: string; readonly column: string; readonly how: string }[];
  /** What to run; null if there is nothing to run. */
  readonly command: { readonly label: string; readonly command: string } | null;
}

export interface AnswerZone {
  readonly level: ReadingLevel;
  readonly from: number;
}

export interface AnswerShift {
  readonly label: string;
  readonly value: string;
  readonly bar: number;
  readonly fits: boolean;
}

export interface AnswerCause {
  readonly title: string;
  readonly chance: string;
  readonly bar: number;
  /** Whether it looks like the previous cause. */
  readonly is_alike: boolean;
}

/** `is_code`: a line to paste, not a sentence. */
export interface AnswerFix {
  readonly place: string;
  readonly line: string;
  readonly note: string;
  readonly is_code: boolean;
}

export interface AnswerMistake {
  readonly handle: string;
  /** Null if the run's table lacks it. */
  readonly move: PageMove | null;
  /** The answers to its prompt, side by side; null without groups. */
  readonly group: PageMove | null;
  /** `7 of 8 answers`; empty for a single one. */
  readonly count: string;
  /** The beginning of the prompt; empty if no text is known. */
  readonly prompt: string;
  /** The text before the token, the token, the text after it. */
  readonly context: readonly [before: string, token: string, after: string] | null;
  readonly sides: readonly AnswerSide[];
  /** Whether it reaches the gradient; empty if that is not known. */
  readonly reach: string;
  /** Its place in each order, from 0; null if the order does not list it, or does not exist. */
  readonly places: Readonly<Record<EventRank, number | null>>;
}

/** What one policy says at a token, likeliest first. */
export interface AnswerSide {
  readonly name: "engine" | "trainer";
  readonly tokens: readonly {
    /** Null if no text is known. */
    readonly text: string | null;
    /** Whether it is what the engine wrote. */
    readonly is_written: boolean;
    readonly probability: string;
    readonly bar: number;
  }[];
}

export interface AnswerPart {
  readonly label: string;
  readonly k3_share: string;
  readonly token_share: string;
  readonly bar: number;
  readonly token_bar: number;
  readonly move: PageMove;
}

export interface AnswerFigure {
  readonly key: string;
  readonly label: string;
  readonly meaning: string;
  readonly value: string;
  readonly usual: string;
  readonly source: string;
  readonly level: ReadingLevel | null;
  readonly sign: string;
}

export interface AnswerBeside {
  readonly title: string;
  readonly level: VerdictLevel;
  readonly text: string;
  readonly do_this: string;
}
