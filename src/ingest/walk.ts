/**
 * From paths to files: directories are walked, and files that cannot be data are left out by name.
 *
 * @module
 */

import { type Dirent, readdirSync, type Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import {
  fileSystemError,
  isLogratioError,
  isSystemError,
  LimitError,
  type LogratioError,
  NotFoundError,
} from "../core/base/index.ts";
import { OWN_FOLDER, partSegment } from "../input/batch-log/places/index.ts";
import {
  isConfined,
  leadsInside,
  MAX_WALK_DEPTH,
  MAX_WALK_ENTRIES,
  quickCalls,
  refuseOutside,
  statIfPresent,
} from "../input/io/index.ts";
import { findRemote, isRemote, nameRemote, type RemoteObject } from "../input/remote/index.ts";
import { COMPLETE_MARKERS } from "../trainers/files/index.ts";

export interface FoundFile {
  readonly path: string;
  /** The path that the user gave. */
  readonly root: string;
  /** Below `root`; empty when the user gave the file itself. */
  readonly relative: string;
  /** Can be read only once: standard input, a named pipe, `<(…)`, a server that only sends whole files. */
  readonly pipe?: boolean;
  /** Is in a remote store; `path` is then its address. */
  readonly remote?: RemoteObject;
}

export interface Walk {
  readonly files: readonly FoundFile[];
  /** Left out by name. */
  readonly ignored: readonly string[];
  /** Paths of the files with which a trainer marks a folder as complete (`Adapter.completeWhen`). */
  readonly markers: ReadonlySet<string>;
  /** Links to directories that were not followed, with their targets. */
  readonly unfollowed: readonly { readonly path: string; readonly target: string }[];
  /** Links that a confined process may not follow; where they lead is unknown, and whether anything is there. */
  readonly outside: readonly string[];
  /** Directories in which `logratio serve` stores a run: those entered, and those of given parts of a record. */
  readonly served: readonly string[];
  /** Paths that the system denied access to. */
  readonly unreadable: readonly { readonly path: string; readonly error: LogratioError }[];
}

const DATA =
  /\.(?:npz|npy|pt|pth|safetensors|parquet|jsonl|ndjson|json|pkl|pickle|dp)(?:\.(?:gz|zst|zstd))?$/i;
const NO_DATA =
  /^(?:README.*|.*config\.json|tokenizer.*\.json|vocab\.json|special_tokens_map\.json|added_tokens\.json|chat_template\.json|preprocessor_config\.json|trainer_state\.json|model\.safetensors\.index\.json|model(?:-\d+-of-\d+)?\.safetensors|optimizer.*\.pt|scheduler\.pt|rng_state.*\.pth|training_args\.bin|train_dataloader.*\.pt|metrics\.jsonl?)$/i;
/** The kernel's virtual file systems: endless, and without recorded data. */
const SYSTEM = /^\/(?:proc|sys|dev)(?:\/|$)/;

/** Whether a file of this name in a directory counts as recorded data. */
export function isDataName(name: string): boolean {
  return DATA.test(name) && !NO_DATA.test(name) && !COMPLETE_MARKERS.has(name);
}

/** For a folder whose files form one source, the names to walk. */
interface Whole {
  leaves(name: string): boolean;
}

/**
 * A memory-mapped TensorDict is represented by its `meta.json`, which names the other files; a `meta.json` next to
 * verl's `gen_batch.dp` or `tq_batch.pt` only repeats what they hold.
 */
function findWhole(names: readonly string[]): Whole | undefined {
  if (!names.includes("meta.json")) return undefined;
  if (names.some((name) => name.endsWith(".memmap"))) return { leaves: (name) => name !== "meta.json" };
  if (names.includes("gen_batch.dp") || names.includes("tq_batch.pt"))
    return { leaves: (name) => name === "meta.json" };
  return undefined;
}

const byName = new Intl.Collator("en", { numeric: true }).compare;

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * Files under the given paths, in natural order. In directories, hidden files, files whose name rules out recorded
 * data, pipes, sockets and devices are left out; a file that is named itself never is. Links to directories are
 * followed, each directory once, except to a parent of the directory being walked. For an address in a remote store,
 * the store lists the files.
 *
 * @throws NotFoundError when a path does not exist
 * @throws FileSystemError when the system or a remote store denies access to a given path
 * @throws LimitError when there are more than {@link MAX_WALK_ENTRIES} entries
 */
export async function walk(paths: readonly string[]): Promise<Walk> {
  const walker = new Walker();
  for (const path of paths) await walker.add(path);
  return walker.found;
}

/** Directories to list before they are asked for. */
const LISTED_AHEAD = 8;

/**
 * Lists directories in order, the next few ahead of time: a walk would otherwise mostly wait for the system, above all
 * if the files are on another machine.
 */
class Listings {
  readonly #paths: readonly string[];
  readonly #begun: Promise<Dirent[]>[] = [];
  #next = 0;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** The listing of the next directory. */
  take(): Promise<Dirent[]> {
    while (this.#begun.length <= LISTED_AHEAD && this.#next < this.#paths.length) {
      const listing = list(this.#paths[this.#next++]!);
      // Errors go to the caller that enters the directory.
      listing.catch(() => {});
      this.#begun.push(listing);
    }
    return this.#begun.shift()!;
  }
}

async function list(path: string): Promise<Dirent[]> {
  if (quickCalls.areQuick) return quickCalls.run(() => readdirSync(path, { withFileTypes: true }));
  return readdir(path, { withFileTypes: true });
}

/** A directory that is walked. */
interface Folder {
  readonly path: string;
  /** Without links. */
  readonly real: string;
  /** Steps down from `top`. */
  readonly depth: number;
  /** The path that the user gave. */
  readonly top: { readonly path: string; readonly real: string };
}

/**
 * Collects what is under each path. A given path must exist; below it, only too many or too deep entries stop the walk:
 *
 * ```
 *  path ─┬─ "-" ───────────────────────────────► files
 *        ├─ remote ─► the store's list ────────► files, or ignored by name
 *        ├─ file ──────────────────────────────► files
 *        └─ directory ─► each entry ─┬─ file ──► files, or ignored by name
 *                                    ├─ folder ► entered once; a link upwards is not followed
 *                                    └─ refused ► unreadable; ignored if it is gone
 * ```
 */
class Walker {
  readonly #files: FoundFile[] = [];
  readonly #ignored: string[] = [];
  readonly #markers = new Set<string>();
  readonly #unfollowed: { path: string; target: string }[] = [];
  readonly #outside: string[] = [];
  /** By their real paths. */
  readonly #served = new Map<string, string>();
  /** Directories of given parts of a record that were already checked. */
  readonly #parents = new Set<string>();
  readonly #unreadable: { path: string; error: LogratioError }[] = [];
  /** Real paths of entered directories: two links to one folder give its files only once. */
  readonly #seen = new Set<string>();
  #entries = 0;

  get found(): Walk {
    return {
      files: this.#files,
      ignored: this.#ignored,
      markers: this.#markers,
      unfollowed: this.#unfollowed,
      outside: this.#outside,
      served: [...this.#served.values()],
      unreadable: this.#unreadable,
    };
  }

  /** A path that the user gave. */
  async add(path: string): Promise<void> {
    if (path === "-") {
      this.#files.push({ path, root: path, relative: "", pipe: true });
      return;
    }
    if (isRemote(path)) return this.#enterRemote(path);
    await refuseOutside(path);
    const stats = await stat(path).catch((cause: unknown) => {
      if (isSystemError(cause) && cause.code !== "ENOENT")
        throw fileSystemError(cause, "read", { file: path });
      throw new NotFoundError(`${path} does not exist`, { at: { file: path }, cause });
    });
    if (stats.isDirectory()) {
      await this.#enterTop(path).catch((cause: unknown) => {
        throw isSystemError(cause) ? fileSystemError(cause, "list", { file: path }) : cause;
      });
      return;
    }
    this.#files.push({ path, root: path, relative: "", ...(stats.isFile() ? {} : { pipe: true }) });
    if (partSegment(basename(path)) !== undefined) await this.#lookBeside(dirname(path));
  }

  /**
   * The folder of a part of a served run's record: a part given alone, or as one of `RUN/*.parquet`, lacks the waiting
   * batches.
   */
  async #lookBeside(folder: string): Promise<void> {
    if (this.#parents.has(folder)) return;
    this.#parents.add(folder);
    const own = join(folder, OWN_FOLDER);
    if (isConfined() && !(await leadsInside(own))) return;
    if ((await statIfPresent(own))?.isDirectory() !== true) return;
    const real = await realpath(folder);
    if (!this.#served.has(real)) this.#served.set(real, folder);
  }

  async #enterTop(path: string): Promise<void> {
    const real = await realpath(path);
    await this.#enter({ path, real, depth: 0, top: { path, real } });
  }

  /** @param listing the folder's entries, if they were already requested */
  async #enter(folder: Folder, listing?: Promise<Dirent[]>): Promise<void> {
    if (this.#seen.has(folder.real)) return;
    this.#seen.add(folder.real);
    const entries = await (listing ?? list(folder.path));
    // Checked after its names are read: it may have become a link.
    await refuseOutside(folder.path);
    this.#entries += entries.length;
    this.#checkSize(folder);
    if (entries.some((entry) => entry.name === OWN_FOLDER && entry.isDirectory()))
      this.#served.set(folder.real, folder.path);
    const whole = findWhole(entries.map(({ name }) => name));
    const looked = entries
      .filter(({ name }) => whole?.leaves(name) !== true && !name.startsWith("."))
      .sort((a, b) => byName(a.name, b.name));
    const pathOf = ({ name }: Dirent): string => join(folder.path, name);
    const listings = new Listings(looked.filter((entry) => entry.isDirectory()).map(pathOf));
    for (const entry of looked)
      await this.#addEntry(entry, folder, entry.isDirectory() ? listings.take() : undefined);
  }

  /** The listing tells what an entry is: asking for each would take most of the walk of a run with many files. */
  async #addEntry(entry: Dirent, folder: Folder, listing?: Promise<Dirent[]>): Promise<void> {
    const { name } = entry;
    const path = join(folder.path, name);
    if (COMPLETE_MARKERS.has(name)) this.#markers.add(path);
    if (isConfined() && entry.isSymbolicLink() && !(await leadsInside(path))) {
      this.#outside.push(path);
      return;
    }
    const refused = (cause: unknown): undefined => this.#refuse(path, "look at", cause);
    const kind: Dirent | Stats | undefined = entry.isSymbolicLink() ? await stat(path).catch(refused) : entry;
    if (kind === undefined) return;
    if (kind.isDirectory()) {
      const real = entry.isSymbolicLink()
        ? await this.#follow(path, folder.top).catch(refused)
        : join(folder.real, name);
      if (real === undefined) return;
      const below = { path, real, depth: folder.depth + 1, top: folder.top };
      await this.#enter(below, listing).catch((cause: unknown) => {
        if (isLogratioError(cause, "FileSystemError") || isSystemError(cause))
          this.#refuse(path, "list", cause);
        // Any other error is a limit on the whole walk, and ends it.
        else throw cause;
      });
    } else if (kind.isFile() && isDataName(name)) {
      const root = folder.top.path;
      this.#files.push({ path, root, relative: relative(root, path) });
    } else this.#ignored.push(path);
  }

  /**
   * Where a link to a directory below `top` leads; undefined for one that must not be followed: a link upwards would
   * never end, or lead far beyond the given path.
   */
  async #follow(path: string, top: Folder["top"]): Promise<string | undefined> {
    const target = await realpath(path);
    if (!isWithin(top.real, target) && !SYSTEM.test(target)) return target;
    this.#unfollowed.push({ path, target });
    return undefined;
  }

  #refuse(path: string, doing: string, cause: unknown): undefined {
    // Removed since its directory was listed, or a dangling link.
    if (isSystemError(cause) && cause.code === "ENOENT") this.#ignored.push(path);
    else this.#unreadable.push({ path, error: fileSystemError(cause, doing, { file: path }) });
  }

  #checkSize({ path, depth, top }: Folder): void {
    const isDeep = depth > MAX_WALK_DEPTH;
    if (!isDeep && this.#entries <= MAX_WALK_ENTRIES) return;
    const most = isDeep ? `${MAX_WALK_DEPTH} levels` : `${MAX_WALK_ENTRIES} entries`;
    throw new LimitError(`more than ${most} of files and directories under ${top.path}`, {
      at: { file: path },
      likely: "the path is a parent of the run's directory, or a link in it leads to a large one",
      hint: "give the directory of the run, or the files themselves",
    });
  }

  async #enterRemote(address: string): Promise<void> {
    const root = nameRemote(address);
    for (const { path, relative: below, object } of await findRemote(address)) {
      const parts = below.split("/");
      if (parts.some((part) => part.startsWith("."))) continue;
      const name = parts.at(-1)!;
      if (COMPLETE_MARKERS.has(name)) this.#markers.add(path);
      // Empty when the address names the file itself, which is never left out.
      if (below !== "" && !isDataName(name)) this.#ignored.push(path);
      else
        this.#files.push({
          path,
          root,
          relative: below,
          remote: object,
          ...(object.isStream ? { pipe: true } : {}),
        });
    }
  }
}
