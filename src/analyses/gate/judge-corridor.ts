import { plural } from "../../core/text/index.ts";
import type { GateCheck, GateOutcome } from "../../results/gate.ts";
import { type Reading, type Results, readFigures } from "../conditions/read-figure.ts";
import { isAmount } from "../conditions/vocabulary.ts";
import { type BaselineCheck, listHistory } from "./baseline.ts";
import { type Corridor, FEWEST_RUNS, predictRun } from "./corridor.ts";
import { rescaleInterval } from "./judge-limit.ts";
import { errorOnScale, toScale } from "./scales.ts";

/** If a run's own error widened the corridor by this factor, it would let through what it is meant to catch. */
const MOST_WIDENING = 2;

/** Whether the run has enough data. */
export interface RunSize {
  /** Why there is too little for a verdict; null if there is enough. */
  readonly tooFew: string | null;
  /** Whether it has less than half the prompts of any run of the baseline. */
  readonly isSmall: boolean;
}

/**
 * Checks one figure against the corridor of its history.
 *
 * It fails outside the prediction interval, which includes the run's own sampling error if that is larger than the
 * history's. Inside, it is undecidable if only that larger error keeps it there, or if the error is so large that the
 * corridor would be twice as wide; otherwise it passes. Quantiles and a few others have no known error: outside, they
 * are undecidable for a run with less than half the prompts of every run in the history.
 */
export function judgeCorridor(
  results: Results,
  baselineCheck: BaselineCheck,
  alpha: number,
  { tooFew, isSmall }: RunSize,
): GateCheck {
  const { figure, line } = baselineCheck;
  const history = listHistory(baselineCheck);
  const corridor = predictRun(history, alpha);
  const check = (outcome: GateOutcome, reason: string, reading?: Reading): GateCheck => ({
    metric: figure.text,
    kind: "corridor",
    step: reading?.step ?? figure.step,
    value: reading?.value ?? null,
    interval:
      reading?.interval == null || corridor === undefined
        ? null
        : rescaleInterval(reading.value, reading.interval, corridor.scale, alpha),
    corridor: corridor === undefined ? null : { low: corridor.low, high: corridor.high },
    alpha,
    condition: null,
    outcome,
    reason,
    line: line ?? null,
  });
  const found = readFigures(results, figure);
  if ("missing" in found) return check("missing", found.missing);
  const reading = found.readings[0]!;
  if (!Number.isFinite(reading.value)) return check("non_finite", "not finite", reading);
  if (corridor === undefined)
    return check(
      "too_few",
      `the baseline has ${plural(history.values.length, "run")} with this figure; a corridor needs ${FEWEST_RUNS}`,
      reading,
    );
  if (tooFew !== null && !isAmount(figure.key) && figure.group !== "logged")
    return check("too_few", tooFew, reading);
  const isKnown = corridor.scale === history.scale && reading.withheld === null;
  const error = isKnown ? errorOnScale(corridor.scale, reading.interval) : null;
  const own = error === null ? undefined : { error, clusters: reading.interval?.clusters ?? 0 };
  const widened = own === undefined ? corridor : (predictRun(history, alpha, own) as Corridor);
  const isOpen = isSmall && (own === undefined || history.errors.every((one) => one === null));
  return check(...judgeReading(reading, corridor, widened, isOpen), reading);
}

/** @param isOpen whether the run is smaller than those in the history and its error is not known */
function judgeReading(
  reading: Reading,
  corridor: Corridor,
  widened: Corridor,
  isOpen: boolean,
): [GateOutcome, string] {
  const { value } = reading;
  const is = (place: Corridor): boolean => value >= place.low && value <= place.high;
  const of = `the corridor of ${plural(corridor.runs, "run")}`;
  if (!is(corridor) && isOpen)
    return ["undecidable", `outside ${of}, but the run has less than half of their prompts`];
  if (!is(widened)) return ["fail", `${value > widened.high ? "above" : "below"} ${of}`];
  const larger = `its own interval is wider than those of the baseline's runs; more prompts would decide`;
  if (!is(corridor)) return ["undecidable", `outside ${of}, but ${larger}`];
  if (findWidth(widened) > MOST_WIDENING * findWidth(corridor))
    return ["undecidable", `inside ${of}, but ${larger}`];
  return ["pass", `inside ${of}`];
}

function findWidth({ scale, low, high }: Corridor): number {
  return Math.abs(toScale(scale, high) - toScale(scale, low));
}
