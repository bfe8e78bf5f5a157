import { plural } from "../../../core/text/index.ts";
import type {
  CategoryFigures,
  CheckpointFigures,
  Progression,
  StageFigures,
  TurningPoint,
} from "../../results/checkpoints.ts";
import { turningPoints } from "../series/turning-points.ts";
import { byRegion } from "./checkpoint-figures.ts";
import { computeMean, finite } from "./numbers.ts";
import { type KlStudy, trained } from "./report-input.ts";
import { findTrend } from "./trend.ts";
import { FEWEST_FOR_TURN, testTurn } from "./turn-test.ts";

/** A checkpoint with a step and a mean KL. */
interface Point {
  readonly name: string;
  readonly step: number;
  readonly stage: string | null;
  readonly kl: number;
  readonly figures: CheckpointFigures;
}

/** Results that the progression draws on. */
export interface ProgressionSources {
  readonly figures: Readonly<Record<string, CheckpointFigures>>;
  readonly categories: Readonly<Record<string, Readonly<Record<string, CategoryFigures>>>>;
}

/** How figures change over the checkpoints that have a step; null for fewer than two. */
export function progression(study: KlStudy, sources: ProgressionSources): Progression | null {
  const points = trained(study).flatMap(({ name, step, stage }): Point[] => {
    const figures = sources.figures[name];
    if (step === null || figures?.mean_kl == null) return [];
    return [{ name, step, stage, kl: figures.mean_kl, figures }];
  });
  if (points.length < 2) {
    study.absent(
      `no progression: ${plural(points.length, "checkpoint")} ${points.length === 1 ? "has" : "have"} a step and a mean KL, two are needed`,
    );
    return null;
  }
  const [steps, kl] = [points.map(({ step }) => step), points.map((point) => point.kl)];
  const names = points.map(({ name }) => name);
  const categories = new Set(names.flatMap((name) => Object.keys(sources.categories[name] ?? {})));
  const trend = findTrend(steps, kl);
  if (trend === undefined)
    study.absent(
      `no trend: ${points.length} checkpoints with a step, or all of one mean KL; four are needed`,
    );
  else if (trend.p_value === null)
    study.absent(`no test of the trend: ${points.length} checkpoints with a step, six are needed`);
  return {
    checkpoints: names,
    steps,
    mean_kl: kl,
    mean_entropy: points.map(({ figures }) => figures.mean_entropy),
    spikes_mean: points.map(({ figures }) => figures.spikes_mean),
    category_mean_kl: Object.fromEntries(
      [...categories].map((category) => [
        category,
        names.map((name) => sources.categories[name]?.[category]?.mean_kl ?? null),
      ]),
    ),
    stages: stages(points),
    turning_points: findTurningPoints(study, points),
    entropy_reduction: entropyReduction(study, points),
    trend: trend ?? null,
    half_by: keptFrom(points)?.name ?? null,
  };
}

/**
 * The stages that the policies name; if none is named, thirds of the way from the first step to the last (`early`,
 * `mid`, `late`) and the last checkpoint alone (`final`). Figures are means over a stage's checkpoints.
 */
function stages(points: readonly Point[]): StageFigures[] {
  const first = points[0]!;
  const last = points.at(-1)!;
  const named = points.some(({ stage }) => stage !== null);
  const nameStage = (point: Point): string => {
    if (named) return point.stage ?? "unnamed";
    if (point === last) return "final";
    const way = (point.step - first.step) / (last.step - first.step);
    return way < 1 / 3 ? "early" : way < 2 / 3 ? "mid" : "late";
  };
  const groups = new Map<string, Point[]>();
  for (const point of points) groups.set(nameStage(point), [...(groups.get(nameStage(point)) ?? []), point]);
  let before: number | null = null;
  return [...groups].map(([stage, members]) => {
    const mean = computeMean(members.map(({ kl }) => kl));
    const entropies = members.map(({ figures }) => figures.mean_entropy);
    const change: number | null = before === null ? null : mean - before;
    before = mean;
    return {
      stage,
      checkpoints: members.map(({ name }) => name),
      mean_kl: mean,
      mean_entropy: entropies.includes(null) ? null : computeMean(entropies as number[]),
      spikes_mean: computeMean(members.map(({ figures }) => figures.spikes_mean)),
      change,
    };
  });
}

/**
 * Turning points by all three methods. A point that several methods find is listed once, under the first of `peaks` (on
 * the figures themselves), `derivative`, `smooth_derivative`; an inflection is left out where another method sees an
 * extremum.
 */
function findTurningPoints({ input, absent }: KlStudy, points: readonly Point[]): TurningPoint[] {
  const [steps, kl] = [points.map(({ step }) => step), points.map((point) => point.kl)];
  const { seed, alpha } = input.settings;
  const turn = testTurn(kl, seed);
  const supported = (place: number, type: "max" | "min"): boolean | null =>
    kl.length < FEWEST_FOR_TURN ? null : turn?.place === place && turn.type === type && turn.p_value < alpha;
  const found: TurningPoint[] = [];
  for (const method of ["peaks", "derivative", "smooth_derivative"] as const) {
    for (const { step, type } of turningPoints(steps, kl, { method })) {
      const place = steps.indexOf(step);
      const point = points[place];
      if (point === undefined || found.some((one) => one.step === step && one.type === type)) continue;
      const held = type === "inflection" ? null : supported(place, type);
      found.push({ checkpoint: point.name, step, value: point.kl, type, method, supported: held });
    }
  }
  if (found.length > 0 && kl.length < FEWEST_FOR_TURN)
    absent(
      `no test of turning points: ${kl.length} checkpoints with a step, ${FEWEST_FOR_TURN} are needed to tell one from a walk`,
    );
  const extrema = new Set(found.filter(({ type }) => type !== "inflection").map(({ step }) => step));
  return found
    .filter(({ type, step }) => type !== "inflection" || !extrema.has(step))
    .sort((a, b) => a.step - b.step);
}

function entropyReduction(study: KlStudy, points: readonly Point[]): Progression["entropy_reduction"] {
  const [first, last] = [points[0]!.figures, points.at(-1)!.figures];
  const relative = (from: number | null, to: number | null): number | null =>
    from === null || to === null ? null : finite((from - to) / from);
  const whole = relative(first.mean_entropy, last.mean_entropy);
  if (whole === null || first.mean_entropy === null || last.mean_entropy === null) {
    study.absent("no entropy reduction: the first or the last checkpoint has no entropy");
    return null;
  }
  return {
    absolute: first.mean_entropy - last.mean_entropy,
    relative: whole,
    by_region: byRegion((region) =>
      relative(first.entropy_by_region[region], last.entropy_by_region[region]),
    ),
    rates: points
      .slice(1)
      .map(({ figures }, place) => relative(points[place]!.figures.mean_entropy, figures.mean_entropy)),
  };
}

/** The first point from which on every value is at least half of the last one; undefined if the last is not above 0. */
export function keptFrom<T extends { readonly kl: number }>(points: readonly T[]): T | undefined {
  const last = points.at(-1)?.kl ?? Number.NaN;
  if (!(last > 0)) return undefined;
  let from = points.length - 1;
  while (from > 0 && points[from - 1]!.kl >= last / 2) from--;
  return points[from];
}
