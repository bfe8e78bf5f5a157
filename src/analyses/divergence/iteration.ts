import { FIELDS, mismatchSums, PROB_COUNT, type TokenBlock } from "../../core/kernels/index.ts";
import { MismatchSummary } from "../../core/summaries/index.ts";
import type { DivergenceRecord } from "../../results/index.ts";
import { type Metrics, verlDebugMetrics, verlPerRoundMetrics } from "../../trainers/index.ts";
import { buildRecord } from "./build-record.ts";
import type { CheckedOptions } from "./options.ts";
import { type Candidate, offerTokens, topTokens } from "./select.ts";
import type { FactsOf, TokenFacts } from "./token-facts.ts";

interface Held extends Candidate {
  readonly row: number;
  /** Undefined while the block that the token is in is still at hand. */
  facts: TokenFacts | undefined;
}

/** One iteration (one batch, in the words of the log), filled block by block: its metrics and its top tokens. */
export class Iteration {
  readonly #options: CheckedOptions;
  readonly #logs: boolean;
  /** Sums only: what verl's metrics need. */
  readonly #summary = new MismatchSummary({ detail: "slice" });
  readonly #top;
  #rows = 0;

  constructor(options: CheckedOptions, logs = true) {
    this.#options = options;
    this.#logs = logs;
    this.#top = topTokens<Held>(options.topK);
  }

  /**
   * Adds the rows `[rowStart, rowEnd)` of a block. `release` says that the block will be gone when the records are
   * asked for, so that what is needed of it must be kept now.
   */
  add(
    block: TokenBlock,
    [rowStart, rowEnd]: readonly [number, number],
    factsOf: FactsOf,
    { release }: { readonly release: boolean },
  ): void {
    const table = mismatchSums(block, { rowStart, rowEnd });
    for (let at = 0; at < table.rows.length; at += FIELDS) this.#summary.addSequence(table.rows, at);
    this.#summary.addTurns(table.turns, table.turnRows);
    if (this.#logs) {
      const base = this.#rows - rowStart;
      offerTokens(block, table, [rowStart, rowEnd], this.#top, (divergence, row, token) => ({
        divergence,
        sequence: base + row,
        token,
        row,
        facts: undefined,
      }));
      if (release) this.#settle(factsOf);
    }
    this.#rows += rowEnd - rowStart;
  }

  #settle(factsOf: FactsOf): void {
    for (const held of this.#top.items) held.facts ??= factsOf(held.row, held.token);
  }

  get sequences(): number {
    return this.#rows;
  }

  /** With mask 1 and two known probabilities. */
  get tokens(): number {
    return this.#summary.sums[PROB_COUNT]!;
  }

  /** The largest |Δp| of the tokens that could be logged; undefined without any. */
  get maxDivergence(): number | undefined {
    return this.#top.ranked()[0]?.divergence;
  }

  get metrics(): Metrics {
    return { ...verlDebugMetrics(this.#summary), ...verlPerRoundMetrics(this.#summary) };
  }

  /** None unless the largest |Δp| reaches the threshold; only then is anything decoded. */
  records(iteration: number | null, factsOf?: FactsOf): readonly DivergenceRecord[] {
    const ranked = this.#top.ranked();
    if (!(ranked[0] !== undefined && ranked[0].divergence >= this.#options.threshold)) return [];
    if (factsOf !== undefined) this.#settle(factsOf);
    return ranked.map(({ divergence, facts }, rank) =>
      buildRecord(facts as TokenFacts, { iteration, rank, divergence }, this.#options),
    );
  }
}
