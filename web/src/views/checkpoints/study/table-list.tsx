import { ReportTable } from "../../../ui/report-table.tsx";
import { PlaceLink } from "./place-link.tsx";
import type { StudyTable } from "./tables.ts";

/** Tables of the report that have rows. */
export function Tables({ of }: { readonly of: readonly StudyTable[] }) {
  return (
    <div class="tables">
      {of
        .filter(({ table }) => table.rows > 0)
        .map(({ table, rows, handles }) => (
          <ReportTable
            key={table.id}
            table={table}
            rows={rows}
            {...(handles !== undefined && {
              link: (row: number, text: string) => <PlaceLink handle={handles[row] ?? ""}>{text}</PlaceLink>,
            })}
          />
        ))}
    </div>
  );
}
