import { formatCounted } from "../../../../src/render/text/display/index.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { Correction } from "../../../../src/trainers/neutral/index.ts";
import { correctionParams } from "../../state/correction.ts";
import { type AxisName, moveLine } from "../../state/lines.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { Choice } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Threshold } from "../../ui/histogram/threshold.ts";
import { ThresholdHistogram } from "../../ui/histogram/threshold-histogram.tsx";
import type { Question } from "./use-question.ts";
import { formatBins, parseBins, Ways } from "./ways.tsx";

/** The histogram with the correction's lines, and links to the tokens or sequences in its bars. */
export function HistogramFigure({
  info,
  question,
  onChange,
}: {
  readonly info: RunInfo;
  readonly question: Question;
  readonly onChange: (correction: Correction, replace?: boolean) => void;
}) {
  const { correction, axisName, sides, picture, lines, hold, exact } = question;
  const picked = parseBins(route.value.params.bins);
  const thresholds = listThresholds(question);
  return (
    <figure>
      <Choice
        label="Histogram of"
        name="axis"
        value={axisName}
        options={AXIS_OPTIONS}
        onChange={(name) => navigate({ params: { axis: name, bins: undefined } })}
      />
      <Caption question={question} />
      <ThresholdHistogram
        label={`Histogram of ${AXIS_NAMES[axisName]}`}
        picture={picture}
        thresholds={thresholds}
        picked={picked}
        onPick={(from, to) => navigate({ params: { bins: formatBins(from, to) } }, { replace: true })}
        onMove={(name, ratio) => {
          const line = lines.find((each) => each.name === name);
          if (line) onChange(moveLine(correction, line, Math.log(ratio)), true);
        }}
        onHold={hold}
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
        exact={exact}
        bundled={info.bundled === true}
      />
      <Leave question={question} />
    </figure>
  );
}

function Caption({ question: { axisName, tokens, prepared, picture } }: { readonly question: Question }) {
  const counted =
    axisName === "token" ? formatCounted(tokens, "token") : formatCounted(prepared.sequences, "sequence");
  return (
    <figcaption>
      <span>
        {counted} by {AXIS_NAMES[axisName]}: Δ in nats below, ratio above; heights are logarithmic
      </span>
      <span class="sides">
        {picture.sides.map(({ name, color, up }) => (
          <span key={name}>
            <i style={{ background: `var(${color})` }} /> {name}{" "}
            {picture.sides.length > 1 && (up ? "↑" : "↓")}
          </span>
        ))}
      </span>
    </figcaption>
  );
}

function Leave({ question: { prepared, correction } }: { readonly question: Question }) {
  const { worst } = prepared;
  return (
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
  );
}

function listThresholds({ lines, correction }: Question): Threshold[] {
  return lines.map(({ name, label, step, at, effect }) => {
    const kind = correction.steps[step]!.action === "veto" ? "veto" : effect;
    return { name, label, kind, ratio: Math.exp(at) };
  });
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
