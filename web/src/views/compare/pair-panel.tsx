import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ChartSpec } from "../../../../src/render/charts/index.ts";
import { formatCounted, formatNumber, formatSigned } from "../../../../src/render/text/display/index.ts";
import type { PairKind, RunComparison } from "../../../../src/results/view.ts";
import type { WireSequence } from "../../../../src/results/wire/sequence.ts";
import { client } from "../../api/client.ts";
import { type Loaded, settle } from "../../state/loaded.ts";
import { navigate, param } from "../../state/url.ts";
import { ChartView, useCrosshair } from "../../ui/chart-view.tsx";
import { Choice } from "../../ui/choice.tsx";
import { paletteNamed, type Scale } from "../../ui/color-scale.ts";
import { Legend } from "../../ui/legend.tsx";
import { promptText, tokenText } from "../../ui/token-text.ts";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import { ALIGNMENTS, type PairModel, pairModel, windowAt } from "./pair-model.ts";
import { PairStrip, tokenId } from "./pair-strip.tsx";
import { HOW_TITLES } from "./pairs.ts";
import { hrefToA, hrefToB } from "./sequence-href.ts";
import { goToToken, usePairKeys } from "./use-pair-keys.ts";

const paletteParam = param("palette", "");
const atParam = param("at", "");
const alignParam = param("align", "index");
const HEADING = "compare-pair";

export interface PairPanelProps {
  /** Rows in the tables of both runs. */
  readonly indexA: number;
  readonly indexB: number;
  /** The place of run B in `RunInfo.compared`. */
  readonly other: number;
  readonly how: PairKind;
  /** Whether the address names the pair: then the page scrolls to it, since it is far down. */
  readonly isAsked: boolean;
  readonly names: RunComparison["names"];
  /** The color scale of both runs, nats. */
  readonly scale: Scale;
  readonly version: string;
}

/** One pair, token by token. */
export function PairPanel(props: PairPanelProps) {
  const { indexA, indexB, other, version } = props;
  const loaded = useMemo(() => {
    const asked = signal<Loaded<readonly [WireSequence, WireSequence]>>({ state: "loading" });
    settle(Promise.all([client.sequence(indexA), client.other(other).sequence(indexB)]), asked);
    return asked;
  }, [indexA, indexB, other, version]);
  return (
    <section class="pair scaled" data-palette={paletteNamed(paletteParam.value)} aria-labelledby={HEADING}>
      <h2 id={HEADING}>One pair, token by token</h2>
      <WhenLoaded of={loaded}>{([a, b]) => <Pair {...props} a={a} b={b} />}</WhenLoaded>
    </section>
  );
}

function Pair({
  a,
  b,
  how,
  isAsked,
  names,
  scale,
}: PairPanelProps & { readonly a: WireSequence; readonly b: WireSequence }) {
  const alignment = ALIGNMENTS.find(({ name }) => name === alignParam.value)?.name ?? "index";
  const model = useMemo(() => pairModel(a, b, alignment), [a, b, alignment]);
  const asked = /^\d+$/.test(atParam.value) ? Number(atParam.value) : undefined;
  const current = asked !== undefined && asked < model.length ? asked : undefined;
  const [from, to] = windowAt(model, current ?? 0);
  usePairKeys(model, current);
  useEffect(() => {
    // What loads above it later does not move it: browsers anchor the scroll position.
    if (isAsked) document.getElementById(HEADING)?.scrollIntoView();
  }, [isAsked, a, b]);
  useEffect(() => {
    if (current === undefined) return;
    document.getElementById(tokenId(current))?.scrollIntoView({ block: "nearest" });
  }, [current, model]);
  return (
    <>
      <p>
        <b class="is-a">A</b>{" "}
        <a href={hrefToA(a.meta.index, tokenAt(model.tokensA, current))}>{a.meta.handle}</a> of {names.a} ·{" "}
        <b class="is-b">B</b>{" "}
        <a href={hrefToB(b.meta.index, tokenAt(model.tokensB, current))}>{b.meta.handle}</a> of {names.b} ·{" "}
        {HOW_TITLES[how]} ·{" "}
        {model.shared === Math.max(a.mask.length, b.mask.length)
          ? `all ${formatCounted(model.shared, "response token")} the same`
          : `the first ${formatCounted(model.shared, "response token")} the same, of ${a.mask.length} and ${b.mask.length}`}
      </p>
      <Prompts model={model} />
      <TokenCharts model={model} />
      <Choice
        label="Align"
        name="align"
        options={ALIGNMENTS}
        value={alignment}
        onChange={(align) =>
          navigate({ params: { align: align === "index" ? undefined : align, at: undefined } })
        }
      />
      {alignment !== "index" && (
        <p class="muted" role="status">
          No partner: {formatCounted(model.alone.a, "token")} of A, {formatCounted(model.alone.b, "token")} of
          B. Differences are of equal tokens; a dotted line below one means that the texts before it differ.
        </p>
      )}
      <div class="strip-tools">
        <button type="button" disabled={model.largest === undefined} onClick={() => goToToken(model.largest)}>
          Largest difference <kbd>m</kbd>
        </button>
        <span class="legend">
          <span>above Δ of A, then of B, in the band Δb − Δa; nats</span>
          <Legend scale={scale} signed />
        </span>
        {model.length > to - from && (
          <span class="parts">
            <button type="button" disabled={from === 0} onClick={() => goToToken(from - 1)}>
              Previous
            </button>{" "}
            {alignment === "index" ? "tokens" : "places"} {from} to {to - 1} of {model.length}{" "}
            <button type="button" disabled={to === model.length} onClick={() => goToToken(to)}>
              Next
            </button>
          </span>
        )}
      </div>
      <Reading model={model} at={current} />
      <PairStrip model={model} from={from} to={to} scale={scale} current={current} />
    </>
  );
}

function Prompts({ model: { a, b } }: { readonly model: PairModel }) {
  const [inA, inB] = [promptText(a), promptText(b)];
  if (inA === "" && inB === "") return null;
  const same = inA === inB;
  return (
    <details class="prompts" open={!same}>
      <summary>{same ? "The prompt, the same for both" : "The prompts differ"}</summary>
      <pre>{inA}</pre>
      {!same && <pre>{inB}</pre>}
    </details>
  );
}

const CHART_HEIGHT = 110;

/** Δ of both, and their difference, along the tokens. */
function TokenCharts({ model }: { readonly model: PairModel }) {
  const crosshair = useCrosshair();
  const specs = useMemo(() => tokenCharts(model), [model]);
  const events = {
    crosshair,
    marked: null,
    onOpen: (token: number) => goToToken(token),
    onBrush: (first: number, last: number) => goToToken(largestBetween(model, first, last)),
  };
  return (
    <div class="token-charts">
      {specs.map((spec) => (
        <ChartView key={spec.id} spec={spec} {...events} />
      ))}
    </div>
  );
}

function tokenCharts({ deltasA, deltasB, differences, length, largest, alignment }: PairModel): ChartSpec[] {
  const xs = Array.from({ length }, (_, at) => at);
  const values = (of: Float64Array): (number | null)[] =>
    xs.map((at) => (Number.isFinite(of[at]) ? of[at]! : null));
  const common = {
    unit: "nats",
    xLabel: alignment === "index" ? "token" : "place",
    scale: "linear",
    kind: "signed",
    fromZero: true,
    extreme: "furthest",
    height: CHART_HEIGHT,
  } as const;
  const both: ChartSpec = {
    ...common,
    id: "pair-delta",
    title: "Δ along the tokens",
    xs,
    lines: [
      { label: "A", color: "blue", values: values(deltasA) },
      { label: "B", color: "orange", dash: [6, 3], values: values(deltasB) },
    ],
  };
  const difference: ChartSpec = {
    ...common,
    id: "pair-difference",
    title: "Δb − Δa along the tokens",
    xs,
    lines: [{ label: "B − A", color: "teal", values: values(differences) }],
  };
  return largest === undefined && differences.every(Number.isNaN) ? [both] : [both, difference];
}

/** The token with the largest |Δb − Δa| among those dragged over. */
function largestBetween({ differences }: PairModel, first: number, last: number): number {
  let best = Math.max(0, Math.round(first));
  for (let at = Math.ceil(first); at <= last && at < differences.length; at++)
    if (!(Math.abs(differences[at]!) <= Math.abs(differences[best]!)) && !Number.isNaN(differences[at]))
      best = at;
  return best;
}

/** The current token in numbers. */
function Reading({ model, at }: { readonly model: PairModel; readonly at: number | undefined }) {
  if (at === undefined)
    return (
      <p class="reading muted" aria-live="polite">
        Click a token, or step with <kbd>←</kbd> <kbd>→</kbd>; <kbd>.</kbd> and <kbd>,</kbd> go to large
        differences.
      </p>
    );
  const { a, b, tokensA, tokensB, deltasA, deltasB, differences } = model;
  const side = (name: string, sequence: WireSequence, token: number, delta: number | undefined) => {
    const { text } = tokenText(sequence, token);
    if (text === undefined)
      return `${name} ${token < 0 && model.alignment !== "index" ? "has no partner here" : "has ended"}`;
    return `${name} t${token} “${text}” rollout ${formatNumber(sequence.rollout[token])}, trainer ${formatNumber(sequence.trainer[token])}, Δ ${sequence.mask[token] === 0 ? "not trained" : formatSigned(delta)}`;
  };
  return (
    <p class="reading" aria-live="polite">
      {side("A", a, tokensA[at]!, deltasA[at])} · {side("B", b, tokensB[at]!, deltasB[at])}
      {!Number.isNaN(differences[at]) && (
        <>
          {" "}
          · Δb − Δa <b>{formatSigned(differences[at])}</b>
        </>
      )}
    </p>
  );
}

function tokenAt(tokens: Int32Array, at: number | undefined): number | undefined {
  const token = at === undefined ? -1 : tokens[at]!;
  return token < 0 ? undefined : token;
}
