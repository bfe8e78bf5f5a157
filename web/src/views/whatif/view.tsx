import { useMemo, useState } from "preact/hooks";
import type { WhatIfSums } from "../../../../src/protocol/view.ts";
import type { SequenceTable } from "../../../../src/wire/index.ts";
import { table, whatIf } from "../../state/loaded.ts";
import {
  type Bound,
  boundsOf,
  parseSetting,
  type Setting,
  settingParams,
  withBound,
} from "../../state/setting.ts";
import { hrefOf, navigate, route } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { countOf } from "../../ui/format.ts";
import { type Threshold, ThresholdHistogram } from "../../ui/histogram/threshold-histogram.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { Configs } from "./configs.tsx";
import { useExact } from "./exact.ts";
import { FiguresTable, LengthTable } from "./figures-table.tsx";
import { BOUND_LABELS, Pickers, TrainerButtons } from "./pickers.tsx";
import { axisOf, figuresNow, pictureOf, prepare, sidesOf } from "./prepared.ts";
import "./style.css";

/** What a correction would do: drag its thresholds. */
export function WhatIfView({ info }: ViewProps) {
  return (
    <WhenLoaded of={table()}>
      {(sequences) => (
        <WhenLoaded of={whatIf()}>
          {(sums) =>
            info.tokens === 0 ? (
              <p class="failed">No token of this run has both log-probs: there is nothing to correct.</p>
            ) : (
              <WhatIf table={sequences} sums={sums} />
            )
          }
        </WhenLoaded>
      )}
    </WhenLoaded>
  );
}

function WhatIf({ table, sums }: { readonly table: SequenceTable; readonly sums: WhatIfSums }) {
  const prepared = useMemo(() => prepare(table, sums), [table, sums]);
  const { params } = route.value;
  const setting = parseSetting(params);
  const [held, setHeld] = useState<Setting>();
  const key = JSON.stringify(settingParams(setting));
  // While a line is held the axis stays: it must not move under the pointer.
  const axisKey = held === undefined ? key : JSON.stringify(settingParams(held));
  const axis = useMemo(() => axisOf(prepared, held ?? setting), [prepared, axisKey]);
  const sides = useMemo(() => sidesOf(prepared, setting.level), [prepared, setting.level]);
  const picture = useMemo(() => pictureOf(sides, setting, axis), [sides, key, axis]);
  const figures = useMemo(() => figuresNow(prepared, setting), [prepared, key]);
  const exact = useExact(setting, held !== undefined);

  const change = (next: Setting, replace = false): void => {
    navigate({ params: settingParams(next) }, { replace });
  };
  const units = setting.level === "token" ? "token" : "sequence";
  const thresholds = boundsOf(setting)
    // A sequence's ratio has no place for the veto, which is about single tokens.
    .filter((name) => name !== "veto" || setting.level === "token")
    .map((name): Threshold => ({ name, label: BOUND_LABELS[name], ratio: setting[name] ?? 0 }));
  const { worst } = prepared;
  return (
    <div class="what-if-view">
      <h1>What if</h1>
      <Pickers setting={setting} onChange={change} />
      <TrainerButtons setting={setting} onChange={change} />
      <div class="what-if-body">
        <figure>
          <figcaption>
            <span>
              {countOf(setting.level === "token" ? figures.tokens : table.length, units)} by{" "}
              {AXIS_NAMES[setting.level]}: Δ in nats below, ratio above; heights are logarithmic
            </span>
            <span class="sides">
              {picture.sides.map(({ name, colour, up }) => (
                <span key={name}>
                  <i style={{ background: `var(${colour})` }} /> {name}{" "}
                  {picture.sides.length > 1 && (up ? "↑" : "↓")}
                </span>
              ))}
            </span>
          </figcaption>
          <ThresholdHistogram
            label={`Histogram of ${AXIS_NAMES[setting.level]}`}
            picture={picture}
            thresholds={thresholds}
            onMove={(name, ratio) => change(withBound(setting, name as Bound, ratio), true)}
            onHold={(holds) => setHeld((before) => (holds ? (before ?? setting) : undefined))}
          />
          {thresholds.length > 0 && (
            <p class="muted">
              Drag the lines, or focus one and use the arrow keys (Shift for large steps). Hatched: dropped;
              ruled: clipped.
            </p>
          )}
          <p class="leave">
            {worst && (
              <a
                href={hrefOf({
                  view: "sequence",
                  sequence: worst.sequence,
                  token: worst.token,
                  params: settingParams(setting),
                })}
              >
                See it in the text of the worst sequence
              </a>
            )}
            <CopyButton label="Copy link" text={() => location.href} />
          </p>
        </figure>
        <div class="what-if-side">
          <FiguresTable figures={figures} setting={setting} exact={exact} />
          <LengthTable figures={figures} />
        </div>
      </div>
      <section aria-labelledby="configs-title">
        <h2 id="configs-title">As a config</h2>
        <Configs exact={exact} />
      </section>
    </div>
  );
}

const AXIS_NAMES = {
  token: "Δ of a token",
  sequence: "ΣΔ, the log of the sequence's ratio",
  geometric: "mean Δ, the log of its geometric mean",
} as const;
