import type { DigitGap, DigitsReport } from "../../../../src/protocol/digits.ts";
import { flatRows, type Row } from "../../ui/export.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { formatCount, formatNumber, formatSigned } from "../../ui/format.ts";

/** How sure each policy is of its digits, as large figures. */
export function Confidence({ report: { metrics } }: { readonly report: DigitsReport }) {
  const { avg_digit_log_prob: rollout, trainer_avg_digit_log_prob: trainer } = metrics;
  const chances = pairOf(probability(rollout), probability(trainer));
  const averages = pairOf(rollout, trainer);
  const losses = pairOf(metrics.ntl_loss, metrics.trainer_ntl_loss);
  const sides = (["rollout", "trainer"] as const).filter((name) => name === "rollout" || trainer !== null);
  return (
    <div class="confidence">
      <dl>
        {sides.map((name, at) => (
          <div key={name} class={name}>
            <dt>{name} policy</dt>
            <dd>
              <b>{chances[at]}</b>
              <span>probability of its digits (geometric mean)</span>
              <span>
                proxy NTL {losses[at]} nats · average log-prob {averages[at]}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <ExportMenu name="digit metrics" rows={() => flatRows([metrics])} />
    </div>
  );
}

function probability(logprob: number | null): number | null {
  return logprob === null ? null : Math.exp(logprob);
}

/** With as many digits as it takes to see which is larger. */
function pairOf(rollout: number | null, trainer: number | null): readonly [string, string] {
  const both = (digits: number): readonly [string, string] => [
    precise(rollout, digits),
    precise(trainer, digits),
  ];
  if (rollout === null || trainer === null) return both(3);
  for (let digits = 3; digits < 9; digits++) {
    const texts = both(digits);
    if (texts[0] !== texts[1]) return texts;
  }
  return both(3);
}

/** Zeros at the end stay, so that both numbers are as long. */
function precise(value: number | null, digits: number): string {
  const size = Math.abs(value ?? 0);
  if (value === null || size < 1e-3 || size >= 1e6) return formatNumber(value, digits);
  return value.toPrecision(digits).replace("-", "−");
}

const GAPS: readonly {
  readonly name: string;
  readonly of: (gap: DigitGap) => number | null;
  readonly show: (value: number | null) => string;
}[] = [
  { name: "mean |Δ|", of: (gap) => gap.delta_abs_mean, show: formatNumber },
  { name: "max |Δ|", of: (gap) => gap.delta_abs_max, show: formatNumber },
  { name: "mean Δ", of: (gap) => gap.delta_mean, show: formatSigned },
  { name: "k3", of: (gap) => gap.k3, show: formatNumber },
  { name: "mean |Δp|", of: (gap) => gap.prob_diff_mean, show: formatNumber },
  { name: "max |Δp|", of: (gap) => gap.prob_diff_max, show: formatNumber },
  { name: "tokens", of: (gap) => gap.tokens, show: formatCount },
];

/** The two policies on digits, and on everything else. */
export function GapTable({ report: { comparison } }: { readonly report: DigitsReport }) {
  if (comparison === null) return null;
  const { digits, others } = comparison;
  const rows = (): Row[] => [
    { tokens_of: "digits", ...digits },
    { tokens_of: "others", ...others },
  ];
  return (
    <div class="gaps">
      <div class="table-head">
        <h3>Between the policies</h3>
        <ExportMenu name="digits and other tokens" rows={rows} />
      </div>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col" class="figure">
              digits
            </th>
            <th scope="col" class="figure">
              other tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {GAPS.map(({ name, of, show }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="figure">{show(of(digits))}</td>
              <td class="figure">{show(of(others))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
