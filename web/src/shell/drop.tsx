/**
 * Files that are dropped on the page, or chosen: sent to the server, which compares the run with them.
 *
 * @module
 */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatCounted, formatShare } from "../../../src/render/text/display/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import type { ViewInfo } from "../../../src/results/view.ts";
import { client } from "../api/client.ts";
import { reload } from "../state/loaded.ts";
import { navigate } from "../state/url.ts";
import { Dialog } from "../ui/dialog.tsx";

const PIECE_BYTES = 2 ** 24;

interface Dropped {
  /** Path below what was dropped. */
  readonly name: string;
  readonly file: File;
}

const said = signal("");
const failed = signal("");
/** Why this page takes no files; empty if it does. */
let refusal = "";

/** Takes files dropped anywhere on the page, and shows progress and errors. */
export function DropArea({ info }: { readonly info: ViewInfo }) {
  refusal =
    info.kind !== "view-run" || info.bundled
      ? "Files can be compared only with a run in logratio view, not with a study, a bundle or a list of runs."
      : "";
  useEffect(() => {
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
  }, []);
  const close = (): void => {
    failed.value = "";
  };
  return (
    <>
      <p class="export-said" role="status">
        {said.value}
      </p>
      {failed.value !== "" && (
        <Dialog label="Dropped files" onClose={close}>
          <header>
            <h2>Not compared</h2>
            <button type="button" onClick={close}>
              Close
            </button>
          </header>
          {failed.value.split("\n").map((line) => (
            <p key={line}>{printable(line)}</p>
          ))}
        </Dialog>
      )}
    </>
  );
}

/** Opens the file chooser, for readers who do not drag. */
export function chooseFiles(): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.onchange = () => void compareWith([...input.files!].map((file) => ({ name: file.name, file })));
  input.click();
}

function onOver(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes("Files")) return;
  // Otherwise the browser leaves the page for the file.
  event.preventDefault();
  said.value = refusal || "Drop a file or a folder of another run to compare with it";
}

function onLeave({ relatedTarget }: DragEvent): void {
  if (relatedTarget === null) said.value = "";
}

function onDrop(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  // The list is empty once this function returns.
  const taken = [...event.dataTransfer.items].map(
    (item) => [item.webkitGetAsEntry(), item.getAsFile()] as const,
  );
  void compareWith(
    Promise.all(
      taken.map(([entry, file]) =>
        entry === null ? (file === null ? [] : [{ name: file.name, file }]) : walk(entry),
      ),
    ).then((found) => found.flat()),
  );
}

async function walk(entry: FileSystemEntry): Promise<Dropped[]> {
  if (entry.isFile) {
    const file = await readable(
      entry.fullPath,
      new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)),
    );
    return [{ name: entry.fullPath, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Dropped[] = [];
  for (;;) {
    // Each call gives some entries, and none at the end.
    const some = await readable(
      entry.fullPath,
      new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail)),
    );
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await walk(one)));
  }
}

/** Browsers name neither the file nor a remedy; when a piece cannot be sent, they only say that fetching failed. */
async function readable<T>(name: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch {
    throw new Error(
      `${name.replace(/^\//, "")}: the browser cannot read it
likely: it was moved, is being written, or may not be read by you
hint: drop it again, or name it in a terminal: logratio view RUN --compare PATH`,
    );
  }
}

/** @param dropped rejected where the browser cannot read a folder or file */
async function compareWith(dropped: readonly Dropped[] | Promise<readonly Dropped[]>): Promise<void> {
  try {
    const all = await dropped;
    if (refusal !== "") throw new Error(refusal);
    // Hidden files of systems and editors, such as .DS_Store, and caches.
    const files = all.filter(({ name }) => !/(?:^|\/)\./.test(name));
    const total = files.reduce((sum, { file }) => sum + file.size, 0);
    const { id } = await client.drops.begin();
    let sent = 0;
    for (const { name, file } of files)
      for (let at = 0; at === 0 || at < file.size; at += PIECE_BYTES) {
        said.value = `Sending ${printable(name)}: ${formatShare(total === 0 ? 1 : sent / total)}`;
        const piece = await readable(name, file.slice(at, at + PIECE_BYTES).arrayBuffer());
        await client.drops.piece(id, name, at, piece);
        sent += piece.byteLength;
      }
    said.value = "Reading the files …";
    const { name } = await client.drops.read(id);
    await reload();
    said.value =
      files.length < all.length ? `${formatCounted(all.length - files.length, "hidden file")} left out` : "";
    navigate({ view: "compare", token: undefined, params: { with: name, pair: undefined } });
  } catch (error) {
    said.value = "";
    failed.value = error instanceof Error ? error.message : String(error);
  }
}
