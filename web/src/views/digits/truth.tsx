import type { ConfidenceFigures, DigitTruth } from "../../../../src/protocol/digits.ts";
import type { Table } from "../../../../src/report/content/table.ts";
import { formatShare } from "../../../../src/report/format.ts";
import { printable } from "../../../../src/report/printable.ts";
import { ChartPicture } from "../../ui/chart-picture.tsx";
import { flatRows } from "../../ui/export.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { formatCount, formatNumber } from "../../ui/format.ts";
import { ReportTable } from "../../ui/report-table.tsx";
import { WrongAnswers } from "./examples.tsx";
import { LossTable } from "./loss-table.tsx";
import { calibrationPicture } from "./pictures.ts";

/** Answers against ground truth: how often right, and whether being sure meant being right. */
export function Truth({ truth, tables }: { readonly truth: DigitTruth; readonly tables: readonly Table[] }) {
  const places = tables.find(({ id }) => id === "truth-places");
  return (
    <section class="truth" aria-label="Against ground truth">
      <h2>Against ground truth</h2>
      <p class="note">
        {printable(truth.source)}: {formatCount(truth.numbers_right)} of {formatCount(truth.numbers)} answers
        right ({formatShare(truth.number_accuracy)}), {formatShare(truth.digit_accuracy)} of their digits;
        calibration error {formatShare(truth.calibration_error)}.
      </p>
      <div class="pair">
        {truth.calibration.length > 0 && (
          <ChartPicture
            name="calibration of answer digits"
            svg={() => calibrationPicture(truth.calibration, truth.calibration_error)}
            rows={() => flatRows(truth.calibration)}
          />
        )}
        <div class="stack">
          <RightAndWrong truth={truth} />
          {places && <ReportTable table={places} rows={() => flatRows(truth.per_place)} />}
        </div>
      </div>
      {truth.distributions.length > 0 && (
        <LossTable
          title="Number-token loss against the true digit"
          name="digit losses against truth"
          distributions={truth.distributions}
        />
      )}
      <WrongAnswers answers={truth.surest_wrong} />
    </section>
  );
}

function RightAndWrong({ truth }: { readonly truth: DigitTruth }) {
  const sides: readonly (readonly [string, ConfidenceFigures])[] = [
    ["right", truth.right_digits],
    ["wrong", truth.wrong_digits],
  ];
  const hasTrainer = sides.some(([, figures]) => figures.trainer_avg_log_prob !== null);
  return (
    <div class="gaps">
      <div class="table-head">
        <h3>Digits of answers, right and wrong</h3>
        <ExportMenu
          name="right and wrong digits"
          rows={() => sides.map(([digits_are, figures]) => ({ digits_are, ...figures }))}
        />
      </div>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col" class="figure">
              digits
            </th>
            <th scope="col" class="figure">
              mean p
            </th>
            <th scope="col" class="figure">
              log p rollout
            </th>
            {hasTrainer && (
              <th scope="col" class="figure">
                trainer
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {sides.map(([name, figures]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="figure">{formatCount(figures.digits)}</td>
              <td class="figure">{formatShare(figures.confidence)}</td>
              <td class="figure">{formatNumber(figures.avg_log_prob)}</td>
              {hasTrainer && <td class="figure">{formatNumber(figures.trainer_avg_log_prob)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
