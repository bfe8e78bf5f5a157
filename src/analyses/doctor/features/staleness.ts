import type { View } from "../sample/view.ts";
import { measureLogitNoise } from "./spread.ts";
import { spearman } from "./stats.ts";

/** Tokens whose weights had one staleness: the training step minus the version of the weights that sampled them. */
export interface Age {
  readonly staleness: number;
  readonly tokens: number;
  readonly sequences: number;
  /** √(π/2) · Σ|Δ| / Σ(1 − p), nats: see `Spread.logitNoiseMean`. */
  readonly noise: number;
}

export interface Staleness {
  /** Those with enough tokens and sequences to be judged, the freshest first. */
  readonly ages: readonly Age[];
  /** Spearman's r and z of the noise with the staleness, over the parts of responses that one version sampled. */
  readonly trend: { readonly r: number; readonly z: number };
}

/** Of one staleness; and tokens of a part of a response, as a shorter one says little about its noise. */
const FEWEST_TOKENS = 200;
const FEWEST_SEQUENCES = 8;
const FEWEST_OF_A_PART = 8;

interface Sums {
  abs: number;
  unsure: number;
  tokens: number;
}

/** Null without weight versions, or if too few tokens have any one staleness. */
export function measureStaleness(view: View): Staleness | null {
  const known = new Map<number, Sums & { sequences: number }>();
  const [ages, levels]: [number[], number[]] = [[], []];
  for (let r = 0; r < view.rows.length; r++)
    for (const [staleness, part] of sumParts(view, r)) {
      const sums = known.get(staleness) ?? { abs: 0, unsure: 0, tokens: 0, sequences: 0 };
      known.set(staleness, sums);
      sums.abs += part.abs;
      sums.unsure += part.unsure;
      sums.tokens += part.tokens;
      sums.sequences++;
      if (part.tokens < FEWEST_OF_A_PART) continue;
      ages.push(staleness);
      levels.push(findNoise(part));
    }
  const judged = [...known]
    .filter(([, { tokens, sequences }]) => tokens >= FEWEST_TOKENS && sequences >= FEWEST_SEQUENCES)
    .map(([staleness, sums]) => ({
      staleness,
      tokens: sums.tokens,
      sequences: sums.sequences,
      noise: findNoise(sums),
    }))
    .sort((x, y) => x.staleness - y.staleness);
  if (judged.length === 0) return null;
  return { ages: judged, trend: judged.length < 2 ? { r: 0, z: 0 } : spearman(ages, levels) };
}

/** Sums of a row by staleness; tokens without a version are in none. */
function sumParts(view: View, r: number): Map<number, Sums> {
  const { step, versions } = view.rows[r]!;
  const parts = new Map<number, Sums>();
  if (versions === undefined || Number.isNaN(step)) return parts;
  const [from, to] = view.span(r);
  for (let i = from; i < to; i++) {
    const version = versions[i - from]!;
    if (!view.isOwn(i) || version < 0) continue;
    const sums = parts.get(step - version) ?? { abs: 0, unsure: 0, tokens: 0 };
    parts.set(step - version, sums);
    sums.tokens++;
    sums.abs += Math.abs(view.d[i]!);
    sums.unsure -= Math.expm1(Math.min(0, view.a[i]!));
  }
  return parts;
}

function findNoise({ abs, unsure }: Sums): number {
  return measureLogitNoise({ abs, square: 0, unsure, unsureSquare: 0 }).logitNoiseMean;
}
