import { formatCount } from "../../../../src/render/text/display/index.ts";
import { navigate } from "../../state/url.ts";
import { PALETTE_TITLES, PALETTES, type Palette } from "../../ui/color-scale.ts";
import { Legend } from "../../ui/legend.tsx";
import type { Choices } from "./choices.ts";
import type { Fates } from "./model/fate.ts";

/** What the colors and lines of the strip mean, in numbers. */
export function StripLegend({
  choices,
  fates,
  thinks,
}: {
  readonly choices: Choices;
  readonly fates: Fates;
  /** Whether any token is part of thinking. */
  readonly thinks: boolean;
}) {
  const { metric, scale, palette } = choices;
  return (
    <div class="strip-legend">
      <span class="metric-meaning">{metric.meaning}</span>
      <Legend
        scale={scale}
        signed={metric.signed}
        show={metric.show}
        canChoose={metric.ofRun !== undefined}
      />
      <PaletteField palette={palette} />
      <span class="legend-keys">
        <span class="key missing">missing</span>
        <span class="key infinite">not finite</span>
        {scale.end < (metric.ofRun?.end ?? Infinity) && <span class="key over">beyond</span>}
        <span class="key untrained">not trained</span>
        {thinks && <span class="key thinking">thinking</span>}
        {choices.numbers && (
          <span class="key number-key">
            the number above a digit is its power of ten: <sup>2</sup> for hundreds, <sup>−1</sup> for tenths
          </span>
        )}
        {fates.any &&
          (["truncated", "masked", "vetoed"] as const).map(
            (effect) =>
              fates.counts[effect] > 0 && (
                <span key={effect} class={`key ${effect}`}>
                  {effect}: {formatCount(fates.counts[effect])}
                </span>
              ),
          )}
      </span>
      {fates.problem !== undefined && <strong class="veto-note">{fates.problem}</strong>}
      {fates.vetoedBy !== undefined && (
        <strong class="veto-note">the veto drops this whole sequence (first by t{fates.vetoedBy})</strong>
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
