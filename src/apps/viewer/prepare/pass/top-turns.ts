/**
 * The turns with the largest mean |Δ|, and with the largest |Δ| of a token.
 *
 * @module
 */

import { TopList } from "../../../../core/summaries/index.ts";
import type { TopTokens, WorstTurn } from "../../../../results/view.ts";
import type { ShownTexts } from "./top-tokens.ts";

const TURNS = 50;
/** A mean over fewer tokens is one token's Δ. */
const LEAST_TOKENS = 4;
/** Tokens shown of a turn's opening. */
export const OPENING = 24;

export interface TurnCandidate extends Omit<WorstTurn, "opening"> {
  readonly file: string;
  /** Ids of its first tokens. */
  readonly ids: Int32Array;
}

const formatKey = ({ file, handle, turn }: TurnCandidate): string => `${file} ${handle} ${turn}`;

export class TopTurnsBuilder {
  readonly #byMean = new TopList<TurnCandidate>(TURNS, (turn) => turn.delta_abs_mean, formatKey);
  readonly #byMax = new TopList<TurnCandidate>(TURNS, (turn) => turn.delta_abs_max, formatKey);

  /** A turn with these figures; `candidate` is called if it is among the largest so far. */
  offer(tokens: number, mean: number, largest: number, candidate: () => TurnCandidate): void {
    if (largest === 0) return;
    const isByMean = tokens >= LEAST_TOKENS && mean >= this.#byMean.threshold;
    if (!isByMean && largest < this.#byMax.threshold) return;
    const made = candidate();
    if (isByMean) this.#byMean.add(made);
    this.#byMax.add(made);
  }

  finish(texts: Pick<ShownTexts, "pieces">, hasTexts: boolean): TopTokens["turns"] {
    const turns = (list: TopList<TurnCandidate>): WorstTurn[] =>
      list.list().map(({ ids, file: _file, ...turn }) => ({
        ...turn,
        opening: hasTexts
          ? texts
              .pieces(ids)
              .map(({ text }) => text)
              .join("")
          : null,
      }));
    return { by_mean: turns(this.#byMean), by_max: turns(this.#byMax) };
  }
}
