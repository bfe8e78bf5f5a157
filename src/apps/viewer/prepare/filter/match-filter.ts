/**
 * The sequences and tokens of a cache that match a filter.
 *
 * @module
 */
import type { FileHandle } from "node:fs/promises";
import {
  type Filter,
  needsTexts,
  parseFilter,
  tableMatcher,
  tokensOfWire,
} from "../../../../analyses/filter/index.ts";
import { UsageError } from "../../../../core/base/index.ts";
import { turnOfMark } from "../../../../core/kernels/index.ts";
import { TopList } from "../../../../core/summaries/index.ts";
import type { TermCounts } from "../../../../results/filters.ts";
import type { MatchingGroups, MatchingTokens, RunInfo, TokenOccurrence } from "../../../../results/view.ts";
import { encodeMatches } from "../../../../results/wire/matches.ts";
import { decodeSequence, type WireSequence } from "../../../../results/wire/sequence.ts";
import { textBetween } from "../../../../results/wire/sequence-text.ts";
import type { SequenceTable } from "../../../../results/wire/table.ts";
import { readPart } from "../cache/read-part.ts";
import { CONTEXT, OCCURRENCES } from "../pass/top-tokens.ts";
import { SequenceSums } from "../report/sum-sequences.ts";

/** Bytes read at a time: about ten milliseconds of work, after which other requests get a turn. */
const BLOCK = 2 ** 23;
const MOST_CHARACTERS = 2000;

export interface MatchSource {
  readonly info: RunInfo;
  /** Encoded sequences, concatenated; sequence i is at `[offsets[i], offsets[i + 1])`. */
  readonly file: FileHandle;
  readonly offsets: Float64Array;
  table(): Promise<SequenceTable>;
}

/**
 * An encoded `TokenMatches`.
 *
 * @throws UsageError if the filter cannot be parsed, or the run lacks what it filters by
 */
export async function matchSequences(
  source: MatchSource,
  text: string,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const found: { index: number; count: number; first: number; worst: number }[] = [];
  let tokens = 0;
  for await (const { sequence, places } of matches(source, readFilter(text, source.info), signal)) {
    const worst = places.reduce((a, b) => (distanceAt(sequence, b) > distanceAt(sequence, a) ? b : a));
    found.push({ index: sequence.meta.index, count: places.length, first: places[0]!, worst });
    tokens += places.length;
  }
  const column = (of: (match: (typeof found)[number]) => number): Uint32Array => Uint32Array.from(found, of);
  return encodeMatches({
    sequences: column(({ index }) => index),
    counts: column(({ count }) => count),
    first: column(({ first }) => first),
    worst: column(({ worst }) => worst),
    tokens,
  });
}

/** The matching tokens with the largest |Δ|. @throws like {@link matchSequences} */
export async function matchOccurrences(
  source: MatchSource,
  text: string,
  signal?: AbortSignal,
): Promise<MatchingTokens> {
  const top = new TopList<TokenOccurrence>(
    OCCURRENCES,
    ({ delta }) => Math.abs(delta),
    ({ sequence, token }) => `${sequence} ${token}`,
  );
  let sequences = 0;
  let tokens = 0;
  for await (const { sequence, places } of matches(source, readFilter(text, source.info), signal)) {
    sequences++;
    tokens += places.length;
    for (const token of places) {
      const distance = distanceAt(sequence, token);
      if (distance >= Math.max(0, top.threshold))
        top.add(occurrenceAt(sequence, token, source.info.has.texts));
    }
  }
  return { sequences, tokens, occurrences: top.list() };
}

/**
 * Of the tokens that match, the sums by token, class, place in the response and turn; worst tokens are places in the
 * whole run. Turns keep their numbers, except with terms on `mask:`, which select tokens outside turns: then turns are
 * runs of selected tokens, as with `report --filter`. @throws as {@link matchSequences} does
 */
export async function matchGroups(
  source: MatchSource,
  text: string,
  signal?: AbortSignal,
): Promise<MatchingGroups> {
  const filter = readFilter(text, source.info);
  const isOwnTurns = filter.terms.every(({ field }) => field?.name !== "mask");
  const sums = new SequenceSums();
  let sequences = 0;
  let tokens = 0;
  for await (const { sequence, places } of matches(source, filter, signal)) {
    sequences++;
    tokens += places.length;
    const mask = new Uint8Array(sequence.mask.length);
    for (const place of places) mask[place] = 1;
    sums.add(sequence, { mask, turnMask: isOwnTurns ? sequence.mask : mask });
  }
  return { sequences, tokens, ...sums.groups(source.info.has.texts) };
}

/**
 * What each term of the filter matches alone, in the order of the text. Scans the tokens once.
 *
 * @throws like {@link matchSequences}
 */
export async function countTerms(
  source: MatchSource,
  text: string,
  signal?: AbortSignal,
): Promise<TermCounts> {
  const table = await source.table();
  const counts = readFilter(text, source.info).terms.map((term) => {
    const { rows, tokensOf } = tableMatcher([[term]])(table);
    return { term, isAsked: marks(rows, table.length), tokensOf, sequences: 0, tokens: 0 };
  });
  const all = Uint32Array.from({ length: table.length }, (_, row) => row);
  const asked = all.filter((row) => counts.some(({ isAsked }) => isAsked[row] === 1));
  for await (const sequence of sequencesAt(source, asked, signal)) {
    const row = sequence.meta.index;
    const columns = tokensOfWire(sequence, source.info.has.texts);
    for (const count of counts) {
      if (count.isAsked[row] !== 1) continue;
      const { length } = count.tokensOf(row)(columns);
      count.tokens += length;
      if (length > 0) count.sequences++;
    }
  }
  return { terms: counts.map(({ term, sequences, tokens }) => ({ text: term.text, sequences, tokens })) };
}

function marks(rows: Uint32Array, length: number): Uint8Array {
  const marked = new Uint8Array(length);
  for (const row of rows) marked[row] = 1;
  return marked;
}

function readFilter(text: string, { has, redacted }: RunInfo): Filter {
  if (text.length > MOST_CHARACTERS)
    throw new UsageError(`the filter has ${text.length} characters; the limit is ${MOST_CHARACTERS}`);
  const filter = parseFilter(text);
  const { terms, problems } = filter;
  if (problems.length > 0) throw new UsageError(problems.map(({ message }) => message).join("; "));
  if (needsTexts(terms) && !has.texts) {
    throw new UsageError(
      redacted
        ? "texts are redacted: token: and is: cannot be used"
        : "token: and is: need a tokenizer: logratio view --tokenizer DIR",
    );
  }
  return filter;
}

interface Match {
  readonly sequence: WireSequence;
  /** Response tokens, ascending; at least one. */
  readonly places: Uint32Array;
}

/** Sequences with tokens that match, in the order of the table. */
async function* matches(
  source: MatchSource,
  { alternatives }: Filter,
  signal: AbortSignal | undefined,
): AsyncGenerator<Match> {
  const { rows, tokensOf } = tableMatcher(alternatives)(await source.table());
  for await (const sequence of sequencesAt(source, rows, signal)) {
    const places = tokensOf(sequence.meta.index)(tokensOfWire(sequence, source.info.has.texts));
    if (places.length > 0) yield { sequence, places };
  }
}

/** Reads these sequences, many at a time. */
export async function* sequencesAt(
  { file, offsets }: Pick<MatchSource, "file" | "offsets">,
  rows: Uint32Array,
  signal?: AbortSignal,
): AsyncGenerator<WireSequence> {
  for (let at = 0; at < rows.length; ) {
    signal?.throwIfAborted();
    const start = offsets[rows[at]!]!;
    let end = at + 1;
    while (end < rows.length && offsets[rows[end]! + 1]! - start <= BLOCK) end++;
    const block = await readPart(file, start, offsets[rows[end - 1]! + 1]! - start);
    for (; at < end; at++) {
      const row = rows[at]!;
      yield decodeSequence(block.subarray(offsets[row]! - start, offsets[row + 1]! - start));
    }
  }
}

/** |Δ|; -1 if it is not finite. */
function distanceAt({ rollout, trainer }: WireSequence, token: number): number {
  const delta = trainer[token]! - rollout[token]!;
  return Number.isFinite(delta) ? Math.abs(delta) : -1;
}

function occurrenceAt(sequence: WireSequence, token: number, hasTexts: boolean): TokenOccurrence {
  const { meta, ids, turnMarks, rollout, trainer } = sequence;
  const at = meta.promptLength + token;
  const text = (from: number, to: number): string | null => {
    if (!hasTexts) return null;
    return textBetween(sequence, Math.max(0, from), Math.min(ids.length, to));
  };
  return {
    sequence: meta.index,
    token,
    handle: `${meta.handle}.t${token}`,
    token_id: ids[at]!,
    text: text(at, at + 1),
    before: text(at - CONTEXT, at),
    after: text(at + 1, at + 1 + CONTEXT),
    delta: Math.fround(trainer[token]! - rollout[token]!),
    rollout_logprob: rollout[token]!,
    trainer_logprob: trainer[token]!,
    turn: turnOfMark(turnMarks[token]!) ?? null,
    step: meta.step,
    correct: meta.correct,
  };
}
