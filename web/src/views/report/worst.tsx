import type { ReportPage } from "../../../../src/results/index.ts";
import type { StepRange } from "../../state/step-range.ts";
import { makeHref } from "../../state/url.ts";
import { ReportTable, rowsWhere } from "../../ui/report-table.tsx";

/** The turns, tokens and sequences that are furthest off, one click from their text: those of the chosen steps. */
export function Worst({
  page: { worst },
  within,
}: {
  readonly page: ReportPage;
  /** Steps that the tables are not of: only their rows are shown. */
  readonly within: StepRange | null;
}) {
  return (
    <section class="worst" aria-label="The worst">
      <h2>The worst</h2>
      <div class="parts">
        {worst
          .map((table) => (within === null ? table : rowsWhere(table, ({ step }) => isIn(within, step))))
          .map((table) => (
            <div class="part" key={table.id}>
              {table.rows === 0 ? (
                <p class="note">None of the {table.title.toLowerCase()} of the run is in these steps.</p>
              ) : (
                <ReportTable table={table} />
              )}
              {table.id === "worst-tokens" && (
                <p class="note">
                  <a href={makeHref({ view: "tokens", token: undefined })}>
                    {" "}
                    all tokens, by class, position and turn{" "}
                  </a>
                </p>
              )}
            </div>
          ))}
      </div>
    </section>
  );
}

function isIn([from, to]: StepRange, step: unknown): boolean {
  return typeof step === "number" && step >= from && step <= to;
}
