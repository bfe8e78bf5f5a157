import { type Scale, shadeClass } from "../../../ui/color-scale.ts";
import type { TokenRange } from "../model/axis.ts";
import type { Fates } from "../model/fate.ts";
import { HIT } from "../model/find.ts";
import type { SequenceModel } from "../model/sequence-model.ts";

/** What the classes of tokens depend on. */
export interface Painting {
  /** `[response]`, NaN where missing. */
  readonly values: Float64Array;
  readonly scale: Scale;
  readonly fates: Fates;
  readonly range: TokenRange | undefined;
}

const EFFECT_CLASSES = { kept: "", truncated: " truncated", masked: " masked", vetoed: " vetoed" } as const;

/** Classes by place: the shade, the effect of the correction, and whether it is in the range or in thinking. */
export function classesFor(
  { prompt, thinking, wire: { mask } }: SequenceModel,
  { values, scale, fates, range }: Painting,
): (place: number) => string {
  return (place) => {
    const at = place - prompt;
    if (at < 0) return "";
    const ranged = range !== undefined && at >= range.from && at <= range.to ? " ranged" : "";
    if (mask[at] === 0) return `untrained${ranged}`;
    const effect = fates.any ? EFFECT_CLASSES[fates.effect(at)] : "";
    return shadeClass(values[at]!, scale) + effect + ranged + (thinking?.[at] ? " thinking" : "");
  };
}

/** @param bits of {@link HIT} */
export function hitClasses(bits: number): string {
  if (bits === 0) return "";
  return ` hit${bits & HIT.first ? " hit-first" : ""}${bits & HIT.last ? " hit-last" : ""}`;
}
