import { formatSteps, stepsBetween } from "./step-range.ts";
import { type Move, navigate } from "./url.ts";

/** What a brush over charts of `steps` does: it puts the brushed steps into the address. */
export function brushSteps(
  steps: readonly number[],
  params: Move["params"] = {},
): (from: number, to: number, further: boolean) => void {
  return (from, to, further) => {
    const chosen = stepsBetween(steps, from, to);
    if (chosen !== null)
      navigate({ params: { ...params, steps: formatSteps(chosen) } }, { replace: further });
  };
}
