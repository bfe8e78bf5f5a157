import { reportTables } from "../../state/loaded.ts";
import { ReportPictures } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";

/** How far apart the policies are, token by token and sequence by sequence: for every run, with or without steps. */
export function Spread() {
  return (
    <section class="spread" aria-label="How Δ is spread">
      <h2>How Δ is spread</h2>
      <WhenLoaded of={reportTables()}>
        {({ spread }) => (
          <div class="pictures">
            <ReportPictures of={spread} />
          </div>
        )}
      </WhenLoaded>
    </section>
  );
}
