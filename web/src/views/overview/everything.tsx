import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { MismatchReport } from "../../../../src/protocol/report.ts";
import {
  allFiguresTable,
  baselineTable,
  distributionTable,
} from "../../../../src/report/content/figure-tables.ts";
import { stepTable } from "../../../../src/report/content/group-tables.ts";
import { sourceTable } from "../../../../src/report/content/input.ts";
import { parityTables } from "../../../../src/report/content/parity-tables.ts";
import { sequenceFigureTable } from "../../../../src/report/content/sequence-tables.ts";
import type { Table } from "../../../../src/report/content/table.ts";
import { tailSideTable, tailTable } from "../../../../src/report/content/token-tables.ts";
import { flatRows, type Row } from "../../ui/export.ts";
import { stepHref } from "../../ui/place-link.tsx";
import { ReportTable } from "../../ui/report-table.tsx";

const MOST_STEPS = 1000;
const MOST_SOURCES = 200;

/** The rest of the report, folded: made when it is unfolded. */
export function Everything({ report }: { readonly report: MismatchReport }) {
  const metrics = Object.entries(report.metrics).map(([figure, value]) => ({
    figure,
    value,
    low: report.intervals[figure]?.low ?? null,
    high: report.intervals[figure]?.high ?? null,
  }));
  const distributions = Object.entries(report.distributions).map(([of, { quantiles, ...rest }]) => ({
    of,
    ...rest,
    ...quantiles,
  }));
  return (
    <section class="everything" aria-label="All figures">
      <h2>All figures</h2>
      <Fold title="Every figure with its interval">
        {() => (
          <>
            <ReportTable table={allFiguresTable(report)} rows={() => metrics} priority={4} />
            <ReportTable table={baselineTable(report)} rows={() => flatRows(report.verdict.readings)} />
            <ReportTable
              table={sequenceFigureTable(report)}
              rows={() => flatRows([report.sequence_metrics])}
            />
          </>
        )}
      </Fold>
      {report.per_step.length > 1 && (
        <Fold title={`${report.per_step.length} steps`}>
          {() => (
            <ReportTable
              table={stepTable(report, MOST_STEPS)}
              rows={() => flatRows(report.per_step)}
              priority={6}
              link={(_, text) => (/^\d+$/.test(text) ? <a href={stepHref(Number(text))}>{text}</a> : text)}
            />
          )}
        </Fold>
      )}
      <Fold title="Quantiles and tails">
        {() => (
          <>
            <ReportTable table={distributionTable(report)} rows={() => distributions} />
            <ReportTable table={tailTable(report)} rows={() => flatRows(report.tail_curve)} priority={4} />
            <ReportTable
              table={tailSideTable(report)}
              rows={() =>
                flatRows([
                  { tail: "positive", ...report.tails.positive },
                  { tail: "negative", ...report.tails.negative },
                ])
              }
            />
          </>
        )}
      </Fold>
      {report.parity.length > 0 && (
        <Fold title="As the trainers log it">
          {() =>
            parityTables(report).map((table) => (
              <ReportTable key={table.id} table={table} rows={() => tableRows(table)} priority={9} />
            ))
          }
        </Fold>
      )}
      <Fold title="What was read">
        {() => (
          <ReportTable
            table={sourceTable(report, MOST_SOURCES)}
            rows={() => flatRows(report.sources)}
            priority={4}
          />
        )}
      </Fold>
    </section>
  );
}

function Fold({ title, children }: { readonly title: string; readonly children: () => ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children()}
    </details>
  );
}

/** The cells as they are shown: for tables whose figures come under names of their own. */
function tableRows({ columns, rows }: Table): Row[] {
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(({ header, cells }) => [header, cells[row] ?? null])),
  );
}
