import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { countOf } from "../../../../src/render/text/display/index.ts";
import type { RunInfo, WhatIfSums } from "../../../../src/results/index.ts";
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { client } from "../../api/client.ts";
import { useExact } from "../../state/exact.ts";
import { type Loaded, settle, table, whatIf } from "../../state/loaded.ts";
import {
  type Bound,
  boundsOf,
  parseSetting,
  questionOf,
  type Setting,
  settingParams,
  withBound,
} from "../../state/setting.ts";
import { formatSteps, parseSteps, type StepRange } from "../../state/step-range.ts";
import { hrefOf, navigate, route } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { type Threshold, ThresholdHistogram } from "../../ui/histogram/threshold-histogram.tsx";
import { BOUND_LABELS, SettingPicker, TrainerButtons } from "../../ui/setting-picker.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { Configs } from "./configs.tsx";
import { DroppedTable, FiguresTable } from "./figures-table.tsx";
import { OverSteps } from "./over-steps.tsx";
import { axisOf, figuresNow, inSteps, pictureOf, prepare, sidesOf } from "./prepared.ts";
import "./style.css";
import { formatBins, parseBins, Ways } from "./ways.tsx";

/** What a correction would do: drag its thresholds. */
export function WhatIfView({ info }: ViewProps) {
  if (info.tokens === 0)
    return <p class="failed">No token of this run has both log-probs: there is nothing to correct.</p>;
  return <WhenLoaded of={table()}>{(sequences) => <OfSteps info={info} table={sequences} />}</WhenLoaded>;
}

/** Over the steps that are looked at; files have the sums of the whole run only. */
function OfSteps({ info, table }: { readonly info: RunInfo; readonly table: SequenceTable }) {
  const range = info.bundled ? null : parseSteps(route.value.params.steps ?? "");
  const [from, to] = range ?? [];
  const sums = useMemo(() => {
    if (range === null) return whatIf();
    const own = signal<Loaded<WhatIfSums>>({ state: "loading" });
    settle(client.whatIf(formatSteps(range)), own);
    return own;
  }, [table, from, to]);
  const inside = useMemo(() => (range === null ? table : inSteps(table, range)), [table, from, to]);
  return (
    <div class="what-if-view">
      <h1>What if</h1>
      <WhenLoaded of={sums}>
        {(bins) => <WhatIf info={info} table={inside} sums={bins} range={range} />}
      </WhenLoaded>
    </div>
  );
}

function WhatIf({
  info,
  table,
  sums,
  range,
}: {
  readonly info: RunInfo;
  readonly table: SequenceTable;
  readonly sums: WhatIfSums;
  readonly range: StepRange | null;
}) {
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
  const exact = useExact(client.exact, questionOf(setting, range), held !== undefined);

  const change = (next: Setting, replace = false): void => {
    navigate({ params: settingParams(next) }, { replace });
  };
  const picked = parseBins(params.bins);
  const units = setting.level === "token" ? "token" : "sequence";
  const thresholds = boundsOf(setting)
    // A sequence's ratio has no place for the veto, which is about single tokens.
    .filter((name) => name !== "veto" || setting.level === "token")
    .map((name): Threshold => ({ name, label: BOUND_LABELS[name], ratio: setting[name] ?? 0 }));
  const { worst } = prepared;
  return (
    <>
      <SettingPicker setting={setting} onChange={change} />
      <TrainerButtons setting={setting} onChange={change} />
      <div class="what-if-body">
        <figure>
          <figcaption>
            <span>
              {countOf(setting.level === "token" ? figures.tokens : prepared.sequences, units)} by{" "}
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
            picked={picked}
            onPick={(from, to) => navigate({ params: { bins: formatBins(from, to) } }, { replace: true })}
            onMove={(name, ratio) => change(withBound(setting, name as Bound, ratio), true)}
            onHold={(holds) => setHeld((before) => (holds ? (before ?? setting) : undefined))}
          />
          {thresholds.length > 0 && (
            <p class="muted">
              Drag the lines, or focus one and use the arrow keys (Shift for large steps)
              {info.bundled ? "" : "; drag over the bars to choose some"}. Hatched: dropped; ruled: clipped.
            </p>
          )}
          <Ways setting={setting} picked={picked} sides={sides} bundled={info.bundled === true} />
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
          <DroppedTable figures={figures} setting={setting} exact={exact} />
        </div>
      </div>
      <section aria-labelledby="configs-title">
        <h2 id="configs-title">As a config</h2>
        <Configs exact={exact} />
      </section>
      {info.steps.length > 1 && !info.bundled && (
        <OverSteps setting={setting} held={held !== undefined} marked={range} steps={info.steps} />
      )}
    </>
  );
}

const AXIS_NAMES = {
  token: "Δ of a token",
  sequence: "ΣΔ, the log of the sequence's ratio",
  geometric: "mean Δ, the log of its geometric mean",
} as const;
