import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import "./export.css";
import { fileName, type Row, standaloneSvg, toCsv, toJson } from "./export.ts";
import { svgToPng } from "./export-png.ts";
import { useLeave } from "./popover.tsx";

/** The run that exported files are named after. */
export const exportRun = signal("run");

/** Lets the server write Parquet; undefined in a bundle. */
export const parquetWriter = signal<((json: string) => Promise<Blob>) | undefined>(undefined);

export interface ExportProps {
  /** What it is, for the file's name. */
  readonly name: string;
  /** A picture as SVG text with its width and height; called when it is exported. */
  readonly svg?: () => string;
  /** The values with all their digits. */
  readonly rows: () => readonly Row[] | Promise<readonly Row[]>;
  /** The same including lists, if there are any: one JSON object per line. */
  readonly lines?: () => readonly object[];
}

const lastSaid = signal("");
/** The outcome of the last export, for the page's live region. */
export const exportSaid: ReadonlySignal<string> = lastSaid;

export interface Exporting {
  readonly name: string;
  readonly formats: () => Readonly<Record<string, () => Promise<Blob>>>;
}

const there = signal<readonly Exporting[]>([]);
/** Everything that the page can export now. */
export const exportsThere: ReadonlySignal<readonly Exporting[]> = there;

/** Saves the file and reports the outcome. */
export async function saveExport(name: string, format: string, make: () => Promise<Blob>): Promise<void> {
  const file = fileName(exportRun.value, name, format.toLowerCase());
  try {
    download(await make(), file);
    say(`${file} saved`);
  } catch (error) {
    say(`${file} was not saved: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const SAID_MS = 4000;
let forget: ReturnType<typeof setTimeout> | undefined;

function say(text: string): void {
  lastSaid.value = text;
  clearTimeout(forget);
  forget = setTimeout(() => {
    lastSaid.value = "";
  }, SAID_MS);
}

/** A small menu: a picture as SVG or PNG, values as CSV, JSON or Parquet. */
export function ExportMenu({ name, ...content }: ExportProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open) root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [open]);
  useLeave(root, open, () => setOpen(false));

  const close = (): void => {
    setOpen(false);
    root.current?.querySelector<HTMLElement>("button")?.focus();
  };
  const latest = useRef(content);
  latest.current = content;
  useEffect(() => {
    const own: Exporting = { name, formats: () => listFormats(latest.current) };
    there.value = [...there.peek(), own];
    return () => {
      there.value = there.peek().filter((other) => other !== own);
    };
  }, [name]);
  const formats = listFormats(content);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") close();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const items = [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length]?.focus();
  };

  return (
    <div class="export-menu" ref={root}>
      <button
        type="button"
        class="quiet"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={`Export ${name}`}
        title="export"
        onClick={() => setOpen((was) => !was)}
      >
        ⤓
      </button>
      {open && (
        <div class="menu" role="menu" aria-label={`Export ${name}`} tabIndex={-1} onKeyDown={onKeyDown}>
          {Object.entries(formats).map(([format, make]) => (
            <button
              key={format}
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                void saveExport(name, format, make);
              }}
            >
              {format}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Formats by name; each is made when chosen. */
function listFormats({
  svg,
  rows,
  lines,
}: Omit<ExportProps, "name">): Readonly<Record<string, () => Promise<Blob>>> {
  const text = (content: string, type: string): Blob =>
    new Blob([content], { type: `${type};charset=utf-8` });
  return {
    ...(svg === undefined
      ? {}
      : {
          SVG: async () => text(standaloneSvg(svg()), "image/svg+xml"),
          PNG: () => svgToPng(standaloneSvg(svg())),
        }),
    CSV: async () => text(toCsv(await rows()), "text/csv"),
    ...(lines && {
      JSONL: async () =>
        text(
          lines()
            .map((line) => `${JSON.stringify(line)}\n`)
            .join(""),
          "application/jsonl",
        ),
    }),
    JSON: async () => text(toJson(await rows()), "application/json"),
    ...(parquetWriter.value === undefined
      ? {}
      : { Parquet: async () => parquetWriter.value!(toJson(await rows())) }),
  };
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
