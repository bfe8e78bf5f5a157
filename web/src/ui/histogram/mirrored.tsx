import { formatCount, formatNumber } from "../format.ts";
import { countInto, geometricEdges } from "./bins.ts";
import "./style.css";

const [WIDTH, HEIGHT, BINS] = [360, 150, 36];
const MIDDLE = HEIGHT / 2 - 8;
const HALF = MIDDLE - 14;

export interface MirroredSide {
  readonly name: string;
  readonly values: Float64Array;
}

/**
 * Two samples of positive values on one logarithmic axis, one above it and one below, as shares of each.
 *
 * Values of 0 are in the first bin.
 */
export function MirroredHistogram({
  above,
  below,
  unit,
}: {
  readonly above: MirroredSide;
  readonly below: MirroredSide;
  readonly unit: string;
}) {
  const sides = [above, below].map(({ name, values }) => ({ name, values, ...spanOf(values) }));
  const low = Math.min(...sides.map(({ least }) => least));
  const high = Math.max(low * 1.01, ...sides.map(({ most }) => most));
  const edges = geometricEdges(low, high, BINS);
  const shares = sides.map(({ values }) =>
    countInto(edges, values, Math.log).map((count) => count / values.length),
  );
  const most = Math.max(...shares.map((share) => Math.max(...share)));
  const x = (value: number): number => ((Math.log(value) - Math.log(low)) / Math.log(high / low)) * WIDTH;
  const said = sides
    .map(
      ({ name, values, median }) => `${formatCount(values.length)} ${name}, median ${formatNumber(median)}`,
    )
    .join("; ");
  const ticks = decades(low, high);
  return (
    <svg class="mirrored" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${said} ${unit}`}>
      {sides.map(({ name, values, median }, side) => (
        <g key={name} class={side === 0 ? "side-above" : "side-below"}>
          {Array.from(shares[side]!, (share, bin) => {
            const height = (share / most) * HALF;
            return share === 0 ? null : (
              <rect
                key={edges[bin]!}
                x={(bin * WIDTH) / BINS + 0.5}
                width={WIDTH / BINS - 1}
                y={side === 0 ? MIDDLE - height : MIDDLE}
                height={height}
              />
            );
          })}
          <line
            x1={x(Math.max(low, median))}
            x2={x(Math.max(low, median))}
            y1={side === 0 ? MIDDLE - HALF : MIDDLE}
            y2={side === 0 ? MIDDLE : MIDDLE + HALF}
          />
          <text x={0} y={side === 0 ? 11 : 2 * MIDDLE - 3}>
            {name} · n = {formatCount(values.length)}
          </text>
        </g>
      ))}
      <line class="axis" x1={0} x2={WIDTH} y1={MIDDLE} y2={MIDDLE} />
      {ticks.map((tick) => (
        <text key={tick} class="tick" x={x(tick)} y={HEIGHT - 3}>
          {formatNumber(tick)}
        </text>
      ))}
      <text class="unit" x={WIDTH} y={11}>
        {unit}
      </text>
    </svg>
  );
}

/** Of the values above 0; the median of all. */
function spanOf(values: Float64Array): {
  readonly least: number;
  readonly most: number;
  readonly median: number;
} {
  const sorted = values.slice().sort();
  const least = sorted.find((value) => value > 0) ?? 1e-6;
  return { least, most: sorted.at(-1) ?? 1, median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
}

/** Powers of ten between the ends, with twos and fives when there are few. */
function decades(low: number, high: number): number[] {
  const factors = high / low < 100 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const factor of factors) ticks.push(Number(`${factor}e${power}`));
  return ticks.filter((tick) => tick > low * 1.15 && tick < high / 1.15);
}
