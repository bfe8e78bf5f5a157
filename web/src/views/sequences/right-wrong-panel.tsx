import { useEffect, useMemo, useState } from "preact/hooks";
import { formatSigned } from "../../../../src/render/text/display/index.ts";
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { rightWrong, sayRightWrong } from "../../state/right-wrong.ts";
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
  const { order, means, enough } = tests;
  const { difference, interval } = means;
  return (
    <section class="right-wrong" aria-labelledby="right-wrong-title">
      <h2 id="right-wrong-title">Right against wrong</h2>
      <MirroredHistogram
        above={{ name: "right", values: right }}
        below={{ name: "wrong", values: wrong }}
        unit="mean |Δ|, nats"
      />
      <dl>
        <dt title="wrong minus right; interval by prompt">difference of means</dt>
        <dd>
          {formatSigned(difference)}{" "}
          {enough && (
            <small>
              95 % {formatSigned(interval.low)} to {formatSigned(interval.high)}
            </small>
          )}
        </dd>
        <dt title="of these sequences: from −1 (every wrong one below every right one) to 1">
          rank-biserial
        </dt>
        <dd>{formatSigned(order.rankBiserial, 2)}</dd>
      </dl>
      <p class="muted">{sayRightWrong(tests)}</p>
    </section>
  );
}
