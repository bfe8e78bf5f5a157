/**
 * What `logratio sweep` finds for these steps: every correction of its grid as a point, and its recommendation.
 *
 * @module
 */
import { type CorrectionPoint, correctionChart } from "../../../../src/render/charts/index.ts";
import { formatCount, formatNearOne, formatShare } from "../../../../src/render/text/display/index.ts";
import type { SweepCorrection, SweepReport } from "../../../../src/results/sweep.ts";
import { type Correction, formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import type { Swept as SweepOfRun } from "../../state/sweep.ts";
import { makeHref } from "../../state/url.ts";
import { ChartPicture } from "../../ui/chart-picture.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";

interface RecommendationProps extends SweepOfRun {
  readonly correction: Correction;
}

/** The recommendation in one line; other corrections are folded so that the thresholds stay in sight. */
export function Recommendation({ swept, ask, correction }: RecommendationProps) {
  if (ask !== undefined)
    return (
      <p>
        <button type="button" onClick={ask}>
          Recommendation
        </button>
      </p>
    );
  return (
    <section class="recommendation" aria-label="Recommended">
      <WhenLoaded of={swept}>
        {(report) => <Swept report={report} current={formatCorrection(correction)} />}
      </WhenLoaded>
    </section>
  );
}

const KINDS = {
  recommended: "Recommended:",
  "none needed": "No correction is needed; as a safety net:",
  "none fits": "No correction keeps within the limits; the mildest:",
} as const;

function Swept({ report, current }: { readonly report: SweepReport; readonly current: string }) {
  const { corrections, recommendation } = report;
  const { kind, name, reasons } = recommendation;
  const chosen = corrections.find(({ correction_text }) => correction_text === current)?.name;
  const draw = (isLinked: boolean): string =>
    correctionChart(
      corrections.map((each) => ({ ...toPoint(each), ...(isLinked && { href: hrefTo(each) }) })),
      { title: "ESS and dropped tokens of each correction", recommended: name, current: chosen, height: 220 },
    );
  return (
    <>
      <p>
        {KINDS[kind]} <a href={hrefTo(corrections.find((each) => each.name === name))}>{name}</a>
      </p>
      <details>
        <summary>Why, and what else was tried</summary>
        <div class="swept">
          <div>
            <ChartPicture
              name="corrections"
              svg={() => draw(true)}
              exported={() => draw(false)}
              rows={() => corrections.map(toRow)}
            />
            <p class="muted">
              A point is a correction: blue on the front of ESS, weight moved and mean weight, the ring what
              is recommended
              {chosen !== undefined && ", the cross the one below"}. Click one to set it.
            </p>
          </div>
          <div>
            <ul class="reasons">
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
            <ShortTable rows={pickRows(report, chosen)} recommended={name} chosen={chosen} />
            <p class="muted">
              {formatCount(corrections.length)} corrections tried; <code>logratio sweep</code> lists all of
              them.
            </p>
          </div>
        </div>
      </details>
    </>
  );
}

function ShortTable({
  rows,
  recommended,
  chosen,
}: {
  readonly rows: readonly SweepCorrection[];
  readonly recommended: string;
  readonly chosen: string | undefined;
}) {
  return (
    <ScrollBox label="Corrections">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">correction</th>
            <th scope="col">ESS</th>
            <th scope="col">mean weight</th>
            <th scope="col">moved</th>
            <th scope="col">dropped</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} aria-current={row.name === chosen ? "true" : undefined}>
              <th scope="row">
                <a href={hrefTo(row)} title={row.rule}>
                  {row.name}
                </a>
                {row.name === recommended && " (recommended)"}
              </th>
              <td>{formatNearOne(row.ess_tokens)}</td>
              <td>{formatNearOne(row.weight_mean)}</td>
              <td>{formatShare(row.mass_moved)}</td>
              <td>{formatShare(row.dropped.tokens_share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

const MOST_ROWS = 6;

/** No correction, the recommended one, the current one, and the front between them. */
function pickRows({ corrections, front, recommendation }: SweepReport, chosen?: string): SweepCorrection[] {
  const musts = new Set(["none", recommendation.name, ...(chosen === undefined ? [] : [chosen])]);
  const others = front.filter((name) => !musts.has(name)).slice(0, MOST_ROWS - musts.size);
  return corrections.filter(({ name }) => musts.has(name) || others.includes(name));
}

function toPoint({ name, dropped, ess_tokens, on_front }: SweepCorrection): CorrectionPoint {
  return { name, dropped: dropped.tokens_share, ess: ess_tokens, isOnFront: on_front };
}

function toRow({
  name,
  correction_text,
  ess_tokens,
  weight_mean,
  mass_moved,
  dropped,
  on_front,
}: SweepCorrection) {
  return {
    ...{
      correction: name,
      text: correction_text,
      ess: ess_tokens,
      mean_weight: weight_mean,
      moved: mass_moved,
    },
    ...{ dropped: dropped.tokens_share, sequences_dropped: dropped.sequences_share, on_front },
  };
}

function hrefTo(correction: SweepCorrection | undefined): string {
  return makeHref({ params: { correction: correction?.correction_text } });
}
