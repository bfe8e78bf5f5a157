import type { SweepReport } from "../../results/sweep.ts";

/** `trl, slime: has the rest, but not …`: the presets that cannot express the chosen correction exactly, by reason. */
export function inexpressibleLines({ inexpressible }: SweepReport): { presets: string; why: string }[] {
  const whys = [...new Set(inexpressible.map(({ why }) => why))];
  return whys.map((why) => ({
    presets: inexpressible
      .filter((each) => each.why === why)
      .map(({ preset }) => preset)
      .join(", "),
    why,
  }));
}
