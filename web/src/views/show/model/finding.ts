import {
  byScope,
  type Filter,
  parseFilter,
  rowHolds,
  tokenMatcher,
  tokensOfWire,
} from "../../../../../src/analyses/filter/index.ts";
import type { SequenceTable } from "../../../../../src/results/wire/table.ts";
import { type Hits, type JoinedText, joinedText, placeHits, textHits } from "./find.ts";
import type { SequenceModel } from "./sequence-model.ts";

export interface Finding {
  readonly hits: Hits;
  /** Whether it was read as text, or as a filter on tokens. */
  readonly kind: "text" | "tokens";
  /** Whether it could be read as a filter. */
  readonly isFilter: boolean;
  /** Why it could not, if it starts like a filter. */
  readonly problem: string | undefined;
}

/**
 * Finds a text, or the tokens of a filter such as `abs>0.5 is:number`; what could be either is taken as a filter unless
 * `asText`.
 */
export type Find = (wanted: string, asText: boolean) => Finding;

/** @param hasTexts false: the texts are only ids */
export function finderIn(model: SequenceModel, hasTexts: boolean): Find {
  let joined: JoinedText | undefined;
  let last: { readonly key: string; readonly finding: Finding } | undefined;
  const find: Find = (wanted, asText) => {
    const { alternatives, terms, problems } = parseFilter(wanted);
    const { token, sequence } = byScope(terms);
    const isFilter = token.length > 0 && sequence.length === 0 && problems.length === 0;
    if (isFilter && !asText) {
      const found = tokenMatcher(alternatives)(tokensOfWire(model.wire, hasTexts));
      const places = Array.from(found, (at) => at + model.prompt);
      return { hits: placeHits(places, model.length), kind: "tokens", isFilter, problem: undefined };
    }
    joined ??= joinedText(model);
    const problem = token.length > 0 ? problems[0]?.message : undefined;
    return { hits: textHits(joined, wanted), kind: "text", isFilter, problem };
  };
  return (wanted, asText) => {
    const key = `${asText} ${wanted}`;
    if (last?.key !== key) last = { key, finding: find(wanted, asText) };
    return last.finding;
  };
}

/**
 * The terms on tokens that the list's filter has in the alternatives that this sequence matches; they are searched for
 * when the sequence is opened. Undefined if no alternative has terms on tokens.
 *
 * @param table undefined until it is loaded: every alternative may apply
 * @param row the sequence's row in the table
 */
export function pickTokenTerms(
  { alternatives }: Filter,
  table: SequenceTable | undefined,
  row: number,
): string | undefined {
  const meant =
    alternatives.length > 1 && table
      ? alternatives.filter((terms) => rowHolds(table, terms, row))
      : alternatives;
  const asked = meant.map((terms) =>
    byScope(terms)
      .token.map(({ text }) => text)
      .join(" "),
  );
  return [...new Set(asked)].filter((text) => text !== "").join(" | ") || undefined;
}
