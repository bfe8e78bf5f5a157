import { pixel } from "../../../../src/render/charts/index.ts";
import { sparkValue } from "../../../../src/results/wire/briefs.ts";
import type { Scale } from "../color-scale.ts";

const HEIGHT = 14;
const BAR = 3;
/** A |Δ| below this, in nats, has no height. */
const LEAST = 1e-4;

/**
 * |Δ| along a response: a bar for each 32nd of it, on a logarithmic scale from 0.0001 to the end of the color scale,
 * the same for every row. Values that have the second hue elsewhere stand out; tool output is a gap.
 */
export function Spark({
  levels,
  scale: { domain, end },
}: {
  readonly levels: Uint8Array | undefined;
  readonly scale: Scale;
}) {
  if (levels === undefined) return null;
  const most = Math.log(Math.max(2 * LEAST, end) / LEAST);
  const paths = ["", ""];
  for (const [bin, level] of levels.entries()) {
    if (level === 0) continue;
    const value = sparkValue(level);
    const share = Math.min(1, Math.max(0.06, Math.log(value / LEAST) / most));
    paths[value > domain ? 1 : 0] +=
      `M${bin * BAR} ${HEIGHT}v${pixel(-share * HEIGHT)}h2v${pixel(share * HEIGHT)}z`;
  }
  return (
    <svg class="spark" viewBox={`0 0 ${levels.length * BAR} ${HEIGHT}`} aria-hidden="true">
      <path d={paths[0]} />
      <path class="beyond" d={paths[1]} />
    </svg>
  );
}
