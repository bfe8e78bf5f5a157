import {
  formatCount,
  formatCounted,
  formatNearOne,
  formatNearWhole,
  formatPlain,
} from "../../../../src/render/text/display/index.ts";
import type { CorrectAnswer, Dropped, ValueGroup } from "../../../../src/results/view.ts";
import type { Exact } from "../../state/exact.ts";
import { Explained } from "../../ui/explained.tsx";
import type { Figures } from "./figures.ts";

interface FigureRow {
  readonly title: string;
  readonly help: string;
  /** The estimate; undefined if the prepared sums do not suffice. */
  readonly now: string | undefined;
  /** Undefined if the server's answer lacks it. */
  readonly exact: (answer: CorrectAnswer) => string | undefined;
}

/** Figures over every token; while a line is dragged, estimates from the prepared sums. */
export function FiguresTable({
  figures,
  tokens,
  hasVeto,
  exact,
}: {
  /** Undefined if the figures need the tokens themselves. */
  readonly figures: Figures | undefined;
  /** The number of tokens in the run. */
  readonly tokens: number;
  readonly hasVeto: boolean;
  readonly exact: Exact<CorrectAnswer>;
}) {
  const answer = exact.state === "ready" ? exact.answer : undefined;
  return (
    <table class="correct-figures">
      <thead>
        <tr>
          <th scope="col">figure</th>
          <th scope="col">
            <Over exact={exact} />
          </th>
        </tr>
      </thead>
      <tbody>
        {buildRows(figures, tokens, hasVeto).map(({ title, help, now, exact: told }) => (
          <tr key={title}>
            <th scope="row">
              <Explained text={title} meaning={help} />
            </th>
            <td>{(answer && told(answer)) ?? now ?? waiting(exact)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the figures below are computed over. */
function Over({ exact }: { readonly exact: Exact<CorrectAnswer> }) {
  if (exact.state === "ready")
    return (
      <>
        over every token <span aria-hidden="true">✓</span>
      </>
    );
  if (exact.state === "failed") return <>no exact figures: {exact.message}</>;
  return <Explained text="about" meaning="from sums by size, until every token is counted" />;
}

function buildRows(figures: Figures | undefined, tokens: number, hasVeto: boolean): FigureRow[] {
  const { kept, clipped, ess, meanWeight, keptSequences, advantageDropped, vetoedAtMost } = figures ?? {};
  // Only a superset of the vetoed sequences is known, so the kept share is a lower bound.
  const bounded = hasVeto && (vetoedAtMost ?? 0) > 0;
  const [least, most] = bounded ? ["≥ ", "≤ "] : ["≈ ", "≈ "];
  const say = (
    prefix: string,
    value: number | undefined,
    write: (value: number) => string,
  ): string | undefined => (value === undefined ? undefined : `${prefix}${write(value)}`);
  return [
    {
      title: "kept tokens",
      help: "in the mask with a weight above 0",
      now: say(least, kept, formatNearWhole),
      exact: ({ kept_tokens }) => formatNearWhole(kept_tokens / tokens),
    },
    {
      title: "kept sequences",
      help: "with a kept token",
      now: say(least, keptSequences, formatCount),
      exact: ({ kept_sequences }) => formatCount(kept_sequences),
    },
    {
      title: "effective sample size",
      help: "(Σw)² / (n Σw²) over all tokens; w = ρ of the kept ones where the correction has no weights",
      now: say("≈ ", ess, formatNearWhole),
      exact: (answer) => formatNearWhole(answer.ess),
    },
    {
      title: "mean weight",
      help: "over kept tokens",
      now: say("≈ ", meanWeight, formatNearOne),
      exact: ({ mean_weight }) => formatNearOne(mean_weight),
    },
    {
      title: "clipped",
      help: "tokens whose weight is truncated",
      now: say("≈ ", clipped, formatNearWhole),
      exact: (answer) => formatNearWhole(answer.clipped / tokens),
    },
    ...(hasVeto
      ? [
          {
            title: "vetoed",
            help: "by the vetoes alone",
            now: say("≤ ", vetoedAtMost, formatNearWhole),
            exact: ({ vetoed }: CorrectAnswer) => formatCounted(vetoed, "sequence"),
          },
        ]
      : []),
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

function waiting({ state }: Exact<CorrectAnswer>): string {
  return state === "failed" ? "–" : "…";
}

interface DroppedRow {
  readonly title: string;
  readonly now: number | undefined;
  readonly exact: number | null | undefined;
}

/** Which sequences are dropped: by outcome, by length, by reward. */
export function DroppedTable({
  figures,
  exact,
}: {
  readonly figures: Figures | undefined;
  readonly exact: Exact<CorrectAnswer>;
}) {
  const answer = exact.state === "ready" ? exact.answer : exact.state === "asking" ? exact.last : undefined;
  const isReady = exact.state === "ready";
  const most = (figures?.vetoedAtMost ?? 0) > 0 ? "≤ " : "≈ ";
  const outcomes = (["right", "wrong"] as const).flatMap((side): DroppedRow[] => {
    const now = figures?.dropped[side];
    const told = answer?.[`dropped_${side}`];
    // Without prepared figures, only the answer knows whether there are any.
    if (now === undefined && (figures !== undefined || told === undefined || told === null)) return [];
    return [{ title: side, now, exact: isReady ? told : undefined }];
  });
  const groups = (
    own: Figures["byLength"] | undefined,
    told: readonly (ValueGroup & Dropped)[] | undefined,
    say: (value: number) => string,
  ): DroppedRow[] =>
    (own ?? told ?? []).map(({ from, to }) => {
      const find = (parts: readonly (ValueGroup & { readonly dropped: number })[] | undefined) =>
        parts?.find((part) => part.from === from && part.to === to)?.dropped;
      return {
        title: from === to ? say(from) : `${say(from)} to ${say(to)}`,
        now: find(own),
        exact: isReady ? (find(told) ?? null) : undefined,
      };
    });
  const parts: readonly (readonly [string, readonly DroppedRow[]])[] = [
    ["outcome", outcomes],
    ["tokens of the sequence", groups(figures?.byLength, answer?.dropped_by_length, formatCount)],
    ["reward", groups(figures?.byReward, answer?.dropped_by_reward, formatPlain)],
  ];
  return (
    <table class="dropped-by">
      <thead>
        <tr>
          <th scope="col">dropped tokens, by</th>
          <td />
        </tr>
      </thead>
      {parts.map(
        ([by, rows]) =>
          rows.length > 0 && (
            <tbody key={by}>
              <tr>
                <th scope="rowgroup" colSpan={2}>
                  {by}
                </th>
              </tr>
              {rows.map(({ title, now, exact: told = now }) => (
                <tr key={title}>
                  <th scope="row">{title}</th>
                  <td>
                    {told === undefined ? (
                      waiting(exact)
                    ) : (
                      <>
                        <span class="bar" style={{ inlineSize: `${(told ?? 0) * 3.5}rem` }} />{" "}
                        {!isReady && most}
                        {formatNearWhole(told)}
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          ),
      )}
    </table>
  );
}
