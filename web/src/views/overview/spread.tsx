import type { MismatchReport } from "../../../../src/protocol/report.ts";
import { histogramChart, tailChart } from "../../../../src/report/charts/index.ts";
import { ChartPicture } from "../../ui/chart-picture.tsx";
import { flatRows, type Row } from "../../ui/export.ts";

/** How far apart the policies are, token by token: for every run, with or without steps. */
export function Spread({ report }: { readonly report: MismatchReport }) {
  if (report.metrics.tokens === 0) return null;
  const { delta, prob_diff_abs } = report.histograms;
  return (
    <section class="spread" aria-label="How Δ is spread">
      <h2>How Δ is spread</h2>
      <div class="pictures">
        <ChartPicture
          name="delta-histogram"
          svg={() =>
            histogramChart({ title: "Δ = log p trainer − log p rollout", xLabel: "Δ, nats", ...delta })
          }
          rows={() => barRows(delta)}
        />
        <ChartPicture
          name="extreme-tokens"
          svg={() => tailChart(report.tail_curve, { title: "Extreme tokens: share with |Δ| above τ" })}
          rows={() => flatRows(report.tail_curve)}
        />
        <ChartPicture
          name="prob-diff-histogram"
          svg={() =>
            histogramChart({ title: "|Δp| = |p trainer − p rollout|", xLabel: "|Δp|", ...prob_diff_abs })
          }
          rows={() => barRows(prob_diff_abs)}
        />
      </div>
    </section>
  );
}

function barRows({ edges, counts }: MismatchReport["histograms"]["delta"]): Row[] {
  return counts.map((tokens, index) => ({
    from: edges[index] ?? null,
    to: edges[index + 1] ?? null,
    tokens,
  }));
}
