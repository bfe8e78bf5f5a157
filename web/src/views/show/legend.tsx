import { formatCount } from "../../../../src/render/text/display/index.ts";
import { boundText } from "../../state/setting.ts";
import { navigate } from "../../state/url.ts";
import { PALETTE_TITLES, PALETTES, type Palette } from "../../ui/colour-scale.ts";
import { Legend } from "../../ui/legend.tsx";
import { anyThreshold, type Effects } from "./model/fate.ts";
import type { Settings } from "./settings.ts";

/** What the colors and lines of the strip mean, in numbers. */
export function StripLegend({
  settings,
  effects,
}: {
  readonly settings: Settings;
  readonly effects: Effects;
}) {
  const { metric, domain, thresholds, palette } = settings;
  return (
    <div class="strip-legend">
      <span class="metric-meaning">{metric.meaning}</span>
      <Legend
        domain={domain}
        signed={metric.signed}
        {...(metric.name === "rho" || metric.title.startsWith("log p ") ? { show: metric.show } : {})}
      />
      <ScaleField domain={domain} locked={metric.domain} />
      <PaletteField palette={palette} />
      <span class="legend-keys">
        <span class="key missing">missing</span>
        <span class="key infinite">not finite</span>
        <span class="key over">beyond</span>
        <span class="key untrained">not trained</span>
        {settings.numbers && (
          <span class="key number-key">
            above a digit its power of ten: <sup>2</sup> for hundreds, <sup>−1</sup> for tenths
          </span>
        )}
        {anyThreshold(thresholds) && (
          <>
            {thresholds.cap !== undefined && (
              <span class="key truncated">
                truncated to {boundText(thresholds.cap)}: {formatCount(effects.truncated)}
              </span>
            )}
            {(thresholds.low ?? thresholds.high) !== undefined && (
              <span class="key masked">
                {thresholds.zeroes ? "weight 0" : "masked"} outside {boundText(thresholds.low ?? 0)} …{" "}
                {boundText(thresholds.high ?? Infinity)}: {formatCount(effects.masked)}
              </span>
            )}
            {thresholds.veto !== undefined && (
              <span class="key vetoed">
                veto below {boundText(thresholds.veto)}: {formatCount(effects.vetoed)}
              </span>
            )}
          </>
        )}
      </span>
      {effects.vetoedBy !== undefined && (
        <strong class="veto-note">the veto drops this whole sequence (first by t{effects.vetoedBy})</strong>
      )}
    </div>
  );
}

function PaletteField({ palette }: { readonly palette: Palette }) {
  return (
    <label class="palette-field">
      palette
      <select
        value={palette}
        onChange={({ currentTarget: { value } }) => navigate({ params: { palette: value } })}
      >
        {PALETTES.map((name) => (
          <option key={name} value={name}>
            {PALETTE_TITLES[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The end of the scale: the run's, until someone says otherwise. */
function ScaleField({ domain, locked }: { readonly domain: number; readonly locked: number }) {
  return (
    <label class="scale-field">
      scale to
      <input
        type="number"
        min="0"
        step="any"
        value={Number(domain.toPrecision(3))}
        onChange={({ currentTarget: { value } }) =>
          navigate({ params: { scale: Number(value) > 0 ? value : undefined } }, { replace: true })
        }
      />
      {domain !== locked && (
        <button type="button" onClick={() => navigate({ params: { scale: undefined } })}>
          back to the run's
        </button>
      )}
    </label>
  );
}
