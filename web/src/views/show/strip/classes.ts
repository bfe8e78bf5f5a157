import { shadeClass } from "../../../ui/colour-scale.ts";
import type { TokenRange } from "../model/axis.ts";
import { anyThreshold, effectOn, type Thresholds } from "../model/fate.ts";
import { HIT } from "../model/find.ts";
import type { SequenceModel } from "../model/sequence-model.ts";

/** What the classes of tokens come from. */
export interface Painting {
  /** `[response]`, NaN where missing. */
  readonly values: Float64Array;
  readonly domain: number;
  readonly thresholds: Thresholds;
  readonly range: TokenRange | undefined;
}

const EFFECT_CLASSES = { kept: "", truncated: " truncated", masked: " masked", vetoed: " vetoed" } as const;

/** Classes by place: the shade, the effect of the thresholds, whether it lies in the range. */
export function classesFor(
  { prompt, wire: { mask }, deltas }: SequenceModel,
  { values, domain, thresholds, range }: Painting,
): (place: number) => string {
  const effects = anyThreshold(thresholds);
  return (place) => {
    const at = place - prompt;
    if (at < 0) return "";
    const ranged = range !== undefined && at >= range.from && at <= range.to ? " ranged" : "";
    if (mask[at] === 0) return `untrained${ranged}`;
    const effect = effects ? EFFECT_CLASSES[effectOn(deltas[at]!, thresholds)] : "";
    return shadeClass(values[at]!, domain) + effect + ranged;
  };
}

/** @param bits of {@link HIT} */
export function hitClasses(bits: number): string {
  if (bits === 0) return "";
  return ` hit${bits & HIT.first ? " hit-first" : ""}${bits & HIT.last ? " hit-last" : ""}`;
}
