/**
 * Sums collected while two sources, or two columns of one source, are read.
 *
 * @module
 */
import { EmptyInputError, MissingSideError, SchemaError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { CompareMode } from "../../results/compare.ts";
import { RunSummary } from "../report/run-summary.ts";
import { ColumnSums } from "./column-sums.ts";
import { listColumns } from "./held-rows.ts";
import { countOnes, type PairCounts, SidePairs } from "./pair-sides.ts";

/** A column of A and one of B. */
export type ColumnPair = readonly [a: string, b: string];

export interface ComparisonOptions {
  /** Default: every column that both sides have; for a single source, rollout and trainer. */
  readonly columns?: ColumnPair;
  /** Compares two runs by their own figures even if their texts are the same. */
  readonly unpaired?: boolean;
}

export interface ComparedColumn {
  readonly pair: ColumnPair;
  readonly sums: ColumnSums;
}

export interface Compared {
  readonly mode: CompareMode;
  readonly columns: readonly ComparedColumn[];
  readonly counts: PairCounts;
  /** Summary of rollout against trainer for each run that has both. */
  readonly runs: { readonly a: RunSummary; readonly b: RunSummary };
  readonly names: { readonly a: readonly string[]; readonly b: readonly string[] };
}

/**
 * Compares two sides. Give all of B to `hold` first, then all of A to `add`; or each batch of one source to `addBoth`.
 */
export class Comparison {
  readonly #options: ComparisonOptions;
  readonly #pairs = new SidePairs();
  readonly #columns = new Map<string, ComparedColumn>();
  readonly #runs = { a: new RunSummary(), b: new RunSummary() };
  #isOneSource = false;

  constructor(options: ComparisonOptions = {}) {
    this.#options = options;
  }

  /** @throws LimitError if B exceeds the memory limit */
  hold(batch: RecordBatch): void {
    if (this.#options.unpaired) this.#note(batch, "b");
    else this.#pairs.hold(batch);
    sumRun(this.#runs.b, batch);
  }

  /** @throws LimitError if the rows waiting for a partner exceed the memory limit */
  add(batch: RecordBatch): void {
    sumRun(this.#runs.a, batch);
    if (this.#options.unpaired) {
      this.#note(batch, "a");
      return;
    }
    const found = this.#pairs.add(batch);
    if (found !== undefined) this.#sum(found);
  }

  /** Adds two columns of one source. */
  addBoth(batch: RecordBatch): void {
    this.#isOneSource = true;
    this.#note(batch, "a");
    const columns = listColumns(batch);
    const pair = this.#options.columns ?? (["rollout", "trainer"] as const);
    const [a, b] = [columns[pair[0]], columns[pair[1]]];
    if (a !== undefined && b !== undefined)
      this.#find(pair).sums.add({ batch, a, b, mask: batch.responseMask });
  }

  /**
   * Adds what a join of two one-sided sources made of them: A's column is its rollout, B's its trainer. Where one side
   * was given the other's text to score, its log-probs are those of a prompt, which no batch of its own has.
   */
  addJoined(batch: RecordBatch): void {
    const { rolloutLogprobs: a, trainerLogprobs: b, responseMask: mask } = batch;
    if (a === undefined || b === undefined) return;
    const { counts, columns } = this.#pairs;
    for (const side of ["a", "b"] as const) {
      columns[side].add("rollout");
      counts.sequences[side] += batch.length;
      counts.tokens[side] += countOnes(mask);
    }
    counts.compared += countOnes(mask);
    counts.pairs += batch.length;
    counts.by.set("scored text", (counts.by.get("scored text") ?? 0) + batch.length);
    this.#find(["rollout", "rollout"]).sums.add({ batch, a, b, mask });
  }

  #note(batch: RecordBatch, side: "a" | "b"): void {
    for (const name of Object.keys(listColumns(batch))) this.#pairs.columns[side].add(name);
    this.#pairs.counts.sequences[side] += batch.length;
    this.#pairs.counts.tokens[side] += countOnes(batch.responseMask);
  }

  #sum(found: NonNullable<ReturnType<SidePairs["add"]>>): void {
    const pairs = this.#choose();
    for (const [at, laid] of this.#pairs.lay(found, pairs).entries()) this.#find(pairs[at]!).sums.add(laid);
  }

  /** The pairs of columns to compare. */
  #choose(): readonly ColumnPair[] {
    const { a, b } = this.#pairs.columns;
    if (this.#options.columns !== undefined) return [this.#options.columns];
    const common = [...a].filter((name) => b.has(name));
    if (common.length > 0) return common.map((name) => [name, name] as const);
    return a.size === 1 && b.size === 1 ? [[[...a][0]!, [...b][0]!]] : [];
  }

  #find(pair: ColumnPair): ComparedColumn {
    const key = JSON.stringify(pair);
    const known = this.#columns.get(key);
    if (known !== undefined) return known;
    const made = { pair, sums: new ColumnSums() };
    this.#columns.set(key, made);
    return made;
  }

  /**
   * Returns what was found; call it once, after all batches.
   *
   * @throws MissingSideError if the two sides have no column in common, or lack the requested one
   * @throws SchemaError if no texts are the same, and the runs have no figures of their own to compare
   * @throws EmptyInputError if no token counts
   */
  finish(): Compared {
    const { unpaired } = this.#options;
    if (!unpaired && !this.#isOneSource) for (const found of this.#pairs.finish()) this.#sum(found);
    const { counts, columns: names } = this.#pairs;
    const compared: Omit<Compared, "mode"> = {
      columns: [...this.#columns.values()].filter(({ sums }) => sums.counts.tokens > 0),
      counts,
      runs: this.#runs,
      names: { a: [...names.a], b: [...names.b] },
    };
    this.#refuseMissing(compared);
    if (compared.columns.length > 0 && !unpaired)
      return { ...compared, mode: this.#isOneSource ? "columns" : "paired" };
    if (this.#isOneSource) throw new EmptyInputError("no token has mask 1 and a log-prob", NOTHING);
    const { a, b } = this.#runs;
    if (a.total.sequences.count > 0 && b.total.sequences.count > 0)
      return { ...compared, columns: [], mode: "unpaired" };
    throw unpaired
      ? new MissingSideError(
          `runs of different texts are compared by how far their own two policies are apart, and A has ${listNames(compared.names.a)}, B has ${listNames(compared.names.b)}`,
          {
            hint: "give runs with rollout and trainer log-probs each, or two sources that scored the same tokens",
          },
        )
      : refuseUnmatched(compared);
  }

  #refuseMissing({ names, counts }: Omit<Compared, "mode">): void {
    const { columns, unpaired } = this.#options;
    if (unpaired) return;
    const sides = this.#isOneSource ? ([names.a, names.a] as const) : ([names.a, names.b] as const);
    const wanted = columns ?? (this.#isOneSource ? (["rollout", "trainer"] as const) : undefined);
    for (const [at, name] of (wanted ?? []).entries())
      if (!sides[at]!.includes(name))
        throw new MissingSideError(
          `${this.#isOneSource ? "the source" : "AB"[at]} has no column ${name}; it has ${listNames(sides[at]!)}`,
          { hint: "name existing columns: --column NAME, or --column NAME_OF_A,NAME_OF_B" },
        );
    if (counts.pairs > 0 && this.#choose().length === 0)
      throw new MissingSideError(
        `the two sides have no column in common: A has ${listNames(names.a)}, B has ${listNames(names.b)}`,
        { hint: "say which to compare: --column NAME_OF_A,NAME_OF_B" },
      );
  }
}

const NOTHING = { hint: "run logratio report with --explain to see how each column was read" };

function listNames(names: readonly string[]): string {
  return names.length === 0 ? "no log-probs" : names.join(", ");
}

/** Sums the figures of a run's own two policies, if it has both. */
function sumRun(summary: RunSummary, batch: RecordBatch): void {
  if (batch.rolloutLogprobs !== undefined && batch.trainerLogprobs !== undefined) summary.add(batch);
}

/** Why nothing of two sides belongs together. */
function refuseUnmatched({ counts, names }: Omit<Compared, "mode">): SchemaError | EmptyInputError {
  const { sequences, otherPrompts, parted, pairs, unchecked } = counts;
  const of = `none of ${plural(sequences.a, "sequence")} of A`;
  if (pairs > 0) return new EmptyInputError("no token has mask 1 on both sides and a log-prob", NOTHING);
  if (otherPrompts > 0)
    return new SchemaError(
      `${of} was scored after the same prompt in B: ${plural(otherPrompts, "sequence")} of the same name or place have other prompts`,
      {
        likely: "the two sides use different chat templates, or different runs number their samples alike",
        hint: "score one side's token ids under the other policy, prompts included",
      },
    );
  if (parted > 0)
    return new SchemaError(
      `${of} has the same tokens in B: ${plural(parted, "sequence")} of the same name differ ${unchecked > 0 ? "in length" : "at the first token"}`,
      {
        likely: "the two sides sampled independently, or use different tokenizers",
        hint: "score one side's token ids under the other policy",
      },
    );
  return new SchemaError(
    `${of} is among the ${sequences.b} of B, and not both have rollout and trainer log-probs`,
    {
      likely: `the two sides hold different texts (A has ${listNames(names.a)}, B has ${listNames(names.b)}), or neither has token ids`,
      hint: "give two sources that scored the same tokens, with token ids or sample ids in both",
    },
  );
}
