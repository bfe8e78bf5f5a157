/** SIGINT and SIGTERM end a viewer, whatever it is doing and whoever is connected to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { get } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { untilRead } from "../bench/support/view-server.mjs";
import { lacks } from "./support/platform.ts";
import { DEMO, ROOT, requireBuild } from "./support/run-cli.ts";

const noSignals = lacks("signals", "how the viewer ends");

/** A server that waits for its connections to close would wait for two minutes or more. */
const ENDS_MS = 20_000;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

let dir: string;
const children: ChildProcess[] = [];
const sockets: { destroy(): unknown }[] = [];
beforeAll(requireBuild);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "view-signals-"));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

interface Viewer {
  readonly child: ChildProcess;
  /** Of standard error. */
  readonly said: () => string;
  /** Its exit status, or the signal that ended it. */
  readonly ended: () => Promise<number | NodeJS.Signals | null>;
}

function start(words: readonly string[]): Viewer {
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "bin/logratio.js"),
      "view",
      ...words,
      "--cache",
      join(dir, "cache"),
      "--port",
      "0",
      "--no-open",
      "--no-token",
    ],
    { cwd: dir, stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, NO_COLOR: "1" } },
  );
  children.push(child);
  let said = "";
  child.stderr.on("data", (data: Buffer) => {
    said += data;
  });
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    child,
    said: () => said,
    async ended() {
      const late = sleep(ENDS_MS, undefined, { ref: false }).then((): [null, null] => [null, null]);
      const [status, signal] = await Promise.race([exited, late]);
      return signal ?? status;
    },
  };
}

async function serving(words: readonly string[]): Promise<Viewer & { readonly url: URL }> {
  const viewer = start(words);
  let out = "";
  for await (const data of viewer.child.stdout!) {
    out += data;
    const url = /^http:\S+$/m.exec(out)?.[0];
    if (url === undefined) continue;
    if (!words.includes("--follow")) await untilRead(url);
    return { ...viewer, url: new URL(url) };
  }
  throw new Error(`it did not start: ${viewer.said()}`);
}

async function connected(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Possible connections. */
const CLIENTS: readonly ((url: URL) => Promise<unknown>)[] = [
  // A page that listens for events.
  async (url) => {
    const request = get(new URL("api/events", url), { headers: { accept: "text/event-stream" } });
    sockets.push(request);
    request.on("error", () => {});
    const [response] = (await once(request, "response")) as [NodeJS.ReadableStream];
    response.on("error", () => {});
    response.resume();
  },
  // A keep-alive connection.
  async (url) => {
    const socket = await connected(url);
    socket.write(`GET /api/run HTTP/1.1\r\nHost: ${url.host}\r\nConnection: keep-alive\r\n\r\n`);
    await once(socket, "data");
    socket.resume();
  },
  // A request that never ends; "100 Continue" says that the server waits for the rest of it.
  async (url) => {
    const socket = await connected(url);
    socket.write(
      `POST /api/parquet HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n[`,
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 100 /);
  },
];

describe.skipIf(noSignals).each(SIGNALS)("%s", (signal) => {
  it.each([[], ["--follow"]])("ends a viewer with status 0, whoever is connected: %j", async (...flags) => {
    const { child, url, ended } = await serving([DEMO, ...flags]);
    for (const connect of CLIENTS) await connect(url);
    child.kill(signal);
    expect(await ended()).toBe(0);
  });

  it("ends one that waits for its first step with status 0", async () => {
    const { child, ended } = await serving([join(dir, "later"), "--follow"]);
    child.kill(signal);
    expect(await ended()).toBe(0);
  });

  it("ends one that prepares with status 130, and nothing is left of it", async () => {
    const { child, said, ended } = await preparing();
    child.kill(signal);
    expect(await ended()).toBe(130);
    expect(said()).toContain("interrupted");
    expect(readdirSync(join(dir, "cache"))).toEqual([]);
  });
});

/** A viewer that keeps preparing until it is ended: its standard input never ends. */
async function preparing(): Promise<Viewer> {
  const viewer = start(["-"]);
  viewer.child.stdin!.on("error", () => {});
  viewer.child.stdin!.write(`${JSON.stringify({ response_ids: [1], response_mask: [1] })}\n`);
  while (viewer.child.exitCode === null && !existsSync(join(dir, "cache"))) await sleep(5);
  while (viewer.child.exitCode === null && readdirSync(join(dir, "cache")).length === 0) await sleep(5);
  return viewer;
}
