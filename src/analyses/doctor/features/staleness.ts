import type { View } from "../sample/view.ts";
import { measureLogitNoise, NoiseSums } from "./logit-noise.ts";
import { spearman } from "./stats.ts";

/** Tokens whose weights had one staleness: the training step minus the version of the weights that sampled them. */
export interface Age {
  readonly staleness: number;
  readonly tokens: number;
  readonly sequences: number;
  /** √(π/2) · Σ|Δ| / Σ(1 − p), nats: see `LogitNoise.logitNoiseMean`. */
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

/** Null without weight versions, or if too few tokens have any one staleness. */
export function measureStaleness(view: View): Staleness | null {
  const known = new Map<number, { readonly sums: NoiseSums; sequences: number }>();
  const [ages, levels]: [number[], number[]] = [[], []];
  for (let r = 0; r < view.rows.length; r++)
    for (const [staleness, indexes] of splitByStaleness(view, r)) {
      const age = known.get(staleness) ?? { sums: new NoiseSums(), sequences: 0 };
      known.set(staleness, age);
      age.sequences++;
      const part = new NoiseSums();
      for (const i of indexes) for (const sums of [age.sums, part]) sums.add(view.a[i]!, view.d[i]!);
      if (part.tokens < FEWEST_OF_A_PART) continue;
      ages.push(staleness);
      levels.push(measureLogitNoise(part).logitNoiseMean);
    }
  const judged = [...known]
    .filter(([, { sums, sequences }]) => sums.tokens >= FEWEST_TOKENS && sequences >= FEWEST_SEQUENCES)
    .map(([staleness, { sums, sequences }]) => ({
      staleness,
      tokens: sums.tokens,
      sequences,
      noise: measureLogitNoise(sums).logitNoiseMean,
    }))
    .sort((x, y) => x.staleness - y.staleness);
  if (judged.length === 0) return null;
  return { ages: judged, trend: judged.length < 2 ? { r: 0, z: 0 } : spearman(ages, levels) };
}

/** The counted tokens of a row by staleness; those without a version are in none. */
function splitByStaleness(view: View, r: number): Map<number, number[]> {
  const { step, versions } = view.rows[r]!;
  const parts = new Map<number, number[]>();
  if (versions === undefined || Number.isNaN(step)) return parts;
  const [from, to] = view.span(r);
  for (let i = from; i < to; i++) {
    const version = versions[i - from]!;
    if (!view.isOwn(i) || version < 0) continue;
    const part = parts.get(step - version);
    if (part === undefined) parts.set(step - version, [i]);
    else part.push(i);
  }
  return parts;
}
