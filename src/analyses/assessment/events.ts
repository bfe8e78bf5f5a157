/**
 * The largest tokens of a run grouped into mistakes, each counted once.
 *
 * @module
 */
import { orNull } from "../../core/base/index.ts";
import { computeK3 } from "../../core/kernels/index.ts";
import {
  type DetailedToken,
  deltaOf,
  LARGE_DELTA,
  type LargeToken,
  type LargeTokenDetails,
  type LargeTokens,
  tokenHandle,
} from "../../core/summaries/index.ts";
import type { EventContext, MistakeEvent, MistakeEvents } from "../../results/events.ts";
import { listAlternatives, sourceText } from "./event-words.ts";
import { answerOf, type GroupSums, groupTokens, sumGroup, type TokenGroup } from "./group-tokens.ts";

/** Number of mistakes in each list. */
const LISTED = 5;
const KEY_DIGITS = 14;

export interface EventInput {
  /** The tokens with the largest |Δ| in the run. */
  readonly large: Pick<LargeTokens, "list" | "detailed">;
  /** Number of tokens of that size, whether kept or not. */
  readonly largeCount: number;
  /** Over the run: Σ|Δ| and Σ k3 in nats, Σ|A||ρ − 1|. */
  readonly run: { readonly deltaAbs: number; readonly k3: number; readonly impact: number };
  /** Number of sequences of a prompt at a step, by cluster key; 0 if unknown. */
  readonly sequencesOf: (cluster: number) => number;
}

interface Group extends GroupSums {
  readonly tokens: TokenGroup;
}

/** Pure: the same tokens give the same mistakes. Has no texts except those in the source: see `spellEvents`. */
export function findEvents({ large, largeCount, run, sequencesOf }: EventInput): MistakeEvents {
  const tokens = large.list();
  const groups = groupTokens(tokens).map((group): Group => ({ tokens: group, ...sumGroup(group) }));
  // By content: the token with the largest |Δ|, else the one with the largest impact.
  const [byDelta, byImpact] = large.detailed();
  const known = new Map([...byImpact, ...byDelta].map((detailed) => [detailed.token.content, detailed]));
  const inBatches = countInBatches(tokens);
  const sizeOf = (cluster: number): number => Math.max(sequencesOf(cluster), inBatches.get(cluster) ?? 0);
  const describe = (group: Group): MistakeEvent => describeEvent(group, { run, known, sizeOf });
  const byRaw = groups.toSorted(compareRaw).slice(0, LISTED).map(describe);
  const reach = groups.some(({ impact }) => (impact ?? 0) > 0);
  return {
    rank: reach ? "gradient" : "raw",
    list: reach
      ? groups
          .toSorted((a, b) => (b.impact ?? 0) - (a.impact ?? 0) || compareRaw(a, b))
          .slice(0, LISTED)
          .map(describe)
      : byRaw,
    by_raw: byRaw,
    count: groups.length,
    delta_abs_from: LARGE_DELTA,
    tokens: largeCount,
    tokens_kept: tokens.length,
  };
}

/** Ties keep the order of their largest tokens. */
function compareRaw(a: Group, b: Group): number {
  return b.deltaAbs - a.deltaAbs;
}

/** Sequences of each prompt and step in the batches that its large tokens are in. */
function countInBatches(tokens: readonly LargeToken[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  const seen = new Set<string>();
  for (const { file, batch, cluster, siblings } of tokens) {
    const name = `${cluster} ${batch} ${file}`;
    if (seen.has(name)) continue;
    seen.add(name);
    counts.set(cluster, (counts.get(cluster) ?? 0) + siblings);
  }
  return counts;
}

interface Around {
  readonly run: EventInput["run"];
  readonly known: ReadonlyMap<number, DetailedToken>;
  readonly sizeOf: (cluster: number) => number;
}

function describeEvent({ tokens, deltaAbs, impact }: Group, { run, known, sizeOf }: Around): MistakeEvent {
  const shown = chooseShown(tokens, known);
  const { token, details } = shown;
  const answers = new Map(tokens.map((each) => [answerOf(each), each.correct]));
  const withOutcome = (outcome: number): number =>
    [...answers.values()].filter((correct) => correct === outcome).length;
  const clusters = new Set(tokens.map(({ cluster }) => cluster));
  const of = [...clusters].reduce((sum, cluster) => sum + sizeOf(cluster), 0);
  const k3 = tokens.reduce((sum, each) => sum + computeK3(deltaOf(each)), 0);
  const share = (part: number, whole: number): number => Math.min(1, part / whole);
  const steps = new Set(tokens.map(({ step }) => step).filter((step) => !Number.isNaN(step)));
  return {
    key: tokens
      .reduce((smallest, { content }) => Math.min(smallest, content), Number.POSITIVE_INFINITY)
      .toString(16)
      .padStart(KEY_DIGITS, "0"),
    handle: tokenHandle(token),
    file: token.file,
    steps: [...steps].sort((a, b) => a - b),
    tokens: tokens.length,
    answers: answers.size,
    of_answers: token.isPrompt ? Math.max(of, answers.size) : null,
    answers_right: withOutcome(1),
    answers_wrong: withOutcome(0),
    turn: token.turn,
    token: token.token,
    delta_abs_sum: deltaAbs,
    delta_abs_share: share(deltaAbs, run.deltaAbs),
    k3_sum: finiteOrNull(k3),
    k3_share: finiteOrNull(share(k3, run.k3)),
    reaches_gradient: impact,
    gradient_share: impact === null ? null : impact === 0 ? 0 : share(impact, run.impact),
    token_id: token.id < 0 ? null : token.id,
    delta: deltaOf(token),
    rollout_logprob: token.rollout,
    trainer_logprob: token.trainer,
    advantage: orNull(token.advantage),
    context: details === undefined ? null : contextOf(details),
    text: details === undefined ? null : sourceText(details),
    alternatives: listAlternatives(token, details),
  };
}

/** The token with the largest |Δ| if its surroundings were kept, else one whose surroundings were. */
function chooseShown(
  tokens: TokenGroup,
  known: ReadonlyMap<number, DetailedToken>,
): { readonly token: LargeToken; readonly details?: LargeTokenDetails } {
  for (const { content } of tokens) {
    const detailed = known.get(content);
    if (detailed !== undefined) return detailed;
  }
  return { token: tokens[0] };
}

function contextOf({ before, after, promptIds, promptLength }: LargeTokenDetails): EventContext | null {
  if (before.length + after.length + promptIds.length === 0) return null;
  return { before_ids: before, after_ids: after, prompt_ids: promptIds, prompt_tokens: promptLength };
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
