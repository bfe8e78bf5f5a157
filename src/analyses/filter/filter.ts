/**
 * From text to alternatives. Blanks bind tighter than `|`, brackets tighter than both, and `-` before a bracket negates
 * it; what is not understood is left out and told of.
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

/** A filter that was read: its alternatives, and what was not understood. */
export interface Filter {
  readonly text: string;
  /** One at least; all terms of one of them must hold, those on tokens at the same token. */
  readonly alternatives: Alternatives;
  /** Each term once, in the order of the text: for what asks only which fields occur. */
  readonly terms: readonly Term[];
  readonly problems: readonly Problem[];
}

/**
 * Reads a filter as it is written in the viewer and after `--filter`: `correct:no (abs>0.5 | is:number)`; docs/view.md
 * has the grammar. Never throws: what is not understood is in `problems`, with a suggestion where one is near.
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

/** The same filter without what was not understood. */
export function understoodText({ text, alternatives, problems }: Filter): string {
  if (alternatives.length > 1 && problems.length === 0) return text.trim();
  return alternatives.map((terms) => terms.map((term) => term.text).join(" ")).join(" | ");
}

/** The text of a filter that all of these must hold of, each with brackets where they are needed. */
export function joinFilters(...texts: readonly string[]): string {
  const some = texts.map((text) => text.trim()).filter((text) => text !== "");
  return some.length < 2 ? some.join("") : some.map(bracketed).join(" ");
}

/**
 * The same filter with one condition more. What was not understood stays, so that whoever wrote it can mend it; only
 * where the condition would be read otherwise behind it, as in a quote that is never closed, it goes.
 */
export function addCondition(filter: Filter, condition: string): string {
  const joined = joinFilters(filter.text, condition);
  const meant = joinFilters(understoodText(filter), condition);
  const written = ({ alternatives }: Filter): string =>
    JSON.stringify(alternatives.map((terms) => terms.map(({ text }) => text)));
  return written(parseFilter(joined)) === written(parseFilter(meant)) ? joined : meant;
}

/** In brackets where a `|` stands outside of its own. */
function bracketed(text: string): string {
  let depth = 0;
  for (const word of splitWords(text)) {
    if (!("mark" in word)) continue;
    if (word.mark === "|" && depth === 0) return `(${text})`;
    if (word.mark === "(") depth++;
    // A bracket that closes nothing is not used.
    else if (word.mark === ")" && depth > 0) depth--;
  }
  return text;
}

/** What was read of a bracket so far, or of the whole text. */
interface Group {
  readonly open?: Mark;
  /** Of the alternatives before the last `|`; undefined: none that was understood. */
  before?: Operand | undefined;
  /** Of the alternative that is being read. */
  now?: Operand | undefined;
  /** Whether a word stands in it, understood or not. */
  hasWords: boolean;
  /** The last `|`. */
  bar?: Mark;
}

/** Keeps a stack of its own, so that no depth of brackets is too much for it. */
class Reader {
  readonly problems: Problem[] = [];
  /** Brackets that are still open then may be closed in the quote. */
  endsInQuote = false;
  readonly #text: string;
  readonly #outer: Group[] = [];
  #group: Group = { hasWords: false };

  constructor(text: string) {
    this.#text = text;
  }

  /** @param operand undefined: it was not understood */
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

  /** One problem for all brackets that are open at the end: what mends one mends all. */
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
