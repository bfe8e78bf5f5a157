import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ComparedRuns, RunComparison, RunInfo } from "../../../results/view.ts";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import { line, type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import type { ReadDropped } from "./drop-answers.ts";
import { DroppedFiles } from "./dropped-files.ts";
import { startViewServer, type ViewServer } from "./start-server.ts";

let work: Workspace;
const servers: ViewServer[] = [];
const read: string[] = [];
const readDropped: ReadDropped = (directory, signal) => {
  read.push(directory);
  return prepareRun([directory], { signal });
};

beforeAll(async () => {
  work = await workspace();
  await mkdir(work.path("page"));
  await writeFile(work.path("page/index.html"), "<!doctype html><title>page</title>");
  await work.run("first/run.jsonl", [{ step: 1 }, { step: 2 }]);
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => work.remove());

async function serve(reads: { readonly readDropped?: ReadDropped } = { readDropped }): Promise<ViewServer> {
  const run = await prepareRun([work.path("first")], { cache: work.path("cache") });
  const server = await startViewServer(run, { page: work.path("page"), port: 0, token: false, ...reads });
  servers.push(server);
  return server;
}

interface Said {
  readonly status: number;
  readonly text: string;
}

async function post(
  server: ViewServer,
  path: string,
  body = "{}",
  type = "application/json",
  headers: Record<string, string> = {},
): Promise<Said> {
  const answer = await fetch(`${server.url}api/${path}`, {
    method: "POST",
    headers: { "content-type": type, ...headers },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

async function get<T>(server: ViewServer, path: string): Promise<T> {
  return (await (await fetch(`${server.url}api/${path}`)).json()) as T;
}

async function drop(server: ViewServer, files: Readonly<Record<string, string>>): Promise<Said> {
  const { id } = JSON.parse((await post(server, "drops")).text) as { id: number };
  for (const [name, text] of Object.entries(files)) {
    const half = Math.ceil(text.length / 2);
    for (const at of [0, half]) {
      const path = `drops/${id}/file?name=${encodeURIComponent(name)}&at=${at}`;
      const piece = text.slice(at, at === 0 ? half : undefined);
      expect((await post(server, path, piece, "application/octet-stream")).status).toBe(200);
    }
  }
  return post(server, `drops/${id}/read`);
}

const OTHER = line({ step: 1, old_log_probs: [-1.5, -2, -2.9] }) + line({ step: 2 });

describe("what is dropped on the page", () => {
  it("is a run to compare with, and the next one too; pages that know less are still answered", async () => {
    const server = await serve();
    const before = await get<RunInfo>(server, "run");
    expect(await drop(server, { "/int8/a.jsonl": OTHER })).toEqual({ status: 200, text: '{"name":"int8"}' });
    expect(JSON.parse((await drop(server, { "/int8/a.jsonl": line({ step: 1 }) })).text)).toEqual({
      name: "int8 (2)",
    });
    const info = await get<RunInfo>(server, "run");
    expect(info.compared).toEqual(["int8", "int8 (2)"]);
    expect(info.sequences).toBe(2);
    expect((await fetch(`${server.url}api/sequence/1?v=${before.version}`)).status).toBe(200);
    expect((await get<RunInfo>(server, "other-2/run")).sequences).toBe(1);
    const { pairs } = await get<RunComparison>(server, "compare");
    expect(pairs.gap_max[0]).toBeCloseTo(0.4, 6);
    const { others } = await get<ComparedRuns>(server, "compared-runs");
    expect(others.map(({ name, metrics }) => [name, metrics.tokens])).toEqual([
      ["int8", 6],
      ["int8 (2)", 3],
    ]);
    expect(read.every((directory) => existsSync(directory))).toBe(true);
    await servers.pop()!.close();
    expect(read.some((directory) => existsSync(directory))).toBe(false);
  });

  it("that cannot be read says what, why and what to try, and leaves the run as it was", async () => {
    const server = await serve();
    const { status, text } = await drop(server, { "notes.txt": "no run at all" });
    expect(status).toBe(422);
    expect(text).toMatch(/\nhint: /);
    expect(text).not.toContain(read.at(-1)!);
    expect(existsSync(read.at(-1)!)).toBe(false);
    expect((await get<RunInfo>(server, "run")).compared).toEqual([]);
    expect(JSON.parse((await drop(server, { "a.jsonl": OTHER })).text)).toEqual({ name: "a.jsonl" });
  });

  it("waits its turn while another drop is read, also where it began before that", async () => {
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const server = await serve({
      readDropped: async (directory, signal) => {
        await gate;
        return readDropped(directory, signal);
      },
    });
    const begin = async (): Promise<number> => JSON.parse((await post(server, "drops")).text).id as number;
    const send = (id: number): Promise<Said> =>
      post(server, `drops/${id}/file?name=a.jsonl&at=0`, OTHER, "application/octet-stream");
    const first = await begin();
    await send(first);
    const open = DroppedFiles.open;
    let opened = (): void => {};
    const opening = vi.spyOn(DroppedFiles, "open").mockImplementationOnce(async () => {
      await new Promise<void>((resolve) => {
        opened = resolve;
      });
      return open();
    });
    const second = begin();
    await vi.waitFor(() => expect(opening).toHaveBeenCalled());
    const reading = post(server, `drops/${first}/read`);
    // Refused once the first is being read: then its turn has come.
    await vi.waitFor(async () => expect((await post(server, "drops")).text).toContain("still being read"));
    opened();
    const id = await second;
    await send(id);
    expect((await post(server, `drops/${id}/read`)).text).toContain("still being read");
    go();
    expect((await reading).status).toBe(200);
    opening.mockRestore();
    expect((await post(server, `drops/${id}/read`)).status).toBe(200);
    expect((await get<RunInfo>(server, "run")).compared).toHaveLength(2);
  });

  it("is refused from other sites and forms, under other names, out of turn, and where nothing is read", async () => {
    const server = await serve();
    expect(
      (await post(server, "drops", "{}", "application/json", { origin: "https://evil.example" })).status,
    ).toBe(403);
    expect((await post(server, "drops", "{}", "text/plain")).status).toBe(415);
    expect((await post(server, "drops/7/read")).text).toContain("no longer expects these files");
    const { id } = JSON.parse((await post(server, "drops")).text) as { id: number };
    const piece = (name: string, type = "application/octet-stream"): Promise<Said> =>
      post(server, `drops/${id}/file?name=${encodeURIComponent(name)}&at=0`, "x", type);
    expect(await piece("../x")).toMatchObject({
      status: 422,
      text: expect.stringContaining("cannot be named"),
    });
    expect((await piece("x", "multipart/form-data")).status).toBe(415);
    expect((await post(server, `drops/${id}/read`)).text).toContain("nothing was dropped");
    // A drop that was given up makes room for the next one.
    await post(server, "drops");
    expect((await piece("x")).text).toContain("other files were dropped meanwhile");
    const made = vi.spyOn(DroppedFiles, "open");
    const begun = await Promise.all([post(server, "drops"), post(server, "drops")]);
    const ids = begun.map(({ text }) => (JSON.parse(text) as { id: number }).id);
    expect(new Set(ids).size).toBe(2);
    const files = await Promise.all(made.mock.results.map(({ value }) => value as Promise<DroppedFiles>));
    expect(files.map(({ directory }) => existsSync(directory)).sort()).toEqual([false, true]);
    made.mockRestore();
    const unable = await serve({});
    expect(await post(unable, "drops")).toMatchObject({
      status: 422,
      text: expect.stringContaining("completely read"),
    });
  });
});
