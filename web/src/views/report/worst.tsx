import type { ReportPage } from "../../../../src/results/index.ts";
import type { StepRange } from "../../state/step-range.ts";
import { makeHref } from "../../state/url.ts";
import { ReportTable, rowsWhere } from "../../ui/report-table.tsx";

/** The worst turns, tokens and sequences of the chosen steps, with links to their text. */
export function Worst({
  page: { worst },
  within,
}: {
  readonly page: ReportPage;
  /** Where the tables are of the whole run: only rows of these steps are shown. */
  readonly within: StepRange | null;
}) {
  return (
    <section class="worst" aria-label="Worst places">
      <h2>Worst places</h2>
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
