import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { printable } from "../../../src/render/text/index.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/index.ts";
import { client } from "../api/client.ts";
import { useKeys } from "../state/keys.ts";
import { makeHref, navigate, route, type ViewName } from "../state/url.ts";
import { exportRun, exportSaid, parquetWriter } from "../ui/export-menu.tsx";
import { StepsChip } from "../ui/steps-chip.tsx";
import { nextTheme, setTheme, theme } from "../ui/theme.ts";
import { FindingsDialog } from "./findings-dialog.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { listen, showNews } from "./news.ts";
import { Palette } from "./palette.tsx";
import { checkpointItems, metricItems, type PaletteItem, stepItems } from "./palette-items.ts";
import "./style.css";
import { type DialogName, TopBar } from "./top-bar.tsx";

export interface ShellView {
  readonly name: ViewName;
  readonly title?: string;
  /** After `g`; the first letter of the title when absent. */
  readonly key?: string;
}

/** What is around every view. */
export function Shell({
  info,
  current,
  views,
  children,
}: {
  readonly info: RunInfo | StudyInfo;
  /** The view that is shown. */
  readonly current: ViewName;
  readonly views: readonly ShellView[];
  readonly children: ComponentChildren;
}) {
  const [open, setOpen] = useState<DialogName | null>(null);
  const close = (): void => setOpen(null);
  const titled = views.filter(
    (view): view is ShellView & { readonly title: string } => view.title !== undefined,
  );
  const title = titled.find(({ name }) => name === current)?.title ?? "Sequence";
  const isBundled = info.kind === "view-run" && info.bundled === true;

  useEffect(() => (info.status === "reading" ? listen() : undefined), [info.status]);
  useEffect(() => {
    document.title = `${printable(info.name)} · ${title} · logratio`;
    exportRun.value = info.name;
    parquetWriter.value = isBundled ? undefined : client.parquet;
  }, [info.name, isBundled, title]);
  useKeys({
    ...Object.fromEntries(
      titled.map(({ name, title: to, key }) => [
        `g ${key ?? to[0]?.toLowerCase()}`,
        { describe: `go to ${to}`, run: () => navigate({ view: name, token: undefined }) },
      ]),
    ),
    "?": { describe: "list the keys", run: () => setOpen("keys") },
    "Mod+k": { describe: "go to anything by its name", run: () => setOpen("palette") },
  });

  const fixed = useMemo(
    (): PaletteItem[] => [
      ...titled.map(
        ({ name, title: label, key }): PaletteItem => ({
          key: `view ${name}`,
          kind: "view",
          label,
          hint: `g ${key ?? label[0]?.toLowerCase()}`,
          move: { view: name, token: undefined },
        }),
      ),
      ...(info.kind === "view-run" && current === "sequence" ? metricItems(info) : []),
      ...(info.kind === "view-study" ? checkpointItems(info) : []),
      ...COMMANDS,
      {
        key: "findings",
        kind: "command",
        label: "Findings",
        hint: "what reading noticed",
        run: () => setOpen("findings"),
      },
      { key: "keys", kind: "command", label: "Keys", hint: "?", run: () => setOpen("keys") },
      ...(info.kind === "view-run" ? stepItems(info) : []),
    ],
    [info, current],
  );

  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the view
      </button>
      <header class="top">
        <TopBar info={info} onOpen={setOpen} />
        <nav aria-label="Views">
          {titled.map(({ name, title: label }) => (
            <a
              key={name}
              href={makeHref({ view: name, token: undefined })}
              aria-current={name === current ? "page" : undefined}
            >
              {label}
            </a>
          ))}
          {current === "sequence" && (
            <a href={makeHref({})} aria-current="page">
              Sequence
            </a>
          )}
          {info.kind === "view-run" && <StepsChip info={info} route={route.value} />}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <p class="export-said" role="status">
        {exportSaid.value}
      </p>
      {open === "findings" && <FindingsDialog findings={info.findings} onClose={close} />}
      {open === "keys" && <KeysDialog onClose={close} />}
      {open === "palette" && (
        <Palette fixed={fixed} hasSequences={info.kind === "view-run"} onClose={close} />
      )}
    </>
  );
}

const COMMANDS: readonly PaletteItem[] = [
  {
    key: "theme",
    kind: "command",
    label: "Change colours",
    hint: "light, dark, as the system has it",
    run: () => setTheme(nextTheme(theme.peek())),
  },
  {
    key: "news",
    kind: "command",
    label: "Load what is new",
    hint: "asks the server again",
    run: () => void showNews(),
  },
];
