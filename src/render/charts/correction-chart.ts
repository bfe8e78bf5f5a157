/**
 * The picture of a sweep: corrections by the tokens they drop and the resulting ESS.
 *
 * @module
 */
import { formatNearOne, formatShare } from "../text/display/index.ts";
import {
  type ChartOptions,
  drawChart,
  drawEmptyChart,
  drawXAxis,
  drawYAxis,
  type Plot,
  plotArea,
} from "./frame.ts";
import { PALETTE } from "./palette.ts";
import type { Scale, Tick } from "./scale.ts";
import { element, pixel, tooltip } from "./svg.ts";

export interface CorrectionPoint {
  readonly name: string;
  /** Fraction of the tokens that are dropped. */
  readonly dropped: number;
  /** Effective sample size as a fraction of the tokens. */
  readonly ess: number;
  /** On the Pareto front. */
  readonly isOnFront: boolean;
  /** The target of a click on the point; keyboard users have the table beside the picture. */
  readonly href?: string;
}

export interface CorrectionChartOptions extends ChartOptions {
  /** Name of the recommended correction, which gets a ring. */
  readonly recommended: string;
  /** The current correction, which gets a cross if it is among the points. */
  readonly current?: string | undefined;
}

/** The smallest nonzero share on the axis of dropped tokens: 0.001 %. */
const LEAST_DROPPED = 1e-5;
/** An ESS closer to 1 than this is drawn as 1. */
const LEAST_LOSS = 1e-5;
const RADIUS = 3.6;

/**
 * Both axes are logarithmic in what is lost, since good corrections lie close to nothing dropped and an ESS of 1.
 * Points of the front are filled; overlapping ones can be told apart in the table next to the picture.
 */
export function correctionChart(points: readonly CorrectionPoint[], options: CorrectionChartOptions): string {
  const drawn = points.filter(({ ess, dropped }) => Number.isFinite(ess) && Number.isFinite(dropped));
  if (drawn.length === 0) return drawEmptyChart(options, "no correction has an ESS");
  const plot = plotArea(options, false, 58);
  const x = droppedScale(plot);
  const y = essScale(Math.min(...drawn.map(({ ess }) => ess)), plot);
  const [recommended, current] = [options.recommended, options.current].map((wanted) =>
    drawn.find(({ name }) => name === wanted),
  );
  const told = recommended === undefined ? "" : `; recommended is ${recommended.name}: ${say(recommended)}`;
  // The front is drawn last, on top of the others.
  const ordered = [...drawn].sort((a, b) => Number(a.isOnFront) - Number(b.isOnFront));
  return drawChart(
    { ...options, isLinked: drawn.some(({ href }) => href !== undefined) },
    `${drawn.length} corrections${told}`,
    [],
    [
      drawYAxis(y, plot, "ESS"),
      drawXAxis(x, plot, "tokens dropped"),
      ...(recommended === undefined ? [] : [drawRing(x.map(recommended.dropped), y.map(recommended.ess))]),
      ...(current === undefined ? [] : [drawCross(x.map(current.dropped), y.map(current.ess))]),
      ...ordered.map((point) => {
        const [fill, opacity] = point.isOnFront ? [PALETTE.blue, 0.9] : [PALETTE.grey, 0.35];
        const shape = {
          cx: x.map(point.dropped),
          cy: y.map(point.ess),
          r: RADIUS,
          fill,
          "fill-opacity": opacity,
        };
        const circle = element("circle", shape, tooltip(`${point.name}: ${say(point)}`));
        return point.href === undefined ? circle : element("a", { href: point.href, tabindex: -1 }, circle);
      }),
    ],
  );
}

function drawRing(cx: number, cy: number): string {
  return element("circle", {
    cx,
    cy,
    r: RADIUS + 4,
    fill: "none",
    stroke: PALETTE.orange,
    "stroke-width": 2.5,
  });
}

function drawCross(x: number, y: number): string {
  const [near, far] = [RADIUS + 2, RADIUS + 8];
  const arms = [-1, 1].flatMap((side) => [
    `M${pixel(x + side * near)} ${pixel(y)}H${pixel(x + side * far)}`,
    `M${pixel(x)} ${pixel(y + side * near)}V${pixel(y + side * far)}`,
  ]);
  return element("path", { d: arms.join(""), stroke: PALETTE.ink, "stroke-width": 1.6 });
}

function say({ dropped, ess, isOnFront }: CorrectionPoint): string {
  const drops = dropped === 0 ? "drops nothing" : `drops ${formatShare(dropped)} of the tokens`;
  return `${drops}, ESS ${formatNearOne(ess)}${isOnFront ? ", on the front" : ""}`;
}

/** 0 at the left, then decades from 0.001 % to 100 %. */
function droppedScale({ left, right }: Plot): Scale {
  const decades = -Math.log10(LEAST_DROPPED);
  const map = (share: number): number => {
    const place = share <= 0 ? 0 : 1 + Math.log10(Math.max(share, LEAST_DROPPED) / LEAST_DROPPED);
    return left + 8 + ((right - left - 16) * place) / (decades + 1);
  };
  const tick = (share: number, label: string): Tick => ({ at: map(share), label });
  return {
    map,
    ticks: [tick(0, "0"), tick(1e-4, "0.01 %"), tick(1e-2, "1 %"), tick(1e-1, "10 %"), tick(1, "100 %")],
  };
}

/** 1 at the top, then decades of 1 − ESS downwards, as far as the data go. */
function essScale(least: number, { top, bottom }: Plot): Scale {
  const loss = (ess: number): number => Math.min(1, Math.max(1 - ess, LEAST_LOSS));
  const deepest = Math.min(0, Math.ceil(Math.log10(loss(least)) + 1e-9));
  const span = Math.max(1, deepest - Math.log10(LEAST_LOSS));
  const map = (ess: number): number =>
    top + 6 + ((bottom - top - 12) * (Math.log10(loss(ess)) - Math.log10(LEAST_LOSS))) / span;
  const labels: readonly (readonly [number, string])[] = [
    [0.9999, "0.9999"],
    [0.999, "0.999"],
    [0.99, "0.99"],
    [0.9, "0.9"],
    [0, "0"],
  ];
  const ticks = labels.filter(([ess]) => map(ess) <= bottom).map(([ess, label]) => ({ at: map(ess), label }));
  return { map, ticks };
}
