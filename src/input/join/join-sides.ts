/**
 * Joins two sides into drafts with both.
 *
 * @module
 */
import type { FindingLog, Provenance, SequenceDraft } from "../../core/schema/index.ts";
import { type Half, Keeper, readLogprobs } from "./half.ts";
import { createMatcher, type JoinedPair } from "./match.ts";
import { alignHalves, mergeHalves } from "./merge.ts";
import { JoinedOrigins } from "./origins.ts";
import type { PromptSums } from "./prompt-sums.ts";
import {
  describeApart,
  emptyJoinTally,
  type JoinTally,
  refuseOtherTexts,
  refuseUnjoined,
  reportJoined,
  reportParting,
  reportPrompts,
  reportUnmatched,
} from "./report-join.ts";

/** One policy's log-probs of many sequences. */
export interface JoinSide {
  /** For messages. */
  readonly file: string;
  /** Arrays are valid until the next block is requested. */
  readonly blocks: AsyncIterable<readonly SequenceDraft[]>;
}

export interface JoinOptions {
  readonly findings: FindingLog;
  readonly prompts: PromptSums;
  /** Alignment of the drafts with both sides. */
  readonly provenance: Provenance;
}

async function holdSide({ blocks, file }: JoinSide, keeper: Keeper): Promise<Half[]> {
  const halves: Half[] = [];
  for await (const block of blocks)
    for (const draft of block) halves.push(keeper.keep(draft, halves.length, file));
  return halves;
}

/**
 * Drafts of the tokens that both sides scored after the same text. The trainer's side is held in memory, and so are
 * rollout sequences that cannot be matched by id.
 *
 * ```
 * trainer ──► held, all of it
 *                │
 * rollout ──► matched by id ────► joined at once, block by block
 *         └── held until the end ──► matched by group, prompt, tokens, order ──► joined last
 *                                └── without a counterpart: counted by reason
 * ```
 *
 * @throws SchemaError when no two sequences match, or all pairs differ at the first token
 * @throws LimitError when the held sequences take more than the memory limit
 */
export async function* joinSides(
  rollout: JoinSide,
  trainer: JoinSide,
  options: JoinOptions,
): AsyncGenerator<readonly SequenceDraft[]> {
  const keeper = new Keeper();
  const second = await holdSide(trainer, keeper);
  const matcher = createMatcher(second);
  const joiner = new PairJoiner(trainer.file, options);
  const held: Half[] = [];
  let read = 0;
  for await (const block of rollout.blocks) {
    const joined: SequenceDraft[] = [];
    for (const draft of block) {
      const found = matcher.byId(draft);
      if (found === undefined) held.push(keeper.keep(draft, read, rollout.file));
      else {
        const first = { draft, logprobs: readLogprobs(draft), index: read };
        joined.push(...joiner.join({ first, second: found, by: "id" }));
      }
      read++;
    }
    if (joined.length > 0) yield joined;
  }
  const pairs = matcher.match(held, read);
  const late = pairs.flatMap((pair) => joiner.join(pair));
  const { tally } = joiner;
  const files = [rollout.file, trainer.file] as const;
  if (tally.pairs === 0) {
    const drafts = [held[0]?.draft, second[0]?.draft] as const;
    throw refuseUnjoined([rollout.file, read], [trainer.file, second.length], drafts);
  }
  if (tally.joined === 0 && tally.firstApart !== undefined)
    throw refuseOtherTexts(tally.firstApart, tally.pairs, files);
  yield late;
  // Only now is it known which halves have no counterpart, and how many prompt tokens could not be compared.
  const { findings, prompts } = options;
  const matched = new Set(pairs.map(({ first }) => first));
  const alone = held.filter((half) => !matched.has(half));
  reportJoined(tally, trainer.file, findings);
  reportUnmatched(alone, files, findings);
  reportUnmatched(matcher.unmatched(), [trainer.file, rollout.file], findings);
  reportPrompts(prompts.incomparable, trainer.file, findings);
}

/** Joins pairs into drafts with both sides, and counts the outcomes. */
class PairJoiner {
  readonly tally: JoinTally = emptyJoinTally();
  readonly #options: JoinOptions;
  readonly #origins: JoinedOrigins;
  /** The trainer's file, which findings about diverging pairs name. */
  readonly #file: string;

  constructor(file: string, options: JoinOptions) {
    this.#file = file;
    this.#options = options;
    this.#origins = new JoinedOrigins(options);
  }

  /** The draft of a pair; none if the texts differ at the first token, or cannot be compared and differ in length. */
  join(pair: JoinedPair): SequenceDraft[] {
    const { tally } = this;
    const { first, second, by } = pair;
    tally.by.set(by, (tally.by.get(by) ?? 0) + 1);
    tally.pairs++;
    // Prompts first: they can be compared even where the responses cannot.
    const [a, b] = alignHalves(first.draft, second.draft);
    this.#options.prompts.add(a, b);
    const { draft, dropped, isUnchecked } = mergeHalves(first, second);
    if (isUnchecked && draft === undefined) {
      tally.unequal++;
      return [];
    }
    if (isUnchecked && draft !== undefined && draft.length > 0) tally.unchecked++;
    if (draft === undefined) tally.firstApart ??= describeApart(pair);
    if (dropped > 0) this.#part(dropped, draft === undefined, second);
    if (draft === undefined) return [];
    tally.joined++;
    return [{ ...draft, origin: this.#origins.join(first.draft, second.draft) }];
  }

  #part(dropped: number, isApart: boolean, { draft: { row } }: Half): void {
    this.tally.parted++;
    if (isApart) this.tally.apart++;
    reportParting(
      dropped,
      this.tally,
      { file: this.#file, ...(row !== undefined && { row }) },
      this.#options.findings,
    );
  }
}
