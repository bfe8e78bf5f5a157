/**
 * The diagnosis of a sample: of all sequences together and, if a part of the run stands out, of that part alone.
 *
 * @module
 */
import type { Finding } from "../../core/schema/index.ts";
import type { GuiltyLeg, WeightFacts } from "../../results/diagnosis.ts";
import type { Clue } from "./clue.ts";
import { type Examined, examineView } from "./examine.ts";
import { weighLegs } from "./judge/leg.ts";
import { judgeScope, type Scope } from "./judge/scope.ts";
import { weighSetups } from "./judge/setup.ts";
import { weighStated } from "./judge/stated.ts";
import { weighWeights } from "./judge/weights.ts";
import { addLogs, type Odds, type RankedCause, rankCauses } from "./rank.ts";
import type { SampledRow } from "./sample/row.ts";
import { View } from "./sample/view.ts";
import type { StatedSetup } from "./stated/setups-seen.ts";

/** How far rows are off by the length of their prompts. */
type PromptLengths = Pick<Examined["figures"]["places"], "promptLength">;

export interface Ranking {
  readonly causes: readonly RankedCause[];
  /** Examination of the part that stands out, else of everything. */
  readonly examined: Examined;
  readonly scope: Scope | null;
}

/** Bonus in nats: a scope says more than its mechanism alone, because it also names the mechanism. */
const SCOPE_OVER_MECHANISM = 2.5;
/** Marks that occur where tools are used, so in some environments only, without being confined to them. */
const OF_TURNS = new Set(["tool_tokens_unmasked", "mask_shift", "retokenized_turns", "cp_boundary"]);

/** Rank correlation of a row's gap with the length of its prompt, where padding to the longest is attended. */
const FALLS_WITH_PROMPTS = -0.6;

export interface RankOptions {
  /** Rows of whole steps; the main sample may be too thin to contain both of two swapped rows. */
  readonly steps?: readonly SampledRow[];
  /** What three columns say; null without a third column. */
  readonly guiltyLeg?: GuiltyLeg | null;
  /** σ of the decode leg if neither leg is guilty, nats: the engine's own noise. */
  readonly engineNoise?: number | undefined;
  /** Findings from reading. */
  readonly findings?: readonly Finding[];
  /** What digests of weights say; null without any. */
  readonly weights?: WeightFacts | null;
  /** What the record states of sampling and precision. */
  readonly setups?: readonly StatedSetup[];
  /** Sequences of the run. */
  readonly sequences?: number;
}

export function rankSample(
  rows: readonly SampledRow[],
  {
    steps,
    guiltyLeg = null,
    engineNoise,
    findings = [],
    weights = null,
    setups = [],
    sequences = 0,
  }: RankOptions = {},
): Ranking {
  const view = new View(rows);
  const all = examineView(view, { steps: steps && new View(steps), engineNoise });
  const scope = judgeScope(view, all.figures.places.rowGaps);
  const rank = (odds: ReadonlyMap<string, Odds>): RankedCause[] => {
    const stated = weighSetups(weighStated(odds, findings), setups, sequences);
    return rankCauses(weighLegs(weighWeights(stated, weights, sequences), guiltyLeg));
  };
  if (scope === null || isExplained(all, scope))
    return { causes: rank(all.odds), examined: all, scope: null };
  const within = shareOf(view, scope.rows);
  const part = examineView(new View(scope.rows.map((r) => rows[r]!)), { engineNoise });
  return { causes: rank(confineOdds(part, scope, within)), examined: part, scope };
}

/** Whether a fault in the whole run by itself makes some environments, or every k-th sequence, stand out. */
export function isExplained(
  all: { readonly odds: Examined["odds"]; readonly figures: { readonly places: PromptLengths } },
  { clues }: Pick<Scope, "clues">,
): boolean {
  const strongest = [...all.odds].sort(([, x], [, y]) => y.score - x.score)[0]?.[0];
  if (strongest === undefined) return false;
  // A likeness to other packed runs is no mark of packs in this one.
  const isPacked = all.odds.get("packing_leak")?.clues.some(({ profile, weight }) => !profile && weight > 0);
  const has = (id: string): boolean => clues.some(({ cause }) => cause === id);
  // The longest prompts of a batch have no padding: the ranks and environments that got them look sound.
  const isPadded = strongest === "pads_attended" && all.figures.places.promptLength.r < FALLS_WITH_PROMPTS;
  return (
    (has("one_bad_source") && (OF_TURNS.has(strongest) || isPadded)) ||
    (has("one_bad_rank") && isPadded) ||
    (has("mixed_weight_versions") && isPacked === true)
  );
}

/** Share of Σ|Δ| in some rows, among tokens that no mark claimed; null if all Δ are 0. */
function shareOf(view: View, rows: readonly number[]): number | null {
  const chosen = new Set(rows);
  let [part, all] = [0, 0];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const size = Math.abs(view.d[i]!);
    all += size;
    if (chosen.has(view.rowAt[i]!)) part += size;
  }
  return all === 0 ? null : part / all;
}

/**
 * The odds of a part's mechanism, plus those of the part being the odd one out.
 *
 * @param within the part's share of Σ|Δ|
 */
function confineOdds(part: Examined, { clues, weight }: Scope, within: number | null): Map<string, Odds> {
  const scaled = (explains: number | null | undefined): number | null =>
    explains == null || within === null ? null : explains * within;
  const odds = new Map<string, Odds>(
    [...part.odds].map(([cause, own]) => [cause, { ...own, explains: scaled(own.explains) }]),
  );
  const healthy = odds.get("healthy");
  if (healthy) odds.set("healthy", { ...healthy, score: Math.min(healthy.score, 0) - weight });
  const total = addLogs([...odds.values()].filter(({ coexists }) => !coexists).map(({ score }) => score));
  const strongest = Math.max(...clues.map((clue) => clue.weight));
  for (const clue of clues) {
    const score = total + SCOPE_OVER_MECHANISM + Math.min(0, weight - 4) + (clue.weight - strongest);
    odds.set(clue.cause, { score, clues: [clue as Clue], explains: within });
  }
  return odds;
}
