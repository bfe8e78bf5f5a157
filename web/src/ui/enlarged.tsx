import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatNumber } from "../../../src/render/text/display/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import { navigate, route } from "../state/url.ts";
import { Dialog } from "./dialog.tsx";
import "./enlarged.css";
import type { Row } from "./export.ts";
import type { ExportProps } from "./export-menu.tsx";
import { VirtualTable } from "./virtual-table/virtual-table.tsx";

/** Whether the address asks for this picture enlarged. */
export function isEnlarged(name: string): boolean {
  return route.value.params.enlarged === name;
}

export function EnlargeButton({ name }: { readonly name: string }) {
  return (
    <button
      type="button"
      class="quiet enlarge"
      aria-haspopup="dialog"
      aria-label={`Enlarge ${name}`}
      title="enlarge, with its values as a table"
      onClick={() => navigate({ params: { enlarged: name } })}
    >
      ⤢
    </button>
  );
}

/** A picture as large as the window, with all its values below. */
export function Enlarged({
  title,
  rows,
  children,
}: Pick<ExportProps, "rows"> & { readonly title: string; readonly children: ComponentChildren }) {
  const [values, setValues] = useState<readonly Row[]>();
  useEffect(() => {
    let isGone = false;
    void Promise.resolve(rows()).then((all) => {
      if (!isGone) setValues(all);
    });
    return () => {
      isGone = true;
    };
  }, []);
  const close = (): void => navigate({ params: { enlarged: undefined } }, { replace: true });
  const keys = Object.keys(values?.[0] ?? {});
  return (
    <Dialog label={title} onClose={close} class="enlarged">
      <header>
        <button type="button" onClick={close}>
          Close
        </button>
      </header>
      {children}
      {values !== undefined && (
        <VirtualTable
          label={`Values of ${title}`}
          noun="row"
          count={values.length}
          row={(at) => values[at]!}
          columns={keys.map((key) => ({
            key,
            title: key,
            width: Math.max(90, Math.min(260, 30 + 8 * key.length)),
            align: "end",
            cell: (row: Row) => sayValue(row[key]),
          }))}
        />
      )}
    </Dialog>
  );
}

function sayValue(value: Row[string] | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return printable(String(value));
  return Number.isInteger(value) ? String(value) : formatNumber(value);
}
