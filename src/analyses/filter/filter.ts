/**
 * From text to alternatives. Blanks bind tighter than `|`, brackets tighter than both, and `-` before a bracket negates
 * it; what cannot be parsed is ignored and reported.
 *
 * @module
 */
import {
  type Alternatives,
  both,
  either,
  MOST_ALTERNATIVES,
  makeOperand,
  negated,
  type Operand,
} from "./alternatives.ts";
import { type Problem, parseWord, type Term } from "./parse.ts";
import { type Mark, splitWords } from "./words.ts";

/** A parsed filter: its alternatives, and what could not be parsed. */
export interface Filter {
  readonly text: string;
  /** At least one; all terms of one alternative must hold, token terms at the same token. */
  readonly alternatives: Alternatives;
  /** Each term once, in the order of the text: for callers that only need to know which fields occur. */
  readonly terms: readonly Term[];
  readonly problems: readonly Problem[];
}

/**
 * Parses a filter as written in the viewer and after `--filter`: `correct:no (abs>0.5 | is:number)`; docs/view.md has
 * the grammar. Never throws: what cannot be parsed is in `problems`, with a suggestion if there is a similar word.
 *
 * @returns at most 64 alternatives, one of which must hold, and problems with their places in the text
 */
export function parseFilter(text: string): Filter {
  const reader = new Reader(text);
  for (const word of splitWords(text)) {
    if ("mark" in word) {
      reader.mark(word);
      continue;
    }
    const read = parseWord(word, text);
    if (word.openQuote !== undefined) reader.endsInQuote = true;
    reader.word("message" in read ? undefined : makeOperand(read));
    if ("message" in read) reader.problems.push(read);
  }
  const { alternatives, problems } = reader.finish();
  const terms = [...new Map(alternatives.flat().map((term) => [term.from, term])).values()];
  return { text, alternatives, terms: terms.sort((a, b) => a.from - b.from), problems };
}

/** The same filter without what could not be parsed. */
export function understoodText({ text, alternatives, problems }: Filter): string {
  if (alternatives.length > 1 && problems.length === 0) return text.trim();
  return alternatives.map((terms) => terms.map((term) => term.text).join(" ")).join(" | ");
}

/** The text of a filter that requires all of these, with brackets where needed. */
export function joinFilters(...texts: readonly string[]): string {
  const some = texts.map((text) => text.trim()).filter((text) => text !== "");
  return some.length < 2 ? some.join("") : some.map(bracketed).join(" ");
}

/**
 * Adds a condition to a filter. Text that could not be parsed stays, so that its author can correct it, unless it would
 * change the meaning of the condition, like a quote that is never closed.
 */
export function addCondition(filter: Filter, condition: string): string {
  const joined = joinFilters(filter.text, condition);
  const meant = joinFilters(understoodText(filter), condition);
  const written = ({ alternatives }: Filter): string =>
    JSON.stringify(alternatives.map((terms) => terms.map(({ text }) => text)));
  return written(parseFilter(joined)) === written(parseFilter(meant)) ? joined : meant;
}

/** In brackets if a `|` occurs outside its own. */
function bracketed(text: string): string {
  let depth = 0;
  for (const word of splitWords(text)) {
    if (!("mark" in word)) continue;
    if (word.mark === "|" && depth === 0) return `(${text})`;
    if (word.mark === "(") depth++;
    // A bracket that closes nothing is ignored.
    else if (word.mark === ")" && depth > 0) depth--;
  }
  return text;
}

/** What was read so far of a bracket, or of the whole text. */
interface Group {
  readonly open?: Mark;
  /** The alternatives before the last `|`; undefined if none could be parsed. */
  before?: Operand | undefined;
  /** The alternative being read. */
  now?: Operand | undefined;
  /** Whether it contains a word, parsed or not. */
  hasWords: boolean;
  /** The last `|`. */
  bar?: Mark;
}

/** Keeps its own stack, so that no depth of brackets can overflow it. */
class Reader {
  readonly problems: Problem[] = [];
  /** Whether brackets that are still open may be closed inside the quote. */
  endsInQuote = false;
  readonly #text: string;
  readonly #outer: Group[] = [];
  #group: Group = { hasWords: false };

  constructor(text: string) {
    this.#text = text;
  }

  /** @param operand undefined if it could not be parsed */
  word(operand: Operand | undefined): void {
    const group = this.#group;
    group.hasWords = true;
    if (operand !== undefined) group.now = group.now === undefined ? operand : both(group.now, operand);
  }

  mark(mark: Mark): void {
    if (mark.mark === "(") {
      this.#outer.push(this.#group);
      this.#group = { open: mark, hasWords: false };
    } else if (mark.mark === ")") {
      if (this.#group.open === undefined) this.#refuse(mark, "this bracket closes nothing");
      else this.#close(mark);
    } else if (this.#group.hasWords) {
      const { open } = this.#group;
      this.#group = {
        ...(open && { open }),
        before: joinGroup(this.#group),
        hasWords: false,
        bar: mark,
      };
    } else {
      this.#refuse(mark, "nothing stands before this |");
    }
  }

  finish(): { readonly alternatives: Alternatives; readonly problems: readonly Problem[] } {
    this.#closeAll();
    this.#checkEnd();
    const whole = joinGroup(this.#group);
    if (whole !== undefined && whole.holds === undefined) this.#refuseWhole();
    return { alternatives: whole?.holds ?? [[]], problems: this.problems.sort((a, b) => a.from - b.from) };
  }

  /** Reports one problem for all brackets open at the end: one correction fixes them all. */
  #closeAll(): void {
    const count = this.#outer.length;
    const { open } = this.#outer[1] ?? this.#group;
    while (this.#outer.length > 0) this.#close();
    if (open === undefined || this.endsInQuote) return;
    this.problems.push({
      from: open.from,
      to: open.to,
      message:
        count === 1 ? "this bracket is never closed" : `this bracket and ${count - 1} more are never closed`,
      effect: "read as closed at the end",
      instead: this.#text.trimEnd() + ")".repeat(count),
    });
  }

  #close(end?: Mark): void {
    const { open, hasWords, bar } = this.#group;
    if (!hasWords && bar === undefined && end !== undefined)
      this.#refuse({ from: open!.from, to: end.to }, "nothing stands in these brackets");
    else this.#checkEnd();
    const read = joinGroup(this.#group);
    this.#group = this.#outer.pop()!;
    this.word(read && open!.negated ? negated(read) : read);
  }

  #checkEnd(): void {
    const { hasWords, bar } = this.#group;
    if (!hasWords && bar !== undefined) this.#refuse(bar, "nothing stands after this |");
  }

  #refuse({ from, to }: Pick<Mark, "from" | "to">, message: string): void {
    const instead = `${this.#text.slice(0, from).trimEnd()}${this.#text.slice(to)}`;
    this.problems.push({ from, to, message, effect: "it is not used", instead });
  }

  #refuseWhole(): void {
    const from = this.#text.search(/\S/);
    const message = `with its brackets multiplied out the filter has more than ${MOST_ALTERNATIVES} alternatives; write fewer |`;
    this.problems.push({ from, to: this.#text.length, message, effect: "the filter is not used" });
  }
}

function joinGroup({ before, now }: Group): Operand | undefined {
  return before && now ? either(before, now) : (before ?? now);
}
