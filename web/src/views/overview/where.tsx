import { reportTables } from "../../state/loaded.ts";
import { ReportPictures, ReportTable } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";

/** Where the mismatch is: by turn, correctness, rank, environment, position, probability, class. */
export function Where() {
  return (
    <section class="where" aria-label="Where it is">
      <h2>Where it is</h2>
      <WhenLoaded of={reportTables()}>
        {({ where }) => (
          <div class="parts">
            {where.map(({ picture, table }) => (
              <div class="part" key={table.id}>
                <ReportPictures of={picture === null ? [] : [picture]} />
                <ReportTable table={table} />
              </div>
            ))}
          </div>
        )}
      </WhenLoaded>
    </section>
  );
}
