/**
 * How much of Σ|Δ| a set of tokens holds, compared with the rest.
 *
 * @module
 */
import type { View } from "../sample/view.ts";

export interface Concentration {
  readonly tokens: number;
  /** Share of all unexplained tokens. */
  readonly share: number;
  /** Share of Σ|Δ|. */
  readonly weight: number;
  readonly meanInside: number;
  readonly meanOutside: number;
  /** Tokens inside the set with |Δ| above {@link CLEARLY_OFF}. */
  readonly offInside: number;
  readonly offOutside: number;
  /** Mean Δ inside, signed. */
  readonly deltaInside: number;
  /** The set's tokens with the largest |Δ|, at most five. */
  readonly worst: readonly number[];
}

/** Nats; no engine's precision moves many tokens this far. */
export const CLEARLY_OFF = 0.25;

export function concentrate(view: View, isInside: (i: number) => boolean): Concentration {
  let inside = 0;
  let outside = 0;
  let absInside = 0;
  let absOutside = 0;
  let offInside = 0;
  let offOutside = 0;
  let deltaInside = 0;
  const worst: number[] = [];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const delta = view.d[i]!;
    const abs = Math.abs(delta);
    const isOff = abs > CLEARLY_OFF ? 1 : 0;
    if (isInside(i)) {
      inside++;
      absInside += abs;
      offInside += isOff;
      deltaInside += delta;
      keepWorst(view, worst, i);
    } else {
      outside++;
      absOutside += abs;
      offOutside += isOff;
    }
  }
  const divide = (a: number, b: number): number => (b === 0 ? 0 : a / b);
  return {
    tokens: inside,
    share: divide(inside, inside + outside),
    weight: divide(absInside, absInside + absOutside),
    meanInside: divide(absInside, inside),
    meanOutside: divide(absOutside, outside),
    offInside: divide(offInside, inside),
    offOutside: divide(offOutside, outside),
    deltaInside: divide(deltaInside, inside),
    worst,
  };
}

function keepWorst(view: View, worst: number[], i: number): void {
  const size = (k: number): number => Math.abs(view.d[k]!);
  if (worst.length === 5 && size(worst[4]!) >= size(i)) return;
  worst.push(i);
  worst.sort((x, y) => size(y) - size(x));
  if (worst.length > 5) worst.pop();
}
