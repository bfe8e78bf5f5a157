import { navigate } from "../../state/url.ts";
import { formatCount, formatNumber } from "../../ui/format.ts";
import { Legend } from "../../ui/legend.tsx";
import { anyThreshold, BOUND_DIGITS, type Effects } from "./model/fate.ts";
import type { Settings } from "./settings.ts";

/** What the colours and lines of the strip mean, in numbers. */
export function StripLegend({
  settings,
  effects,
}: {
  readonly settings: Settings;
  readonly effects: Effects;
}) {
  const { metric, domain, thresholds } = settings;
  return (
    <div class="strip-legend">
      <span class="metric-meaning">{metric.meaning}</span>
      <Legend
        domain={domain}
        signed={metric.signed}
        {...(metric.name === "rho" || metric.title.startsWith("log p ") ? { show: metric.show } : {})}
      />
      <ScaleField domain={domain} locked={metric.domain} />
      <span class="legend-keys">
        <span class="key missing">missing</span>
        <span class="key infinite">not finite</span>
        <span class="key over">beyond the scale</span>
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
                truncated to {formatNumber(thresholds.cap, BOUND_DIGITS)}: {formatCount(effects.truncated)}
              </span>
            )}
            {(thresholds.low ?? thresholds.high) !== undefined && (
              <span class="key masked">
                masked outside {formatNumber(thresholds.low ?? 0, BOUND_DIGITS)} …{" "}
                {formatNumber(thresholds.high ?? Infinity, BOUND_DIGITS)}: {formatCount(effects.masked)}
              </span>
            )}
            {thresholds.veto !== undefined && (
              <span class="key vetoed">
                veto below {formatNumber(thresholds.veto)}: {formatCount(effects.vetoed)}
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
