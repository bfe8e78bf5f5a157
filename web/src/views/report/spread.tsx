import { SECTION_TITLES } from "../../../../src/render/report/index.ts";
import type { ReportPage } from "../../../../src/results/index.ts";
import { ReportPictures } from "../../ui/report-table.tsx";

/** How far apart the policies are, token by token and sequence by sequence: for every run, with or without steps. */
export function Spread({ page: { spread } }: { readonly page: ReportPage }) {
  return (
    <section class="spread" aria-label={SECTION_TITLES.spread}>
      <h2>{SECTION_TITLES.spread}</h2>
      <div class="pictures">
        <ReportPictures of={spread} />
      </div>
    </section>
  );
}
