import { sep } from "node:path";
import type { Context, Hono } from "hono";
import { formatPlace, isLogratioError, type LogratioError, UsageError } from "../../../core/base/index.ts";
import { addComparedRun } from "../compare/compare-runs.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import type { CurrentRun } from "./current-run.ts";
import { DroppedFiles } from "./dropped-files.ts";
import { limitBody } from "./limit-body.ts";
import { refuse } from "./reply.ts";

/** The page sends files in pieces of half of this. */
const MOST_PIECE_BYTES = 2 ** 25;
const MOST_COMPARED = 16;
const NO_STORE = { "cache-control": "no-store" };

/** Reads a directory of files as another run, as `--compare` would. */
export type ReadDropped = (directory: string, signal: AbortSignal) => Promise<PreparedRun>;

/**
 * `POST drops` begins a drop, `POST drops/ID/file?name=PATH&at=BYTES` takes a piece of a file, `POST drops/ID/read` reads
 * what came as another run and compares it. A drop that was not read is forgotten when the next one begins.
 */
export class DropAnswers {
  readonly #current: CurrentRun;
  readonly #read: ReadDropped | undefined;
  readonly #kept: DroppedFiles[] = [];
  readonly #closed = new AbortController();
  #coming: DroppedFiles | undefined;
  #id = 0;
  #isReading = false;

  /** @param read undefined: nothing can be read here */
  constructor(current: CurrentRun, read: ReadDropped | undefined) {
    this.#current = current;
    this.#read = read;
  }

  route(app: Hono): void {
    app.post("/drops", (c) => tell(c, () => this.#begin()));
    app.post("/drops/:id/file", limitBody(MOST_PIECE_BYTES), (c) =>
      tell(c, async () => {
        const at = Number(c.req.query("at"));
        await this.#find(c).append(c.req.query("name") ?? "", at, new Uint8Array(await c.req.arrayBuffer()));
        return {};
      }),
    );
    app.post("/drops/:id/read", (c) => tell(c, () => this.#compare(this.#find(c))));
  }

  /** After the runs are closed, whose files these are. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#kept, this.#coming].map((files) => files?.remove()));
  }

  async #begin(): Promise<object> {
    const { status, compared = [] } = this.#current.info ?? {};
    if (this.#read === undefined || status !== "ready")
      throw new UsageError("files can be compared only with a run that is completely read", {
        hint: "drop them when it has been read; a followed run takes none",
      });
    this.#requireIdle();
    if (compared.length >= MOST_COMPARED)
      throw new UsageError(`the run is already compared with ${compared.length} others`, {
        hint: "start logratio view again with those that matter",
      });
    const files = await DroppedFiles.open();
    // No await in between: of two drops that begin together, the later one replaces the other and removes it.
    const before = this.#coming;
    this.#coming = files;
    this.#id++;
    const id = this.#id;
    await before?.remove();
    return { id };
  }

  #find(c: Context): DroppedFiles {
    if (this.#coming !== undefined && c.req.param("id") === String(this.#id)) return this.#coming;
    throw new UsageError("the server no longer expects these files", {
      likely: "other files were dropped meanwhile",
      hint: "drop them again",
    });
  }

  #requireIdle(): void {
    if (this.#isReading)
      throw new UsageError("files dropped earlier are still being read", {
        hint: "wait until they are read",
      });
  }

  async #compare(files: DroppedFiles): Promise<object> {
    // Two pages may drop: runs are added one at a time.
    this.#requireIdle();
    if (files.count === 0) throw new UsageError("nothing was dropped", { hint: "drop files or a folder" });
    this.#coming = undefined;
    this.#isReading = true;
    const { signal } = this.#closed;
    let other: PreparedRun | undefined;
    try {
      const run = await this.#read!(files.directory, signal);
      other = run;
      await this.#current.extend((first) => addComparedRun(first, { run, label: files.name }, signal));
      this.#kept.push(files);
      return { name: this.#current.info!.compared.at(-1)! };
    } catch (error) {
      await other?.close();
      await files.remove();
      throw isLogratioError(error) ? withoutDirectory(error, files.directory) : error;
    } finally {
      this.#isReading = false;
    }
  }
}

/** Errors are reported to the page: what and where, why, what to try. */
async function tell(c: Context, work: () => Promise<object>): Promise<Response> {
  try {
    return c.json(await work(), 200, NO_STORE);
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    const { message, likely, hint } = error;
    const lines = [message, ...(likely ? [`likely: ${likely}`] : []), ...(hint ? [`hint: ${hint}`] : [])];
    return refuse(c, isLogratioError(error, "LimitError") ? 413 : 422, lines.join("\n"));
  }
}

/** The reader does not know the temporary directory, so messages leave it out. */
function withoutDirectory({ message, at, likely, hint }: LogratioError, directory: string): UsageError {
  const strip = (text: string): string =>
    text.replaceAll(`${directory}${sep}`, "").replaceAll(directory, "what was dropped");
  const where = formatPlace(at);
  return new UsageError(strip(where === "" || message.includes(where) ? message : `${where}: ${message}`), {
    ...(likely !== undefined && { likely: strip(likely) }),
    ...(hint !== undefined && { hint: strip(hint) }),
  });
}
