import { useEffect, useMemo, useState } from "preact/hooks";
import { formatNumber, formatSigned } from "../../../../src/report/display.ts";
import type { SequenceTable } from "../../../../src/wire/index.ts";
import { rightWrong } from "../../state/right-wrong.ts";
import { MirroredHistogram } from "../../ui/histogram/mirrored.tsx";

const SETTLES_MS = 150;

/** Right answers against wrong ones, among the sequences that the filter keeps. */
export function RightWrongPanel({
  table,
  rows,
}: {
  readonly table: SequenceTable;
  readonly rows: Uint32Array;
}) {
  // While one types, the table comes first.
  const [settled, settle] = useState(rows);
  useEffect(() => {
    const timer = setTimeout(() => settle(rows), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [rows]);
  const compared = useMemo(() => rightWrong(table, settled), [table, settled]);
  const { right, wrong, tests } = compared;
  if (tests === undefined)
    return <p class="muted">Right against wrong needs two sequences of each with a mean |Δ|.</p>;
  const { order, means } = tests;
  const { rankBiserial, rankBiserialInterval: interval, probabilityOfSuperiority } = order;
  const { meanDifference, meanDifferenceInterval: difference } = means;
  const clear = interval.low > 0 || interval.high < 0;
  return (
    <section class="right-wrong" aria-labelledby="right-wrong-title">
      <h2 id="right-wrong-title">Right against wrong</h2>
      <MirroredHistogram
        above={{ name: "right", values: right }}
        below={{ name: "wrong", values: wrong }}
        unit="mean |Δ|, nats"
      />
      <dl>
        <dt title="from −1 (every wrong sequence below every right one) to 1">rank-biserial</dt>
        <dd>
          {formatSigned(rankBiserial, 2)}{" "}
          <small>
            95 % {formatSigned(interval.low, 2)} to {formatSigned(interval.high, 2)}
          </small>
        </dd>
        <dt title="wrong minus right, Welch's interval">difference of means</dt>
        <dd>
          {formatSigned(meanDifference)}{" "}
          <small>
            95 % {formatSigned(difference.low)} to {formatSigned(difference.high)}
          </small>
        </dd>
      </dl>
      <p class="muted">
        {clear
          ? `A wrong sequence has the larger mismatch in ${formatNumber(100 * probabilityOfSuperiority, 2)}\u00a0% of pairs.`
          : "No difference that these sequences can show."}{" "}
        One value per sequence; those of one prompt are not quite independent.
      </p>
    </section>
  );
}
