/**
 * One row of a batch as the result of `logratio show`.
 *
 * @module
 */
import { orNull } from "../../core/base/index.ts";
import { computeDelta } from "../../core/kernels/index.ts";
import { rowFacts } from "../../core/schema/index.ts";
import type { TokenMetricName } from "../../results/metrics/token-metrics.ts";
import {
  SHOW_SCHEMA_VERSION,
  type ShowFigures,
  type ShowMetric,
  type ShowPiece,
  type ShowReport,
  type ShowSection,
  type ShowSequence,
  type ShowToken,
} from "../../results/show.ts";
import { computeFigures, onePolicyFigures } from "./figures.ts";
import type { FoundSequence } from "./find-sequence.ts";
import { openMetric } from "./metrics.ts";
import { takeSides } from "./sides.ts";
import type { SpelledPiece, Speller } from "./speller.ts";
import { buildCard } from "./token-card.ts";

export interface ShowInput {
  readonly found: FoundSequence;
  /** Index in the response of the requested token. */
  readonly token?: number | undefined;
  readonly metric: TokenMetricName;
  /** Where the color scale ends; default a fixed value of the metric. */
  readonly scale?: number | undefined;
  readonly speller: Speller;
}

export type ShowResult = Omit<ShowReport, "run" | "tokenizer" | "next" | "findings" | "sources">;

const WORST_LISTED = 5;

/** @throws SchemaError if the run lacks what the metric needs */
export function buildShow({ found, token, metric: name, scale, speller }: ShowInput): ShowResult {
  const { batch, row, handle } = found;
  const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
  const { metric, valueAt } = openMetric(batch, name, scale);
  const { rollout, trainer, only } = takeSides(batch);
  const mask = batch.responseMask.subarray(start, end);
  const deltas = Float64Array.from({ length: end - start }, (_, at) =>
    computeDelta(rollout[start + at]!, trainer[start + at]!),
  );
  const measure: Measure =
    only === undefined
      ? (from, to) => computeFigures(deltas, mask, from, to)
      : (from, to) =>
          onePolicyFigures((only === "rollout" ? rollout : trainer).subarray(start, end), mask, from, to);
  const sections = splitSections(mask, measure);
  const prompt = readPrompt(found, speller);
  const ids = responseIds(found);
  const pieces = speller.pieces(ids);
  const turns = sections.flatMap(({ turn, from, to }) => new Array<number | null>(to - from).fill(turn));
  const tokens = pieces.map((piece, at): ShowToken => {
    const own = mask[at] !== 0;
    return {
      ...shownPiece(ids[at]!, piece),
      token: at,
      turn: turns[at]!,
      rollout_logprob: orNull(rollout[start + at]!),
      trainer_logprob: orNull(trainer[start + at]!),
      // Values that trainers write for untrained tokens are not disagreement.
      delta: own ? orNull(deltas[at]!) : null,
      value: own ? orNull(valueAt(start + at)) : null,
    };
  });
  const sequence: ShowSequence = {
    handle,
    ...rowFacts(batch, row),
    prompt_tokens: prompt.length,
    response_tokens: end - start,
    turns: sections.filter(({ kind }) => kind === "turn").length,
    ...measure(0, mask.length),
  };
  const place = token === undefined ? undefined : tokens[token];
  return {
    schemaVersion: SHOW_SCHEMA_VERSION,
    kind: "show",
    ...(only !== undefined && { policies: only }),
    sequence,
    metric,
    prompt,
    sections,
    tokens,
    worst: findWorst(tokens, metric),
    token:
      place === undefined
        ? null
        : buildCard({
            ...{ found, token: place, sections, own: mask[place.token] !== 0, speller },
            bytes: pieces[place.token]!.bytes,
          }),
  };
}

function readPrompt({ batch, row }: FoundSequence, speller: Speller): ShowPiece[] {
  const { promptOffsets, promptTokenIds } = batch;
  const ids =
    promptOffsets && promptTokenIds
      ? promptTokenIds.subarray(promptOffsets[row], promptOffsets[row + 1])
      : new Int32Array(0);
  const text = batch.promptTexts[row] ?? "";
  const isUnspelt = ids.length === 0 || speller.textOf(ids[0]!) === null;
  if (text !== "" && isUnspelt) return [{ id: null, text, kind: "text" }];
  return speller.pieces(ids).map((piece, at) => shownPiece(ids[at]!, piece));
}

function responseIds({ batch, row }: FoundSequence): Int32Array {
  const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
  return batch.responseTokenIds?.subarray(start, end) ?? new Int32Array(end - start).fill(-1);
}

function shownPiece(id: number, { text, kind }: SpelledPiece): ShowPiece {
  return { id: id < 0 ? null : id, text, kind };
}

/** Figures of the tokens `[from, to)` of the sequence. */
type Measure = (from: number, to: number) => ShowFigures;

function splitSections(mask: Uint8Array, measure: Measure): ShowSection[] {
  const sections: ShowSection[] = [];
  let turn = 0;
  for (let from = 0; from < mask.length; ) {
    const own = mask[from] !== 0;
    let to = from + 1;
    while (to < mask.length && (mask[to] !== 0) === own) to++;
    sections.push({
      kind: own ? "turn" : "tool",
      turn: own ? turn++ : null,
      from,
      to,
      ...measure(from, to),
    });
    from = to;
  }
  return sections;
}

/** Infinite values come before all finite ones. */
function findWorst(tokens: readonly ShowToken[], { neutral }: ShowMetric): number[] {
  const distance = ({ value }: ShowToken): number => (value === null ? 0 : Math.abs(value - neutral));
  return tokens
    .filter((token) => distance(token) > 0)
    .sort((a, b) => (distance(a) === distance(b) ? a.token - b.token : distance(b) > distance(a) ? 1 : -1))
    .slice(0, WORST_LISTED)
    .map(({ token }) => token);
}
