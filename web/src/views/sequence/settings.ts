import type { RunInfo } from "../../../../src/protocol/view.ts";
import type { Route } from "../../state/url.ts";
import { type Palette, paletteNamed } from "../../ui/colour-scale.ts";
import { parseRange, type TokenRange } from "./model/axis.ts";
import { TEXT_MODES, type TextMode } from "./model/display.ts";
import { judging, parseThresholds, type Thresholds } from "./model/fate.ts";
import { type Metric, metricsOf } from "./model/metrics.ts";
import { parsePlaces } from "./model/runs.ts";
import type { SequenceModel } from "./model/sequence-model.ts";

/** What the address says about this page. */
export interface Settings {
  readonly metrics: readonly Metric[];
  readonly metric: Metric;
  /** The metric's own, or `scale=`. */
  readonly domain: number;
  readonly mode: TextMode;
  readonly palette: Palette;
  /** Digits are grouped into numbers, and all else steps back. */
  readonly numbers: boolean;
  readonly thresholds: Thresholds;
  /** Smallest |Δ| that `.` and `,` stop at, nats. */
  readonly near: number;
  /** Response tokens. */
  readonly current: number | undefined;
  readonly pins: readonly number[];
  readonly range: TokenRange | undefined;
  /** Runs whose folding is not as at first. */
  readonly toggled: ReadonlySet<number>;
}

export const MOST_PINS = 6;

/** Parameters that are about one sequence, and do not go along to another. */
export const OF_ONE_SEQUENCE = { pins: undefined, range: undefined, toggled: undefined } as const;

export function settingsOf({ params, token }: Route, info: RunInfo, model: SequenceModel): Settings {
  const metrics = metricsOf(info, model.wire);
  const metric = metrics.find(({ name }) => name === params.metric) ?? metrics[0]!;
  const inside = (at: number): boolean => at < model.response;
  return {
    metrics,
    metric,
    domain: positive(params.scale) ?? metric.domain,
    mode: TEXT_MODES.find((mode) => mode === params.mode) ?? "reading",
    palette: paletteNamed(params.palette ?? ""),
    numbers: params.numbers === "on",
    thresholds: judging(parseThresholds(params), model.deltas),
    near: positive(params.near) ?? (info.scales.delta > 0 ? info.scales.delta / 4 : 0.1),
    current: token !== undefined && inside(token) ? token : undefined,
    pins: [...parsePlaces(params.pins ?? "")].filter(inside).slice(0, MOST_PINS),
    range: parseRange(params.range, model.response),
    toggled: parsePlaces(params.toggled ?? ""),
  };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : undefined;
}
