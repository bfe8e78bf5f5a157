import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Comparison, PairKind } from "../../../../src/protocol/view.ts";
import type { WireSequence } from "../../../../src/wire/index.ts";
import { client } from "../../api/client.ts";
import { type Loaded, settle } from "../../state/loaded.ts";
import { hrefOf, param } from "../../state/url.ts";
import type { ChartSpec } from "../../ui/chart-spec.ts";
import { ChartView, useCrosshair } from "../../ui/chart-view.tsx";
import { paletteNamed } from "../../ui/colour-scale.ts";
import { countOf, formatNumber, formatSigned } from "../../ui/format.ts";
import { Legend } from "../../ui/legend.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import { type PairModel, pairModel, promptText, tokenText, windowAt } from "./pair-model.ts";
import { PairStrip, tokenId } from "./pair-strip.tsx";
import { HOW_TITLES } from "./pairs.ts";
import { goToToken, usePairKeys } from "./use-pair-keys.ts";

const paletteParam = param("palette", "");
const atParam = param("at", "");

export interface PairPanelProps {
  /** Places in both tables. */
  readonly indexA: number;
  readonly indexB: number;
  readonly how: PairKind;
  readonly names: Comparison["names"];
  /** Nats: the colours of both runs. */
  readonly domain: number;
  readonly version: string;
}

/** One pair, token by token. */
export function PairPanel(props: PairPanelProps) {
  const { indexA, indexB, version } = props;
  const loaded = useMemo(() => {
    const asked = signal<Loaded<readonly [WireSequence, WireSequence]>>({ state: "loading" });
    settle(Promise.all([client.sequence(indexA), client.other.sequence(indexB)]), asked);
    return asked;
  }, [indexA, indexB, version]);
  return (
    <section
      class="pair scaled"
      data-palette={paletteNamed(paletteParam.value)}
      aria-labelledby="compare-pair"
    >
      <h2 id="compare-pair">One pair, token by token</h2>
      <WhenLoaded of={loaded}>{([a, b]) => <Pair {...props} a={a} b={b} />}</WhenLoaded>
    </section>
  );
}

function Pair({
  a,
  b,
  how,
  names,
  domain,
}: PairPanelProps & { readonly a: WireSequence; readonly b: WireSequence }) {
  const model = useMemo(() => pairModel(a, b), [a, b]);
  const asked = /^\d+$/.test(atParam.value) ? Number(atParam.value) : undefined;
  const current = asked !== undefined && asked < model.length ? asked : undefined;
  const [from, to] = windowAt(model, current ?? 0);
  usePairKeys(model, current);
  useEffect(() => {
    if (current === undefined) return;
    document.getElementById(tokenId(current))?.scrollIntoView({ block: "nearest" });
  }, [current, model]);
  return (
    <>
      <p>
        <b class="is-a">A</b>{" "}
        <a href={hrefOf({ view: "sequence", sequence: a.meta.index, token: current })}>{a.meta.handle}</a> of{" "}
        {names.a} · <b class="is-b">B</b> {b.meta.handle} of {names.b} · {HOW_TITLES[how]} ·{" "}
        {model.shared === model.length
          ? `all ${countOf(model.length, "response token")} the same`
          : `the first ${countOf(model.shared, "response token")} the same, of ${a.mask.length} and ${b.mask.length}`}
      </p>
      <Prompts model={model} />
      <TokenCharts model={model} />
      <div class="strip-tools">
        <button type="button" disabled={model.largest === undefined} onClick={() => goToToken(model.largest)}>
          Largest difference <kbd>m</kbd>
        </button>
        <span class="legend">
          <span>above Δ of A, then of B, in the band Δb − Δa; nats</span>
          <Legend domain={domain} signed />
        </span>
        {model.length > to - from && (
          <span class="parts">
            <button type="button" disabled={from === 0} onClick={() => goToToken(from - 1)}>
              Before
            </button>{" "}
            tokens {from} to {to - 1} of {model.length}{" "}
            <button type="button" disabled={to === model.length} onClick={() => goToToken(to)}>
              On
            </button>
          </span>
        )}
      </div>
      <Reading model={model} at={current} />
      <PairStrip model={model} from={from} to={to} domain={domain} current={current} />
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

function tokenCharts({ deltasA, deltasB, differences, length, shared }: PairModel): ChartSpec[] {
  const xs = Array.from({ length }, (_, at) => at);
  const values = (of: Float64Array): (number | null)[] =>
    xs.map((at) => (Number.isFinite(of[at]) ? of[at]! : null));
  const common = {
    unit: "nats",
    xLabel: "token",
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
      { label: "A", colour: "blue", values: values(deltasA) },
      { label: "B", colour: "orange", dash: [6, 3], values: values(deltasB) },
    ],
  };
  const difference: ChartSpec = {
    ...common,
    id: "pair-difference",
    title: "Δb − Δa along the tokens",
    xs,
    lines: [{ label: "B − A", colour: "teal", values: values(differences) }],
  };
  return shared === 0 ? [both] : [both, difference];
}

/** The token of the largest |Δb − Δa| among those dragged over. */
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
  const { a, b, deltasA, deltasB, differences } = model;
  const side = (name: string, sequence: WireSequence, delta: number | undefined) => {
    const { text } = tokenText(sequence, at);
    if (text === undefined) return `${name} has ended`;
    return `${name} “${text}” rollout ${formatNumber(sequence.rollout[at])}, trainer ${formatNumber(sequence.trainer[at])}, Δ ${sequence.mask[at] === 0 ? "not trained" : formatSigned(delta)}`;
  };
  return (
    <p class="reading" aria-live="polite">
      <b>t{at}</b> · {side("A", a, deltasA[at])} · {side("B", b, deltasB[at])}
      {at < model.shared && (
        <>
          {" "}
          · Δb − Δa <b>{formatSigned(differences[at])}</b>
        </>
      )}
    </p>
  );
}
