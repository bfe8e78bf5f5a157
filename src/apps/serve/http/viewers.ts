/**
 * The viewer of each run: a separate process of `logratio view --follow`, started when somebody opens the run and ended
 * when nobody has it open. Reading a run thus takes no time or memory from recorders, and its memory is freed with the
 * process.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
const START_MS = 120_000;
const IDLE_MS = 600_000;
const MOST_VIEWERS = 8;
/** The most characters kept of a viewer's last messages. */
const MOST_SAID = 4000;
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "content-security-policy",
]);
const ASKED = ["accept", "accept-encoding", "if-none-match", "content-type", "content-length"];

interface Viewer {
  readonly child: ChildProcess;
  /** With its token as the first folder. */
  readonly url: Promise<string>;
  /** Answers in progress, including event streams. */
  open: number;
  lastUse: number;
}

export class ViewerError extends Error {}

export class Viewers {
  readonly #viewers = new Map<string, Viewer>();
  readonly #flags: readonly string[];
  readonly #sweep: NodeJS.Timeout;

  /** @param flags of `logratio view` for all of them */
  constructor(flags: readonly string[]) {
    this.#flags = flags;
    this.#sweep = setInterval(() => this.#endIdle(), IDLE_MS / 10).unref();
  }

  get size(): number {
    return this.#viewers.size;
  }

  /** Whether the viewer of a run is started. */
  has(folder: string): boolean {
    return this.#viewers.has(folder);
  }

  /**
   * Forwards a request to the viewer of a run.
   *
   * @param path below the viewer's address, with its query
   * @throws ViewerError when it cannot be started or does not answer
   */
  async forward(folder: string, path: string, incoming: IncomingMessage): Promise<Response> {
    const viewer = this.#viewers.get(folder) ?? this.#start(folder);
    viewer.open++;
    viewer.lastUse = Date.now();
    const leave = (): void => {
      viewer.open--;
      viewer.lastUse = Date.now();
    };
    try {
      const answer = await ask(`${await viewer.url}${path}`, incoming);
      answer.once("close", leave);
      const headers = new Headers();
      for (const [name, value] of Object.entries(answer.headers))
        if (!HOP_BY_HOP.has(name) && value !== undefined) headers.set(name, String(value));
      const status = answer.statusCode ?? 502;
      const isEmpty = status === 204 || status === 304 || incoming.method === "HEAD";
      if (isEmpty) answer.resume();
      return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Ends the viewer of a run that is being removed. */
  end(folder: string): void {
    const viewer = this.#viewers.get(folder);
    this.#viewers.delete(folder);
    // It ends when its standard input closes, and removes its temporary files.
    viewer?.child.stdin?.end();
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const children = [...this.#viewers.values()].map(({ child }) => child);
    for (const folder of [...this.#viewers.keys()]) this.end(folder);
    await Promise.all(children.map(ended));
  }

  #start(folder: string): Viewer {
    this.#makeRoom();
    const flags = ["--follow", "--embed", "--no-open", "--port", "0", ...this.#flags];
    const { LOGRATIO_TOKEN: _, ...env } = process.env;
    const child = spawn(process.execPath, [PROGRAM, "view", folder, ...flags], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...env, NO_COLOR: "1" },
    });
    child.stdin.on("error", () => {});
    const url = firstLine(child);
    const viewer: Viewer = { child, url, open: 0, lastUse: Date.now() };
    this.#viewers.set(folder, viewer);
    const forget = (): void => {
      if (this.#viewers.get(folder) === viewer) this.#viewers.delete(folder);
    };
    url.catch(forget);
    child.once("exit", forget);
    return viewer;
  }

  #makeRoom(): void {
    if (this.#viewers.size < MOST_VIEWERS) return;
    const [oldest] = [...this.#viewers].sort(
      ([, a], [, b]) => Number(a.open > 0) - Number(b.open > 0) || a.lastUse - b.lastUse,
    );
    this.end(oldest![0]);
  }

  #endIdle(): void {
    for (const [folder, { open, lastUse }] of this.#viewers)
      if (open === 0 && Date.now() - lastUse > IDLE_MS) this.end(folder);
  }
}

/** The address that it prints. @throws ViewerError with its messages, when it ends before */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [said, text] = ["", ""];
    const timer = setTimeout(() => {
      child.kill();
      reject(new ViewerError(`the viewer did not start within ${START_MS / 1000} s`));
    }, START_MS);
    child.stderr?.on("data", (piece: Buffer) => {
      said = `${said}${piece}`.slice(-MOST_SAID);
    });
    child.stdout?.on("data", (piece: Buffer) => {
      text += piece;
      const end = text.indexOf("\n");
      if (end < 0) return;
      clearTimeout(timer);
      resolve(text.slice(0, end));
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new ViewerError(`the viewer ended with exit status ${code}: ${said.trim()}`));
    });
  });
}

function ask(url: string, incoming: IncomingMessage): Promise<IncomingMessage> {
  const headers: Record<string, string> = {};
  for (const name of ASKED) {
    const value = incoming.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: incoming.method, headers }, (answer) => {
      // The client has disconnected: end the answer too, or an event stream would stay open for nobody.
      const end = (): void => void answer.destroy();
      incoming.socket.once("close", end);
      // A browser asks for many things over one connection.
      answer.once("close", () => incoming.socket.off("close", end));
      resolve(answer);
    });
    asked.once("error", (cause) =>
      reject(new ViewerError(`the viewer does not answer: ${cause.message}`, { cause })),
    );
    if (incoming.method === "GET" || incoming.method === "HEAD") asked.end();
    else incoming.pipe(asked);
  });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
  return new Promise((resolve) => {
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
