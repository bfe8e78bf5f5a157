import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ReportPage } from "../../../../src/results/index.ts";
import { ReportTables } from "../../ui/report-table.tsx";

/** The rest of the report, folded; drawn when unfolded. */
export function Everything({ page: { everything } }: { readonly page: ReportPage }) {
  return (
    <section class="everything" aria-label="All figures">
      <h2>All figures</h2>
      {everything.map(({ title, tables = [] }) => (
        <Fold key={title} title={title}>
          {() => <ReportTables of={tables} />}
        </Fold>
      ))}
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
