import type { ExactAnswer } from "../../../../src/protocol/view.ts";
import { formatNearOne, formatShare } from "../../../../src/report/format.ts";
import type { Setting } from "../../state/setting.ts";
import { countOf, formatCount } from "../../ui/format.ts";
import type { Exact } from "./exact.ts";
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
  readonly exact: Exact;
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
              <td>{answer === undefined ? "…" : (told(answer) ?? "")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted" role="status">
        {exact.state === "failed"
          ? `no exact figures: ${exact.message}`
          : exact.state === "ready"
            ? "exact: over every token of the run"
            : "exact figures are being counted …"}
      </p>
    </>
  );
}

function rowsOf(figures: Figures, { veto }: Setting): FigureRow[] {
  const { tokens, kept, clipped, ess, meanWeight, keptSequences, dropped, advantageDropped, vetoedAtMost } =
    figures;
  // Which sequences the veto takes is known as a set that holds them all: then what is kept is at least this.
  const bounded = veto !== null && (vetoedAtMost ?? 0) > 0;
  const [least, most, about] = bounded ? ["≥ ", "≤ ", "≈ "] : ["", "", ""];
  return [
    {
      title: "kept tokens",
      help: "in the mask with a weight above 0",
      now: `${least}${share(kept)}`,
      exact: ({ kept_tokens }) => share(kept_tokens / tokens),
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
      now: `${about}${share(ess)}`,
      exact: (answer) => share(answer.ess),
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
      now: share(clipped),
      exact: (answer) => share(answer.clipped / tokens),
    },
    ...(veto === null
      ? []
      : [
          {
            title: "vetoed",
            help: "by the veto alone: tokens of such sequences at most, and sequences exactly; the table of sequences knows the largest |Δ| but not its sign",
            now: `≤ ${share(vetoedAtMost ?? 0)}`,
            exact: ({ vetoed }: ExactAnswer) => countOf(vetoed, "sequence"),
          },
        ]),
    ...(["right", "wrong"] as const).flatMap((side): FigureRow[] => {
      const own = dropped[side];
      if (own === undefined) return [];
      return [
        {
          title: `dropped, ${side}`,
          help: `share of the tokens of ${side} sequences`,
          now: `${most}${share(own)}`,
          exact: (answer) => share(side === "right" ? answer.dropped_right : answer.dropped_wrong),
        },
      ];
    }),
    ...(advantageDropped === undefined
      ? []
      : [
          {
            title: "dropped |advantage|",
            help: "share of the sum of |advantage|",
            now: `${most}${share(advantageDropped)}`,
            exact: () => undefined,
          },
        ]),
  ];
}

/** As per cent; close to the whole with as many digits as it takes to see what is missing. */
function share(value: number | null): string {
  if (value === null) return "–";
  const missing = 100 * (1 - value);
  if (missing > 1 || missing < 1e-9) return formatShare(value);
  return `${(100 * value).toFixed(Math.min(7, 1 + Math.ceil(-Math.log10(missing))))} %`;
}

/** Who is dropped, by length. */
export function LengthTable({ figures }: { readonly figures: Figures }) {
  const { byLength } = figures;
  return (
    <section class="by-length">
      <h2>Dropped by length</h2>
      {byLength === undefined ? (
        <p class="muted">The bins do not know lengths: at sequence and geometric level this is shown.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">tokens</th>
              <th scope="col">dropped</th>
            </tr>
          </thead>
          <tbody>
            {byLength.map(({ from, to, dropped }) => (
              <tr key={from}>
                <th scope="row">
                  {formatCount(from)} to {formatCount(to)}
                </th>
                <td>
                  <span class="bar" style={{ inlineSize: `${dropped * 6}rem` }} /> {formatShare(dropped)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
