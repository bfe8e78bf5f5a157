import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { formatCounted } from "../../../../src/render/text/display/index.ts";
import type { CorrectBins, RunInfo } from "../../../../src/results/index.ts";
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { type Correction, formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { client } from "../../api/client.ts";
import { correctionParams, readCorrection, USUAL_CORRECTION } from "../../state/correction.ts";
import { useExact } from "../../state/exact.ts";
import { AXES, type AxisName, linesOn, mainAxis, moveLine } from "../../state/lines.ts";
import { correctBins, type Loaded, settle, table } from "../../state/loaded.ts";
import { formatSteps, parseSteps, type StepRange } from "../../state/step-range.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { Choice } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { CorrectionEditor, ShippedButtons } from "../../ui/correction-editor.tsx";
import { type Threshold, ThresholdHistogram } from "../../ui/histogram/threshold-histogram.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { Configs } from "./configs.tsx";
import { DroppedTable, FiguresTable } from "./figures-table.tsx";
import { OverSteps } from "./over-steps.tsx";
import { figuresNow, inSteps, listSides, makeAxis, makePicture, prepare } from "./prepared.ts";
import "./style.css";
import { formatBins, parseBins, Ways } from "./ways.tsx";

/** What a correction would do: drag its thresholds. */
export function CorrectView({ info }: ViewProps) {
  if (info.tokens === 0)
    return <p class="failed">No token of this run has both log-probs: there is nothing to correct.</p>;
  return <WhenLoaded of={table()}>{(sequences) => <OfSteps info={info} table={sequences} />}</WhenLoaded>;
}

/** Over the steps that are looked at; files have the sums of the whole run only. */
function OfSteps({ info, table }: { readonly info: RunInfo; readonly table: SequenceTable }) {
  const range = info.bundled ? null : parseSteps(route.value.params.steps ?? "");
  const [from, to] = range ?? [];
  const sums = useMemo(() => {
    if (range === null) return correctBins();
    const own = signal<Loaded<CorrectBins>>({ state: "loading" });
    settle(client.correctBins(formatSteps(range)), own);
    return own;
  }, [table, from, to]);
  const inside = useMemo(() => (range === null ? table : inSteps(table, range)), [table, from, to]);
  return (
    <div class="correct-view">
      <h1>Correction</h1>
      <WhenLoaded of={sums}>
        {(bins) => <OfCorrection info={info} table={inside} sums={bins} range={range} />}
      </WhenLoaded>
    </div>
  );
}

function OfCorrection({
  info,
  table,
  sums,
  range,
}: {
  readonly info: RunInfo;
  readonly table: SequenceTable;
  readonly sums: CorrectBins;
  readonly range: StepRange | null;
}) {
  const prepared = useMemo(() => prepare(table, sums), [table, sums]);
  const { params } = route.value;
  const { correction: asked, problem } = readCorrection(params);
  const correction = asked ?? USUAL_CORRECTION;
  const [held, setHeld] = useState<Correction>();
  const text = formatCorrection(correction);
  const axisName = AXES.find((name) => name === params.axis) ?? mainAxis(correction);
  // While a line is held the axis stays: it must not move under the pointer.
  const axisKey = held === undefined ? text : formatCorrection(held);
  const axis = useMemo(() => makeAxis(prepared, held ?? correction, axisName), [prepared, axisKey, axisName]);
  const sides = useMemo(() => listSides(prepared, axisName), [prepared, axisName]);
  const picture = useMemo(() => makePicture(sides, correction, axisName, axis), [sides, text, axis]);
  const figures = useMemo(() => figuresNow(prepared, correction), [prepared, text]);
  const exact = useExact(client.correct, { correction: text, steps: range }, held !== undefined);
  const change = (next: Correction, replace = false): void => {
    navigate({ params: correctionParams(next) }, { replace });
  };
  const picked = parseBins(params.bins);
  const lines = linesOn(correction, axisName);
  const thresholds = lines.map(({ name, label, step, at, effect }): Threshold => {
    const kind = correction.steps[step]!.action === "veto" ? "veto" : effect;
    return { name, label, kind, ratio: Math.exp(at) };
  });
  const tokens = prepared.sums.sides.reduce(
    (sum, side) => sum + prepared.sums.below(side, "tokens", Infinity),
    0,
  );
  const { worst } = prepared;
  return (
    <>
      {problem !== undefined && <p class="failed">{problem}</p>}
      <ShippedButtons shipped={info.shipped} correction={asked} onChange={change} />
      <CorrectionEditor correction={correction} onChange={change} />
      <div class="correct-body">
        <figure>
          <Choice
            label="Histogram of"
            name="axis"
            value={axisName}
            options={AXIS_OPTIONS}
            onChange={(name) => navigate({ params: { axis: name, bins: undefined } })}
          />
          <figcaption>
            <span>
              {axisName === "token"
                ? formatCounted(tokens, "token")
                : formatCounted(prepared.sequences, "sequence")}{" "}
              by {AXIS_NAMES[axisName]}: Δ in nats below, ratio above; heights are logarithmic
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
            label={`Histogram of ${AXIS_NAMES[axisName]}`}
            picture={picture}
            thresholds={thresholds}
            picked={picked}
            onPick={(from, to) => navigate({ params: { bins: formatBins(from, to) } }, { replace: true })}
            onMove={(name, ratio) => {
              const line = lines.find((each) => each.name === name);
              if (line) change(moveLine(correction, line, Math.log(ratio)), true);
            }}
            onHold={(holds) => setHeld((before) => (holds ? (before ?? correction) : undefined))}
          />
          {thresholds.length > 0 && (
            <p class="muted">
              Drag the lines, or focus one and use the arrow keys (Shift for large steps)
              {info.bundled ? "" : "; drag over the bars to choose some"}. Hatched: dropped; ruled: clipped.
            </p>
          )}
          <Ways
            correction={correction}
            axis={axisName}
            picked={picked}
            sides={sides}
            bundled={info.bundled === true}
          />
          <p class="leave">
            {worst && (
              <a
                href={makeHref({
                  view: "sequence",
                  sequence: worst.sequence,
                  token: worst.token,
                  params: correctionParams(correction),
                })}
              >
                See it in the text of the worst sequence
              </a>
            )}
            <CopyButton label="Copy link" text={() => location.href} />
          </p>
        </figure>
        <div class="correct-side">
          <FiguresTable
            figures={figures}
            tokens={tokens}
            hasVeto={correction.steps.some(({ action }) => action === "veto")}
            exact={exact}
          />
          <DroppedTable figures={figures} exact={exact} />
        </div>
      </div>
      <section aria-labelledby="configs-title">
        <h2 id="configs-title">In words, and as a config</h2>
        <p class="muted">{exact.state === "ready" ? exact.answer.words : "…"}</p>
        <Configs exact={exact} />
      </section>
      {info.steps.length > 1 && !info.bundled && (
        <OverSteps correction={correction} held={held !== undefined} marked={range} steps={info.steps} />
      )}
    </>
  );
}

const AXIS_NAMES: Readonly<Record<AxisName, string>> = {
  token: "Δ of a token",
  sum: "ΣΔ of a sequence",
  mean: "mean Δ of a sequence",
};
const AXIS_OPTIONS: readonly { readonly name: AxisName; readonly title: string }[] = [
  { name: "token", title: "Tokens" },
  { name: "sum", title: "Sequences, product" },
  { name: "mean", title: "Sequences, geometric mean" },
];
