import { formatCounted, formatNumber, formatSigned } from "../../../src/render/text/display/index.ts";
import { type RightWrong, sayRightWrong } from "../state/right-wrong.ts";
import { Explained } from "./explained.tsx";
import { MirroredHistogram } from "./histogram/mirrored.tsx";

/** Mean |Δ| of right sequences compared with wrong ones: histogram, means, and the result in words. */
export function RightWrongFigures({ right, wrong, tests }: RightWrong) {
  if (tests === undefined)
    return (
      <p class="muted">
        {formatCounted(right.length, "right sequence")}, {formatCounted(wrong.length, "wrong sequence")}: two
        of each are needed.
      </p>
    );
  const { order, means, enough } = tests;
  return (
    <>
      <MirroredHistogram
        above={{ name: "right", values: right }}
        below={{ name: "wrong", values: wrong }}
        unit="mean |Δ|, nats"
      />
      <dl>
        <dt>mean of right, of wrong</dt>
        <dd>
          {formatNumber(mean(right))}, {formatNumber(mean(wrong))}
        </dd>
        <dt>
          <Explained text="wrong − right" meaning="difference of the means; interval by prompt" />
        </dt>
        <dd>
          {formatSigned(means.difference)}{" "}
          {enough && (
            <small>
              95 % {formatSigned(means.interval.low)} to {formatSigned(means.interval.high)}
            </small>
          )}
        </dd>
        <dt>
          <Explained text="rank-biserial" meaning="from −1 (every wrong one below every right one) to 1" />
        </dt>
        <dd>{formatSigned(order.rankBiserial, 2)}</dd>
      </dl>
      <p class="muted">{sayRightWrong(tests)}</p>
    </>
  );
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
