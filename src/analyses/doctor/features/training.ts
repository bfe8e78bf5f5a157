/** Whether Δ points in the direction of training: along the batch's advantages, and away from the reference policy. */
import type { View } from "../sample/view.ts";
import { PairSums, spearman } from "./stats.ts";

export interface Training {
  /** Spearman's r and z of a row's Σ Δ with its advantage; rows with equal advantages say nothing. */
  readonly advantage: { readonly r: number; readonly z: number; readonly rows: number };
  readonly reference: ReferenceFigures | null;
}

export interface ReferenceFigures {
  readonly tokens: number;
  /** Share of tokens at which a side equals the reference exactly. */
  readonly trainerEqual: number;
  readonly rolloutEqual: number;
  /** Mean |side − reference|, nats. */
  readonly trainerDistance: number;
  readonly rolloutDistance: number;
  /** Correlation of Δ with trainer − reference and with rollout − reference, over unsure tokens. */
  readonly alongTrainer: number;
  readonly alongRollout: number;
}

/** Cap in nats, so that a few tokens do not decide. */
const MOST = 1;

export function measureTraining(view: View): Training {
  return { advantage: followAdvantages(view), reference: compareReference(view) };
}

function followAdvantages(view: View): Training["advantage"] {
  const [deltas, advantages]: [number[], number[]] = [[], []];
  for (let r = 0; r < view.rows.length; r++) {
    const advantage = view.rows[r]!.advantage;
    if (!Number.isFinite(advantage) || advantage === 0) continue;
    const [from, to] = view.span(r);
    let sum = 0;
    for (let i = from; i < to; i++) if (view.isOwn(i)) sum += Math.max(-MOST, Math.min(MOST, view.d[i]!));
    deltas.push(sum);
    advantages.push(advantage);
  }
  if (deltas.length < 8) return { r: 0, z: 0, rows: deltas.length };
  return { ...spearman(deltas, advantages), rows: deltas.length };
}

function compareReference(view: View): ReferenceFigures | null {
  const sums = { tokens: 0, trainerEqual: 0, rolloutEqual: 0, trainer: 0, rollout: 0 };
  const [along, alongRollout] = [new PairSums(), new PairSums()];
  const hold = (value: number): number => Math.max(-MOST, Math.min(MOST, value));
  for (let i = 0; i < view.tokens; i++) {
    const reference = view.row(i).reference?.[view.index(i)];
    if (!view.isOwn(i) || reference === undefined || !Number.isFinite(reference)) continue;
    const [a, c] = [view.a[i]!, view.c[i]!];
    sums.tokens++;
    if (c === reference) sums.trainerEqual++;
    if (a === reference) sums.rolloutEqual++;
    sums.trainer += Math.abs(c - reference);
    sums.rollout += Math.abs(a - reference);
    if (a > -0.01) continue;
    along.add(hold(c - reference), hold(c - a));
    alongRollout.add(hold(a - reference), hold(c - a));
  }
  if (sums.tokens === 0) return null;
  return {
    tokens: sums.tokens,
    trainerEqual: sums.trainerEqual / sums.tokens,
    rolloutEqual: sums.rolloutEqual / sums.tokens,
    trainerDistance: sums.trainer / sums.tokens,
    rolloutDistance: sums.rollout / sums.tokens,
    alongTrainer: along.correlation,
    alongRollout: alongRollout.correlation,
  };
}
