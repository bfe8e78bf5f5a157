import { CopyButton } from "../copy-button.tsx";
import { type Row, toCsv, toJson } from "../export.ts";
import { ExportMenu } from "../export-menu.tsx";

/** Exports a table: to the clipboard, or as a file. */
export function TakeAway({
  what,
  rows,
}: {
  /** `sequences`: for file names and labels. */
  readonly what: string;
  /** Called when an export is asked for. */
  readonly rows: () => readonly Row[];
}) {
  return (
    <fieldset class="take-away" aria-label={`Export the ${what}`}>
      <CopyButton label="Copy CSV" text={() => toCsv(rows())} />
      <CopyButton label="Copy JSON" text={() => toJson(rows())} />
      <ExportMenu name={what} rows={rows} />
    </fieldset>
  );
}
