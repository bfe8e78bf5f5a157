import { formatNumber, formatSigned } from "../../../src/render/text/display/index.ts";
import { navigate, route } from "../state/url.ts";
import { LAST, SHADES, valueOfShade } from "./color-scale.ts";

/**
 * Where a scale ends: at the run's largest value, or with its domain where there is no such value or `beyond=off` says so.
 */
export function chooseEnd(domain: number, largest: number | undefined): number {
  const wanted = route.value.params.beyond !== "off" && Number.isFinite(largest);
  return wanted ? Math.max(domain, largest!) : domain;
}

interface LegendProps {
  readonly domain: number;
  /** The run's largest value, where it is known. */
  readonly largest?: number | undefined;
  readonly signed: boolean;
  /** How a value of the scale is written. */
  readonly show?: (value: number) => string;
}

/** Swatches of a scale with numbers below, those beyond its domain set apart; one-sided scales start at 0. */
export function Legend({
  domain,
  largest,
  signed,
  show = signed ? formatSigned : formatNumber,
}: LegendProps) {
  const end = chooseEnd(domain, largest);
  const last = end > domain ? LAST : SHADES;
  const first = signed ? -last : 0;
  const shades = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const middles = end > domain ? [] : [-5, 5];
  const marks = [-LAST, -SHADES, 0, SHADES, LAST, ...middles];
  const labelled = marks.filter((mark) => mark >= first && mark <= last);
  const write = (shade: number): string => show(valueOfShade(shade, domain, end));
  const knee = end > domain ? `, in a second hue beyond ${show(domain)}` : "";
  return (
    <>
      <span
        class="legend-ramp"
        role="img"
        style={{ gridAutoColumns: `${Math.min(1, (2 * SHADES + 1) / shades.length)}rem` }}
        aria-label={`color scale from ${write(first)} to ${write(last)}${knee}`}
      >
        {shades.map((shade) => (
          <i key={shade} class={`q${shade}`} style={{ gridColumn: shade - first + 1 }} />
        ))}
        {labelled.map((shade) => (
          <b key={shade} style={{ gridColumn: shade - first + 1 }}>
            {write(shade)}
          </b>
        ))}
      </span>
      {largest !== undefined && largest > domain && (
        <label class="beyond-field" title="beyond the scale in a second hue, up to the run's largest value">
          <input
            type="checkbox"
            checked={end > domain}
            onChange={({ currentTarget: { checked } }) =>
              navigate({ params: { beyond: checked ? undefined : "off" } }, { replace: true })
            }
          />
          to the largest
        </label>
      )}
    </>
  );
}
