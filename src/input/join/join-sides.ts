/**
 * Joins two sides into drafts with both.
 *
 * @module
 */
import type { FindingLog, Provenance, SequenceDraft } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import { type Half, Keeper, readLogprobs } from "./half.ts";
import { createMatcher, type JoinedPair } from "./match.ts";
import { alignHalves, mergeHalves } from "./merge.ts";
import { JoinedOrigins } from "./origins.ts";
import type { PromptSums } from "./prompt-sums.ts";
import {
  emptyJoinTally,
  refuseOtherTexts,
  refuseUnjoined,
  reportJoined,
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
 * Drafts of the tokens that both sides scored after the same text. The trainer's side is held in memory, and those
 * rollout sequences whose id does not decide.
 *
 * @throws SchemaError when no two sequences match, or all pairs differ at the first token
 * @throws LimitError when the held sequences take more than the memory limit
 */
export async function* joinSides(
  rollout: JoinSide,
  trainer: JoinSide,
  { findings, prompts, provenance }: JoinOptions,
): AsyncGenerator<readonly SequenceDraft[]> {
  const keeper = new Keeper();
  const second = await holdSide(trainer, keeper);
  const matcher = createMatcher(second);
  const tally = emptyJoinTally();
  const origins = new JoinedOrigins({ findings, provenance });
  const files = [rollout.file, trainer.file] as const;

  const join = (pair: JoinedPair): SequenceDraft[] => {
    const { first, second: other, by } = pair;
    tally.by.set(by, (tally.by.get(by) ?? 0) + 1);
    tally.pairs++;
    const [a, b] = alignHalves(first.draft, other.draft);
    prompts.add(a, b);
    const { draft, dropped, isUnchecked } = mergeHalves(first, other);
    if (isUnchecked && draft === undefined) {
      tally.unequal++;
      return [];
    }
    if (isUnchecked && draft !== undefined && draft.length > 0) tally.unchecked++;
    if (draft === undefined) tally.firstApart ??= pair;
    if (dropped > 0) reportParting(dropped, draft === undefined, other);
    return draft === undefined ? [] : [{ ...draft, origin: origins.join(first.draft, other.draft) }];
  };

  const reportParting = (dropped: number, isApart: boolean, { draft }: Half): void => {
    tally.parted++;
    if (isApart) tally.apart++;
    findings.add({
      code: "texts-part",
      severity: "warning",
      count: dropped,
      omits: { unit: "token", why: "incomparable" },
      at: { file: trainer.file, ...(draft.row !== undefined && { row: draft.row }) },
      likely: "each engine sampled independently, and after the first differing token the contexts differ",
      describe: (count) =>
        `${plural(count, "token")} after the point where ${tally.parted} of ${plural(tally.pairs, "sequence")} diverge${tally.apart === 0 ? "" : ` (${tally.apart} at the first token)`}`,
    });
  };

  const held: Half[] = [];
  let read = 0;
  let given = 0;
  for await (const block of rollout.blocks) {
    const joined: SequenceDraft[] = [];
    for (const draft of block) {
      const found = matcher.byId(draft);
      if (found === undefined) held.push(keeper.keep(draft, read, rollout.file));
      else {
        const first = { draft, logprobs: readLogprobs(draft), index: read };
        joined.push(...join({ first, second: found, by: "id" }));
      }
      read++;
    }
    given += joined.length;
    if (joined.length > 0) yield joined;
  }
  const pairs = matcher.match(held, read);
  const late = pairs.flatMap(join);
  given += late.length;
  if (tally.pairs === 0) {
    const drafts = [held[0]?.draft, second[0]?.draft] as const;
    throw refuseUnjoined([rollout.file, read], [trainer.file, second.length], drafts);
  }
  if (given === 0 && tally.firstApart !== undefined)
    throw refuseOtherTexts(tally.firstApart, tally.pairs, files);
  yield late;
  const matched = new Set(pairs.map(({ first }) => first));
  reportJoined(tally, trainer.file, findings);
  reportUnmatched(
    held.filter((half) => !matched.has(half)),
    files,
    findings,
  );
  reportUnmatched(matcher.unmatched(), [trainer.file, rollout.file], findings);
  if (prompts.incomparable > 0) {
    findings.add({
      code: "note",
      severity: "info",
      subject: "prompt log-probs",
      count: prompts.incomparable,
      omits: { unit: "token", why: "incomparable" },
      at: { file: trainer.file },
      likely: "the prompts were tokenized differently, or one file does not name the prompt's tokens",
      describe: (count) =>
        `${plural(count, "prompt token has", "prompt tokens have")} log-probs in both files but cannot be compared`,
    });
  }
}
