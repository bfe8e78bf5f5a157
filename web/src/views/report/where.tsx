import type { ReportPage } from "../../../../src/results/index.ts";
import { ReportPictures, ReportTable } from "../../ui/report-table.tsx";

/** Where the mismatch is: by turn, correctness, rank, environment, position, probability, class. */
export function Where({ page: { where } }: { readonly page: ReportPage }) {
  return (
    <section class="where" aria-label="Where the mismatch is">
      <h2>Where the mismatch is</h2>
      <div class="parts">
        {where.map(({ picture, table }) => (
          <div class="part" key={table.id}>
            <ReportPictures of={picture === null ? [] : [picture]} />
            <ReportTable table={table} />
          </div>
        ))}
      </div>
    </section>
  );
}
