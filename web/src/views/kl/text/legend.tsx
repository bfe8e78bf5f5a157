import { heatBounds } from "../../../../../src/render/charts/index.ts";
import { formatNumber } from "../../../../../src/render/text/display/index.ts";

/** The scale with its numbers, the same for every text and checkpoint, and the meaning of other colors and lines. */
export function HeatLegend({ scale, hasError }: { readonly scale: number; readonly hasError: boolean }) {
  return (
    <ul class="heat-legend" aria-label="Scale of KL, nats">
      {scale > 0 &&
        heatBounds(scale).map((bound, level) => (
          <li key={level}>
            <b class={`k${level}`}>{level === 0 ? "\u00a0" : level}</b>
            {level === 0 ? "from 0" : `≥ ${formatNumber(bound)}`}
          </li>
        ))}
      <li>
        <b class="tool-output">x</b>tool output, not scored
      </li>
      <li>
        <b class="unknown">–</b>no score
      </li>
      <li>
        <b class="spike">x</b>spike
      </li>
      {hasError && (
        <li>
          <b class="error wrong">x</b>first error
        </li>
      )}
    </ul>
  );
}
