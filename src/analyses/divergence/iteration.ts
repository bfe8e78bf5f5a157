import { listOf, NUMBER, recordOf, WHOLE } from "../../core/base/index.ts";
import { FIELDS, mismatchSums, PROB_COUNT, type TokenBlock } from "../../core/kernels/index.ts";
import { contents, counts, layoutOf, MismatchSummary, part } from "../../core/summaries/index.ts";
import type { DivergenceRecord } from "../../results/divergence.ts";
import { type Metrics, verlDebugMetrics, verlPerRoundMetrics } from "../../trainers/index.ts";
import { buildRecord } from "./build-record.ts";
import { FACTS } from "./fact-bytes.ts";
import type { CheckedOptions } from "./options.ts";
import { type Candidate, offerTokens, topTokens } from "./select.ts";
import type { FactsOf, TokenFacts } from "./token-facts.ts";

interface Held extends Candidate {
  readonly row: number;
  /** Undefined while the token's block is still available. */
  facts: TokenFacts | undefined;
}

const HELD = recordOf<Required<Held>>({
  divergence: NUMBER,
  sequence: WHOLE,
  token: WHOLE,
  row: WHOLE,
  facts: FACTS,
});

/** How rows are added. */
interface AddOptions {
  /** The block will be gone by the time the records are requested, so what they need must be kept now. */
  readonly release: boolean;
  /** Identifies the block within the iteration when iterations are joined, so that sums are the same in any order. */
  readonly unit?: string;
}

/** One iteration (one batch, in the log's terms), filled block by block: its metrics and its top tokens. */
export class Iteration {
  /** Of an iteration whose blocks were released, read into one that has no rows yet; {@link join} adds two. */
  static readonly layout = layoutOf<Iteration>({
    summary: part(MismatchSummary.layout, (iteration) => iteration.#summary),
    rows: part(counts(["rows"]), (iteration) => iteration.#counted),
    top: contents(
      listOf(HELD),
      (iteration) => iteration.#top.ranked(),
      (iteration, tokens) => {
        for (const held of tokens) iteration.#top.offer(held);
      },
    ),
  });
  readonly #logs: boolean;
  /** Only the sums that verl's metrics need. */
  readonly #summary = new MismatchSummary({ detail: "slice" });
  readonly #top;
  readonly #counted = { rows: 0 };

  constructor({ topK }: Pick<CheckedOptions, "topK">, logs = true) {
    this.#logs = logs;
    this.#top = topTokens<Held>(topK);
  }

  /** Adds the rows `[rowStart, rowEnd)` of a block. */
  add(
    block: TokenBlock,
    [rowStart, rowEnd]: readonly [number, number],
    factsOf: FactsOf,
    { release, unit }: AddOptions,
  ): void {
    if (unit !== undefined) this.#summary.beginUnit(unit);
    const table = mismatchSums(block, { rowStart, rowEnd });
    for (let at = 0; at < table.rows.length; at += FIELDS) this.#summary.addSequence(table.rows, at);
    this.#summary.addTurns(table.turns, table.turnRows);
    if (this.#logs) {
      const base = this.#counted.rows - rowStart;
      offerTokens(block, table, [rowStart, rowEnd], this.#top, (divergence, row, token) => ({
        divergence,
        sequence: base + row,
        token,
        row,
        facts: undefined,
      }));
      if (release) this.#settle(factsOf);
    }
    this.#counted.rows += rowEnd - rowStart;
  }

  #settle(factsOf: FactsOf): void {
    for (const held of this.#top.items) held.facts ??= factsOf(held.row, held.token);
  }

  /** Adds the rows that follow these, from blocks that were released. */
  join(next: Iteration): void {
    this.#summary.merge(next.#summary);
    for (const held of next.#top.items)
      this.#top.offer({ ...held, sequence: this.#counted.rows + held.sequence });
    this.#counted.rows += next.#counted.rows;
  }

  get sequences(): number {
    return this.#counted.rows;
  }

  /** Tokens with mask 1 and two known probabilities. */
  get tokens(): number {
    return this.#summary.sums[PROB_COUNT]!;
  }

  /** The largest |Δp| of the tokens that could be logged; undefined if there are none. */
  get maxDivergence(): number | undefined {
    return this.#top.ranked()[0]?.divergence;
  }

  get metrics(): Metrics {
    return { ...verlDebugMetrics(this.#summary), ...verlPerRoundMetrics(this.#summary) };
  }

  /** Empty unless the largest |Δp| reaches the threshold; only then is anything decoded. */
  records(iteration: number | null, options: CheckedOptions, factsOf?: FactsOf): readonly DivergenceRecord[] {
    const ranked = this.#top.ranked();
    if (!(ranked[0] !== undefined && ranked[0].divergence >= options.threshold)) return [];
    if (factsOf !== undefined) this.#settle(factsOf);
    return ranked.map(({ divergence, facts }, rank) =>
      buildRecord(facts as TokenFacts, { iteration, rank, divergence }, options),
    );
  }
}
