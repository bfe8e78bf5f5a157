import { byScope, parseFilter } from "../../../../src/analyses/filter/index.ts";
import { tokenMetricNamed } from "../../../../src/results/metrics/token-metrics.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { Correction } from "../../../../src/trainers/neutral/index.ts";
import { readCorrection } from "../../state/correction.ts";
import type { Move, Route } from "../../state/url.ts";
import { type Palette, paletteNamed, type Scale } from "../../ui/color-scale.ts";
import { chooseScale } from "../../ui/legend.tsx";
import { parseRange, type TokenRange } from "./model/axis.ts";
import { TEXT_MODES, type TextMode } from "./model/display.ts";
import { listMetrics, type Metric } from "./model/metrics.ts";
import { parsePlaces } from "./model/runs.ts";
import type { SequenceModel } from "./model/sequence-model.ts";

/** The page's parameters in the address. */
export interface Choices {
  readonly metrics: readonly Metric[];
  readonly metric: Metric;
  readonly scale: Scale;
  readonly mode: TextMode;
  readonly palette: Palette;
  /** Whether digits are grouped into numbers and everything else is dimmed. */
  readonly numbers: boolean;
  /** The correction in the address. */
  readonly correction: Correction | undefined;
  /** Smallest |Δ| that `.` and `,` stop at, nats. */
  readonly near: number;
  /** The current place, from the first prompt token. */
  readonly place: number | undefined;
  /** Response tokens. `current` is the token at the place, if that is in the response. */
  readonly current: number | undefined;
  readonly pins: readonly number[];
  readonly range: TokenRange | undefined;
  /** Indices of runs whose folding differs from the default. */
  readonly toggled: ReadonlySet<number>;
  /** The text to find; undefined closes the find box. */
  readonly find: string | undefined;
  /** Whether to find it as text even if it could be a filter. */
  readonly findsText: boolean;
}

export const MOST_PINS = 6;

/** Parameters that belong to one sequence, and are dropped when another is shown. */
export const OF_ONE_SEQUENCE = {
  pins: undefined,
  range: undefined,
  toggled: undefined,
  prompt: undefined,
} as const;

/** `find=` of a closed box, in which case terms of the list's filter are not searched for either. */
const CLOSED = "";

export function closedFind({ params }: Route): Record<"find" | "find-as", string | undefined> {
  const { token } = byScope(parseFilter(params.filter ?? "").terms);
  return { find: token.length === 0 ? undefined : CLOSED, "find-as": undefined };
}

/** The address of a place: `t12`, or a prompt token as `prompt=12`. */
export function moveToPlace(model: Pick<SequenceModel, "prompt">, place: number): Move {
  const inPrompt = place < model.prompt;
  return {
    token: inPrompt ? undefined : place - model.prompt,
    params: { prompt: inPrompt ? String(place) : undefined },
  };
}

/** @param filtered the terms on tokens of the list's filter that apply to this sequence (`pickTokenTerms`) */
export function readChoices(
  { params, token }: Route,
  info: RunInfo,
  model: SequenceModel,
  filtered: string | undefined,
): Choices {
  const metrics = listMetrics(info, model.wire);
  // Older addresses have other names for some metrics.
  const asked = params.metric && (tokenMetricNamed(params.metric) ?? params.metric);
  const metric = metrics.find(({ name }) => name === asked) ?? metrics[0]!;
  const inside = (at: number): boolean => at < model.response;
  const current = token !== undefined && inside(token) ? token : undefined;
  const prompt = /^\d+$/.test(params.prompt ?? "") ? Number(params.prompt) : model.prompt;
  return {
    metrics,
    metric,
    scale: chooseScale(metric.anchored, metric.ofRun),
    // Without a tokenizer, the texts would be ids run together.
    mode: info.has.texts ? (TEXT_MODES.find((mode) => mode === params.mode) ?? "reading") : "ids",
    palette: paletteNamed(params.palette ?? ""),
    numbers: params.numbers === "on",
    correction: readCorrection(params).correction,
    near: positive(params.near) ?? (info.scales.delta > 0 ? info.scales.delta / 4 : 0.1),
    place: current === undefined ? (prompt < model.prompt ? prompt : undefined) : current + model.prompt,
    current,
    pins: [...parsePlaces(params.pins ?? "")].filter(inside).slice(0, MOST_PINS),
    range: parseRange(params.range, model.response),
    toggled: parsePlaces(params.toggled ?? ""),
    find: params.find === CLOSED ? undefined : (params.find ?? filtered),
    findsText: params["find-as"] === "text",
  };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : undefined;
}
