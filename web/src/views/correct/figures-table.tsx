import {
  countOf,
  formatCount,
  formatNearOne,
  formatNearWhole,
  formatPlain,
} from "../../../../src/render/text/display/index.ts";
import type { Dropped, ExactAnswer, ValueGroup } from "../../../../src/results/index.ts";
import type { Exact } from "../../state/exact.ts";
import type { Setting } from "../../state/setting.ts";
import type { Figures } from "./figures.ts";

interface FigureRow {
  readonly title: string;
  readonly help: string;
  readonly now: string;
  /** Undefined where the server does not tell it. */
  readonly exact: (answer: ExactAnswer) => string | undefined;
}

/** Figures from the prepared sums, which follow the pointer, beside the exact ones. */
export function FiguresTable({
  figures,
  setting,
  exact,
}: {
  readonly figures: Figures;
  readonly setting: Setting;
  readonly exact: Exact<ExactAnswer>;
}) {
  const answer = exact.state === "ready" ? exact.answer : undefined;
  return (
    <>
      <table class="what-if-figures">
        <thead>
          <tr>
            <th scope="col">figure</th>
            <th
              scope="col"
              title={
                setting.level === "token"
                  ? "from bins of Δ made beforehand: follows while you drag"
                  : "from one row per sequence: follows while you drag"
              }
            >
              prepared
            </th>
            <th scope="col" title="over every token, asked when a line is let go">
              exact {exact.state === "ready" && <span aria-hidden="true">✓</span>}
            </th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(figures, setting).map(({ title, help, now, exact: told }) => (
            <tr key={title}>
              <th scope="row" title={help}>
                {title}
              </th>
              <td>{now}</td>
              <td>{answer === undefined ? waiting(exact) : (told(answer) ?? "")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted" role="status">
        {exact.state === "failed"
          ? `no exact figures: ${exact.message}`
          : exact.state === "ready"
            ? "exact: over every token"
            : "exact figures are being counted …"}
      </p>
    </>
  );
}

function rowsOf(figures: Figures, { veto }: Setting): FigureRow[] {
  const { tokens, kept, clipped, ess, meanWeight, keptSequences, advantageDropped, vetoedAtMost } = figures;
  // Which sequences the veto takes is known as a set that holds them all: then what is kept is at least this.
  const bounded = veto !== null && (vetoedAtMost ?? 0) > 0;
  const [least, most, about] = bounded ? ["≥ ", "≤ ", "≈ "] : ["", "", ""];
  return [
    {
      title: "kept tokens",
      help: "in the mask with a weight above 0",
      now: `${least}${formatNearWhole(kept)}`,
      exact: ({ kept_tokens }) => formatNearWhole(kept_tokens / tokens),
    },
    {
      title: "kept sequences",
      help: "with a kept token",
      now: keptSequences === undefined ? "exact only" : `${least}${formatCount(keptSequences)}`,
      exact: ({ kept_sequences }) => formatCount(kept_sequences),
    },
    {
      title: "effective sample size",
      help: "(Σw)² / (n Σw²) over all tokens; w = ρ of the kept ones where the method has no weights",
      now: `${about}${formatNearWhole(ess)}`,
      exact: (answer) => formatNearWhole(answer.ess),
    },
    {
      title: "mean weight",
      help: "over kept tokens",
      now: `${about}${formatNearOne(meanWeight)}`,
      exact: ({ mean_weight }) => formatNearOne(mean_weight),
    },
    {
      title: "clipped",
      help: "tokens whose weight the cap lowers",
      now: formatNearWhole(clipped),
      exact: (answer) => formatNearWhole(answer.clipped / tokens),
    },
    ...(veto === null
      ? []
      : [
          {
            title: "vetoed",
            help: "by the veto alone: tokens of such sequences at most, and sequences exactly; the table of sequences knows the largest |Δ| but not its sign",
            now: `≤ ${formatNearWhole(vetoedAtMost ?? 0)}`,
            exact: ({ vetoed }: ExactAnswer) => countOf(vetoed, "sequence"),
          },
        ]),
    ...(advantageDropped === undefined
      ? []
      : [
          {
            title: "dropped |advantage|",
            help: "share of the sum of |advantage|",
            now: `${most}${formatNearWhole(advantageDropped)}`,
            exact: () => undefined,
          },
        ]),
  ];
}

function waiting({ state }: Exact<ExactAnswer>): string {
  return state === "failed" ? "–" : "…";
}

interface DroppedRow {
  readonly title: string;
  readonly now: number;
  readonly exact: number | null | undefined;
}

/** Who is dropped: by outcome, by length, by reward. */
export function DroppedTable({
  figures,
  setting,
  exact,
}: {
  readonly figures: Figures;
  readonly setting: Setting;
  readonly exact: Exact<ExactAnswer>;
}) {
  const answer = exact.state === "ready" ? exact.answer : undefined;
  const most = setting.veto !== null && (figures.vetoedAtMost ?? 0) > 0 ? "≤ " : "";
  const outcomes = (["right", "wrong"] as const).flatMap((side): DroppedRow[] => {
    const now = figures.dropped[side];
    return now === undefined ? [] : [{ title: side, now, exact: answer?.[`dropped_${side}`] }];
  });
  const groups = (
    own: Figures["byLength"],
    told: readonly (ValueGroup & Dropped)[] | undefined,
    say: (value: number) => string,
  ): DroppedRow[] =>
    own.map(({ from, to, dropped }) => ({
      title: from === to ? say(from) : `${say(from)} to ${say(to)}`,
      now: dropped,
      exact: told && (told.find((part) => part.from === from && part.to === to)?.dropped ?? null),
    }));
  const parts: readonly (readonly [string, readonly DroppedRow[]])[] = [
    ["outcome", outcomes],
    ["tokens of the sequence", groups(figures.byLength, answer?.dropped_by_length, formatCount)],
    ["reward", groups(figures.byReward, answer?.dropped_by_reward, formatPlain)],
  ];
  return (
    <table class="dropped-by">
      <thead>
        <tr>
          <th scope="col">dropped tokens, by</th>
          <th scope="col">prepared</th>
          <th scope="col">exact</th>
        </tr>
      </thead>
      {parts.map(
        ([by, rows]) =>
          rows.length > 0 && (
            <tbody key={by}>
              <tr>
                <th scope="rowgroup" colSpan={3}>
                  {by}
                </th>
              </tr>
              {rows.map(({ title, now, exact: told }) => (
                <tr key={title}>
                  <th scope="row">{title}</th>
                  <td>
                    <span class="bar" style={{ inlineSize: `${now * 3.5}rem` }} /> {most}
                    {formatNearWhole(now)}
                  </td>
                  <td>{told === undefined ? waiting(exact) : formatNearWhole(told)}</td>
                </tr>
              ))}
            </tbody>
          ),
      )}
    </table>
  );
}
