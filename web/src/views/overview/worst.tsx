import { reportTables } from "../../state/loaded.ts";
import { parseSteps, type StepRange } from "../../state/step-range.ts";
import { hrefOf, route } from "../../state/url.ts";
import { ReportTable, rowsWhere } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";

/** The turns, tokens and sequences that are furthest off, one click from their text: those of the chosen steps. */
export function Worst() {
  const range = parseSteps(route.value.params.steps ?? "");
  return (
    <section class="worst" aria-label="The worst">
      <h2>
        The worst
        {range !== null && <span class="whole">of the run's worst, those of the chosen steps</span>}
      </h2>
      <WhenLoaded of={reportTables()}>
        {({ worst }) => (
          <div class="parts">
            {worst
              .map((table) => (range === null ? table : rowsWhere(table, ({ step }) => isIn(range, step))))
              .map((table) => (
                <div class="part" key={table.id}>
                  {table.rows === 0 ? (
                    <p class="note">None of the {table.title.toLowerCase()} of the run is in these steps.</p>
                  ) : (
                    <ReportTable table={table} />
                  )}
                  {table.id === "worst-tokens" && (
                    <p class="note">
                      <a href={hrefOf({ view: "tokens", token: undefined })}>
                        {" "}
                        all tokens, by class, position and turn{" "}
                      </a>
                    </p>
                  )}
                </div>
              ))}
          </div>
        )}
      </WhenLoaded>
    </section>
  );
}

function isIn([from, to]: StepRange, step: unknown): boolean {
  return typeof step === "number" && step >= from && step <= to;
}
