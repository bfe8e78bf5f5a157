import { formatCounted, formatSigned } from "../../../../src/render/text/display/index.ts";
import type { CorrectAnswer } from "../../../../src/results/view.ts";
import type { Correction } from "../../../../src/trainers/neutral/index.ts";
import type { Exact } from "../../state/exact.ts";
import { type AxisName, insidesOn } from "../../state/lines.ts";
import { makeHref } from "../../state/url.ts";
import type { HistogramSide } from "../../ui/histogram/draw-histogram.ts";

type Bins = readonly [from: number, to: number];

/** The filter field of each axis, and the view that lists its tokens or sequences. */
const FIELDS: Readonly<Record<AxisName, readonly ["tokens" | "sequences", string]>> = {
  token: ["tokens", "delta"],
  sum: ["sequences", "sum"],
  mean: ["sequences", "mean_delta"],
};

/** Parses `bins` of the address: `-0.1..0.05`, nats; an end that is left out is open. */
export function parseBins(text: string | undefined): Bins | undefined {
  const [from, to] = (text ?? "").split("..");
  if (from === undefined || to === undefined) return undefined;
  const bins = [from === "" ? -Infinity : Number(from), to === "" ? Infinity : Number(to)] as const;
  return bins[0] <= bins[1] ? bins : undefined;
}

export function formatBins(from: number, to: number): string | undefined {
  if (from === -Infinity && to === Infinity) return undefined;
  const text = (end: number): string => (Number.isFinite(end) ? String(Number(end.toPrecision(4))) : "");
  return `${text(from)}..${text(to)}`;
}

/** Links from the histogram to its tokens or sequences: in the chosen bars, clipped, dropped. */
export function Ways({
  correction,
  axis,
  picked,
  sides,
  exact,
  bundled,
}: {
  readonly correction: Correction;
  readonly axis: AxisName;
  readonly picked: Bins | undefined;
  readonly sides: readonly HistogramSide[];
  readonly exact: Exact<CorrectAnswer>;
  readonly bundled: boolean;
}) {
  const [view, field] = FIELDS[axis];
  // A bundle cannot search all tokens.
  if (bundled && view === "tokens") return null;
  const count = ([from, to]: Bins): number =>
    Math.round(sides.reduce((sum, side) => sum + side.between(from, to), 0));
  const all = count([-Infinity, Infinity]);
  const unit = view.slice(0, -1);
  // Counts of tokens are estimates, as they come from bins.
  const about = (found: number): string => `${view === "tokens" ? "≈ " : ""}${formatCounted(found, unit)}`;
  const ways = [
    ...(picked
      ? [{ name: `Δ ${say(picked)}`, filter: writeTerm(field, picked), count: about(count(picked)) }]
      : []),
    ...insidesOn(correction, axis).flatMap(({ action, inside: { low, high } }) => {
      if (action === "veto" || (low === -Infinity && high === Infinity)) return [];
      const inside = [low, high] as const;
      return [
        {
          name: action === "truncate" ? "clipped" : "outside the band",
          filter: outsideTerm(field, inside),
          count:
            action === "truncate" && view === "tokens" && exact.state === "ready"
              ? formatCounted(exact.answer.clipped, unit)
              : about(all - count(inside)),
        },
      ];
    }),
  ];
  if (ways.length === 0) return null;
  return (
    <p class="leave">
      {ways.map(({ name, filter, count: found }) => (
        <a
          key={filter}
          href={makeHref({
            view,
            token: undefined,
            params: { filter, by: undefined },
          })}
        >
          {found} {name}
        </a>
      ))}
    </p>
  );
}

function outsideTerm(field: string, [low, high]: Bins): string {
  if (low === -Infinity) return `${field}>${rounded(high)}`;
  return high === Infinity ? `${field}<${rounded(low)}` : `-${writeTerm(field, [low, high])}`;
}

function writeTerm(field: string, [from, to]: Bins): string {
  if (!Number.isFinite(from)) return `${field}<${rounded(to)}`;
  return Number.isFinite(to) ? `${field}:${rounded(from)}..${rounded(to)}` : `${field}>${rounded(from)}`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

function say([from, to]: Bins): string {
  if (!Number.isFinite(from)) return `below ${formatSigned(to)}`;
  return Number.isFinite(to) ? `${formatSigned(from)} to ${formatSigned(to)}` : `above ${formatSigned(from)}`;
}
