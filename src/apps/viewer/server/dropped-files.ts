/**
 * Files dropped on the page, in a temporary directory that is removed when the server ends.
 *
 * @module
 */
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileSystemError, isSystemError, LimitError, UsageError } from "../../../core/base/index.ts";
import { formatCount } from "../../../core/text/index.ts";
import { createScratch, makeDirectory, type Scratch } from "../../../input/io/index.ts";

/** Limits for all files of one drop, since nobody chose the disk that they fill. */
const DROP_LIMITS = { bytes: 2_000_000_000, files: 5000 };
export type DropLimits = typeof DROP_LIMITS;
const MOST_FOLDERS = 8;
const MOST_NAME_CHARACTERS = 120;
/** Characters that some systems reserve, and invisible ones. */
const UNFIT = /[\p{Cc}\p{Cf}<>:"|?*]/gu;

/** The files of one drop, received piece by piece. */
export class DroppedFiles {
  readonly #scratch: Scratch;
  readonly #limits: DropLimits;
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  private constructor(scratch: Scratch, limits: DropLimits) {
    this.#scratch = scratch;
    this.#limits = limits;
  }

  /** @throws FileSystemError where the system has no room for it */
  static async open(limits: DropLimits = DROP_LIMITS): Promise<DroppedFiles> {
    return new DroppedFiles(await createScratch(), limits);
  }

  /** The directory with the files. */
  get directory(): string {
    return this.#scratch.path;
  }

  get count(): number {
    return this.#sizes.size;
  }

  /** What was dropped, as a name for the run: the folder or file if it is one, else the first. */
  get name(): string {
    const names = [...new Set([...this.#sizes.keys()].map((path) => path.split("/")[0]!))];
    const [first = "dropped"] = names;
    return names.length > 1 ? `${first} and ${names.length - 1} more` : first;
  }

  /**
   * Appends a piece to a file.
   *
   * @param name path below the drop, as the page has it
   * @param at bytes of the file that came before
   * @throws UsageError when the name cannot be one, or the piece is not the next one
   * @throws LimitError when there is too much of it
   * @throws FileSystemError when it cannot be written
   */
  async append(name: string, at: number, bytes: Uint8Array): Promise<void> {
    const path = cleanPath(name);
    const known = this.#sizes.get(path);
    if (at !== (known ?? 0))
      throw new UsageError(
        `${path}: expected the piece from byte ${known ?? 0}, got the one from byte ${at}`,
        {
          likely: "a piece was lost, or two files have the same name",
          hint: "drop the files again",
        },
      );
    if (this.#bytes + bytes.length > this.#limits.bytes)
      throw tooMuch(`more than ${formatCount(this.#limits.bytes)} bytes were dropped`);
    if (known === undefined && this.#sizes.size >= this.#limits.files)
      throw tooMuch(`more than ${formatCount(this.#limits.files)} files were dropped`);
    // Before the write, so that the same piece is not taken twice meanwhile.
    this.#bytes += bytes.length;
    this.#sizes.set(path, at + bytes.length);
    try {
      await writePiece(join(this.directory, ...path.split("/")), at, bytes, known === undefined);
    } catch (cause) {
      // The piece did not come: the page may send it again.
      this.#bytes -= bytes.length;
      if (known === undefined) this.#sizes.delete(path);
      else this.#sizes.set(path, known);
      if (!isSystemError(cause)) throw cause;
      // On file systems that ignore case, two names may be one file.
      if (cause.code === "EEXIST" && known === undefined)
        throw new UsageError(`${path}: two of the files have the same name`, { hint: "rename one of them" });
      throw fileSystemError(cause, "write", { file: path });
    }
  }

  async remove(): Promise<void> {
    await this.#scratch.remove();
  }
}

/** Writes at a place instead of appending, so that a piece that was written in part is replaced when it comes again. */
async function writePiece(path: string, at: number, bytes: Uint8Array, isNew: boolean): Promise<void> {
  makeDirectory(dirname(path));
  const file = await open(path, isNew ? "wx" : "r+", 0o600);
  try {
    for (let done = 0; done < bytes.length; )
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    await file.truncate(at + bytes.length);
  } catch (cause) {
    if (isNew) await rm(path, { force: true });
    throw cause;
  } finally {
    await file.close();
  }
}

function tooMuch(what: string): LimitError {
  return new LimitError(what, { hint: "name them in a terminal instead: logratio view RUN --compare PATH" });
}

/** Never leads out of the directory: there are no `..` in it, and it has no root. */
function cleanPath(name: string): string {
  const parts = name.split(/[\\/]+/).filter((part) => part !== "");
  const isFit =
    parts.length > 0 && parts.length <= MOST_FOLDERS && !parts.some((part) => part.startsWith("."));
  if (!isFit)
    throw new UsageError(
      `a dropped file cannot be named ${JSON.stringify(name.slice(0, MOST_NAME_CHARACTERS))}`,
      { hint: `leave out hidden files and paths of more than ${MOST_FOLDERS} names` },
    );
  return parts.map((part) => part.replace(UNFIT, "_").slice(-MOST_NAME_CHARACTERS)).join("/");
}
