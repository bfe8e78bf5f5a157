import { formatNumber, formatSigned } from "../../../src/render/text/display/index.ts";
import type { RunInfo } from "../../../src/results/view.ts";
import { navigate, route } from "../state/url.ts";
import { LAST, NATS, runScale, type Scale, SHADES, valueOfShade } from "./color-scale.ts";

/** Value of the parameter `scale` for the run's own scale. */
const RELATIVE = "run";

/** The scale that the address asks for: the anchored one or, with `scale=run`, the run's own if it has one. */
export function chooseScale(anchored: Scale, ofRun: Scale | undefined): Scale {
  return (route.value.params.scale === RELATIVE && ofRun) || anchored;
}

/** The scale of Δ, or of other sizes in nats. */
export function deltaScale({ delta, largest }: RunInfo["scales"], anchored = NATS): Scale {
  return chooseScale(anchored, runScale(delta, largest.delta));
}

interface LegendProps {
  readonly scale: Scale;
  readonly signed: boolean;
  /** How a value of the scale is written. */
  readonly show?: (value: number) => string;
  /** Whether the run has its own scale to choose. */
  readonly canChoose?: boolean;
}

/** Swatches of a scale with numbers below; those beyond the domain are set apart, one-sided scales start at 0. */
export function Legend({
  scale,
  signed,
  show = signed ? formatSigned : formatNumber,
  canChoose = true,
}: LegendProps) {
  const { floor, domain, end } = scale;
  const last = end > domain ? LAST : SHADES;
  const first = signed ? -last : 0;
  const shades = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const marks = [-LAST, -SHADES, 0, SHADES, LAST];
  const labelled = marks.filter((mark) => mark >= first && mark <= last);
  const brief = (value: number): string =>
    show(value)
      .replace(/(\.\d*?)0+$/, "$1")
      .replace(/\.$/, "");
  const write = (shade: number): string => brief(valueOfShade(shade, scale));
  const said = [
    ...(floor > 0 ? [`no color to ${brief(floor)}`] : []),
    ...(end > domain ? [`second hue from ${brief(domain)}`] : []),
  ].join(", ");
  return (
    <>
      <span
        class="legend-ramp"
        role="img"
        style={{ gridAutoColumns: `${Math.min(1, (2 * SHADES + 1) / shades.length)}rem` }}
        aria-label={`color scale from ${write(first)} to ${write(last)}`}
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
      {said !== "" && <span class="muted">{said}</span>}
      {canChoose && (
        <label
          class="scale-field"
          title="to the run: the second hue from its p99.5 on, up to its largest value"
        >
          <input
            type="checkbox"
            checked={route.value.params.scale === RELATIVE}
            onChange={({ currentTarget: { checked } }) =>
              navigate({ params: { scale: checked ? RELATIVE : undefined } }, { replace: true })
            }
          />
          relative
        </label>
      )}
    </>
  );
}
