import { formatNumber, formatSigned } from "../../../src/render/text/display/index.ts";
import { SHADES, valueOfShade } from "./colour-scale.ts";

/** Swatches of a scale with numbers below; one-sided scales start at 0. */
export function Legend({
  domain,
  signed,
  show = signed ? formatSigned : formatNumber,
}: {
  readonly domain: number;
  readonly signed: boolean;
  /** How a value of the scale is written. */
  readonly show?: (value: number) => string;
}) {
  const first = signed ? -SHADES : 0;
  const shades = Array.from({ length: SHADES - first + 1 }, (_, at) => first + at);
  const labelled = signed ? [-SHADES, -5, 0, 5, SHADES] : [0, 5, SHADES];
  const ends = `${show(valueOfShade(first, domain))} to ${show(domain)}`;
  return (
    <span class="legend-ramp" role="img" aria-label={`color scale from ${ends}`}>
      {shades.map((shade) => (
        <i key={shade} class={`q${shade}`} style={{ gridColumn: shade - first + 1 }} />
      ))}
      {labelled.map((shade) => (
        <b key={shade} style={{ gridColumn: shade - first + 1 }}>
          {show(valueOfShade(shade, domain))}
        </b>
      ))}
    </span>
  );
}
