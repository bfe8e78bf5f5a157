import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { shellCommand } from "../../../src/core/base/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/view.ts";
import { client } from "../api/client.ts";
import { BY_ROW, describeAddress } from "../state/address.ts";
import { useKeys } from "../state/keys.ts";
import { arrival, navigate, route, type ViewName } from "../state/url.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { exportRun, exportSaid, parquetWriter } from "../ui/export-menu.tsx";
import { setTheme, THEMES, theme } from "../ui/theme.ts";
import { chooseFiles } from "./drop.tsx";
import { FindingsDialog } from "./findings-dialog.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { listen } from "./news.ts";
import { Palette } from "./palette.tsx";
import { checkpointItems, metricItems, type PaletteItem, stepItems } from "./palette-items.ts";
import "./style.css";
import { type DialogName, TopBar } from "./top-bar.tsx";
import { type ShellView, UNTITLED, ViewsNav } from "./views-nav.tsx";

type TitledView = ShellView & { readonly title: string };

export interface ShellProps {
  readonly info: RunInfo | StudyInfo;
  /** The view that is shown. */
  readonly current: ViewName;
  readonly views: readonly ShellView[];
  readonly children: ComponentChildren;
}

/** The frame around every view. */
export function Shell({ info, current, views, children }: ShellProps) {
  const [open, setOpen] = useState<DialogName | null>(null);
  const close = (): void => setOpen(null);
  const titled = views.filter((view): view is TitledView => view.title !== undefined);
  const arrived = useArrival(current);
  useRunNames(info, titled.find(({ name }) => name === current)?.title ?? UNTITLED[current] ?? "");
  useEffect(() => (info.status !== "ready" ? listen() : undefined), [info.status]);
  useKeys({
    ...Object.fromEntries(
      titled.map((view) => [
        `g ${keyTo(view)}`,
        {
          describe: `go to ${view.title}`,
          run: () => navigate({ view: view.name, token: undefined }),
        },
      ]),
    ),
    "?": { describe: "list the keys", run: () => setOpen("keys") },
    "Mod+k": { describe: "go to anything by its name", run: () => setOpen("palette") },
  });
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the view
      </button>
      <header class="top">
        <TopBar info={info} onOpen={setOpen}>
          <ViewsNav info={info} current={current} views={views} onOpen={setOpen} />
        </TopBar>
      </header>
      <main id="main" tabIndex={-1}>
        {info.kind === "view-run" && <TokenizerHint info={info} />}
        <AddressNotes info={info} current={current} views={views} />
        {children}
      </main>
      <p class="arrival" role="status">
        {arrived && (titled.find(({ name }) => name === current)?.title ?? UNTITLED[current])}
      </p>
      <p class="export-said" role="status">
        {exportSaid.value}
      </p>
      {open === "findings" && <FindingsDialog findings={info.findings} onClose={close} />}
      {open === "keys" && <KeysDialog onClose={close} />}
      {open === "palette" && (
        <Palette
          fixed={listItems(info, current, titled, setOpen)}
          hasSequences={info.kind === "view-run"}
          hasTexts={info.kind === "view-run" && info.has.texts}
          hasServer={info.bundled !== true}
          onClose={close}
        />
      )}
    </>
  );
}

/** The parts of the address that lead nowhere. */
function AddressNotes({ info, current, views }: Pick<ShellProps, "info" | "current" | "views">) {
  const { lost } = route.value;
  const notes = [
    ...(lost === undefined
      ? []
      : [
          `The address names no view: ${printable(lost)} is not one of ${views.map(({ name }) => name).join(", ")}. This is ${current}.`,
        ]),
    ...describeAddress(route.value, arrival.value, info.kind === "view-run" ? info : undefined),
  ];
  // An address with a row still shows that row, which deserves no alarm; a part that is left out does.
  return notes.length === 0 ? null : (
    <p class="hint" role={notes.length === 1 && notes[0]!.startsWith(BY_ROW) ? "status" : "alert"}>
      {notes.join(" ")}
    </p>
  );
}

/** After a change of view: moves the focus to the start of the new view and scrolls its tab into sight. */
function useArrival(current: ViewName): boolean {
  const before = useRef(current);
  const [arrived, setArrived] = useState(false);
  useEffect(() => {
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (before.current === current) return;
    before.current = current;
    setArrived(true);
    // The clicked link may be gone, and the focus with it. If the new view has focused a field, that keeps it.
    const focused = document.activeElement;
    if (focused === null || focused === document.body || focused.closest("header.top") !== null)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, [current]);
  return arrived;
}

/** Without this hint, readers may think that ids are all there is. */
function TokenizerHint({ info }: { readonly info: RunInfo }) {
  if (info.has.texts || info.redacted || info.bundled || info.tokenizer !== null) return null;
  const guess = info.tokenizer_guess;
  const tokenizer = guess ?? "DIR";
  const { paths, flags } = info.input;
  return (
    <p class="hint tokenizer-hint">
      Tokens are shown as ids: no tokenizer was given.{" "}
      {guess === undefined ? (
        <>
          Add <code>--tokenizer DIR</code>, the model's directory with tokenizer.json in it.
        </>
      ) : (
        <>
          One is nearby: <code>--tokenizer {printable(tokenizer)}</code>{" "}
          <CopyButton
            label="Copy command"
            text={() => shellCommand("view", paths, [...flags, "--tokenizer", tokenizer])}
          />
        </>
      )}
    </p>
  );
}

/** Sets the page's title and the name of exported files; a bundle has no server that could write Parquet. */
function useRunNames(info: ShellProps["info"], title: string): void {
  const isBundled = info.kind === "view-run" && info.bundled === true;
  useEffect(() => {
    document.title = `${printable(info.name)} · ${title} · logratio`;
    exportRun.value = info.name;
    parquetWriter.value = isBundled ? undefined : client.parquet;
  }, [info.name, isBundled, title]);
}

/** The key that opens a view after `g`. */
function keyTo({ key, title }: TitledView): string {
  return key ?? title[0]?.toLowerCase() ?? "";
}

/** The palette's fixed entries; it finds sequences itself. */
function listItems(
  info: ShellProps["info"],
  current: ViewName,
  titled: readonly TitledView[],
  open: (dialog: DialogName) => void,
): PaletteItem[] {
  const toView = (view: TitledView): PaletteItem => ({
    key: `view ${view.name}`,
    kind: "view",
    label: view.title,
    hint: `g ${keyTo(view)}`,
    words: WORDS[view.name] ?? "",
    move: { view: view.name, token: undefined },
  });
  const toDialog = (key: DialogName, label: string, hint: string): PaletteItem => ({
    ...{ key, kind: "command", label, hint },
    run: () => open(key),
  });
  return [
    ...titled.map(toView),
    ...(info.kind === "view-run" ? LAYOUTS : []),
    ...(info.kind === "view-run" && current === "sequence" ? metricItems(info) : []),
    ...(info.kind === "view-study" ? checkpointItems(info) : []),
    ...listCommands(),
    toDialog("findings", "Findings", "what reading noticed"),
    toDialog("keys", "Keys", "?"),
    ...(info.kind === "view-run" ? stepItems(info) : []),
  ];
}

/** Commands without a key, or of no particular view. */
function listCommands(): PaletteItem[] {
  const command = (label: string, hint: string, run: () => void): PaletteItem => ({
    ...{ key: label, kind: "command", label, hint, run },
  });
  const clear = (label: string, name: string): PaletteItem[] =>
    name in route.value.params
      ? [command(label, route.value.params[name]!, () => navigate({ params: { [name]: undefined } }))]
      : [];
  return [
    ...THEMES.map((name) =>
      command(`Colors: ${name}`, name === theme.value ? "current" : THEME_HINTS[name], () => setTheme(name)),
    ),
    {
      ...command("Send…", "one file, a bundle, a link", () =>
        document.querySelector<HTMLElement>(SEND)?.click(),
      ),
      words: "html bundle share",
    },
    ...clear("Show all steps", "steps"),
    ...clear("Clear the filter", "filter"),
    command("Compare with files", "or drop them, or a folder, on the page", chooseFiles),
  ];
}

/** Other names under which people look for a view. */
const WORDS: Readonly<Partial<Record<ViewName, string>>> = {
  answer: "verdict worst",
  doctor: "why doctor",
  tokens: "worst",
};
const SEND = ".send summary";

const LAYOUTS: readonly PaletteItem[] = [
  ["Sequences in groups", "groups"],
  ["Sequences by turns", "matrix"],
].map(([label = "", layout]) => ({
  ...{ key: label, kind: "view", label, hint: "layout of Sequences" },
  move: { view: "sequences", token: undefined, params: { layout } },
}));

const THEME_HINTS = { auto: "follows the system", light: "light theme", dark: "dark theme" } as const;
