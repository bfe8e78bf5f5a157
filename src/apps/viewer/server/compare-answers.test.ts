import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { RunComparison, RunInfo, StepSeries } from "../../../results/view.ts";
import { decodeSequence, decodeTopK } from "../../../results/wire/sequence.ts";
import { decodeTable } from "../../../results/wire/table.ts";
import { readBundledBytes, readBundledJson } from "../bundle/read-bundled.test-data.ts";
import { writeBundle } from "../bundle/write-bundle.ts";
import { compareRuns } from "../compare/compare-runs.ts";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { startViewServer, type ViewServer } from "./start-server.ts";

let work: Workspace;
let page: string;
const servers: ViewServer[] = [];

beforeAll(async () => {
  work = await workspace();
  page = work.path("page");
  await mkdir(page);
  await writeFile(`${page}/index.html`, "<!doctype html><title>page</title>");
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => work.remove());

async function first(): Promise<PreparedRun> {
  return prepareRun([await work.run("first/a.jsonl", [{ step: 1 }, { step: 2 }])]);
}

async function both(): Promise<PreparedRun> {
  const rows = [{ step: 2, old_log_probs: [-1, -2, -2] }];
  return compareRuns(await first(), [{ run: await prepareRun([await work.run("second/b.jsonl", rows)]) }]);
}

async function asker(run: PreparedRun): Promise<(path: string) => Promise<Response>> {
  const server = await startViewServer(run, { page, port: 0, token: false });
  servers.push(server);
  return (path) => fetch(`${server.url}api/${path}`);
}

it("answers for the other run under the same paths, and for both", async () => {
  const ask = await asker(await both());
  const info = (await (await ask("run")).json()) as RunInfo;
  const other = (await (await ask("other/run")).json()) as RunInfo;
  expect([info.name, info.compared, other.name, other.compared]).toEqual(["first", ["second"], "second", []]);
  const comparison = (await (await ask("compare")).json()) as RunComparison;
  expect(comparison).toMatchObject({ kind: "view-comparison", pairs: { a: [1], b: [0] } });
  expect(((await (await ask("other/steps")).json()) as StepSeries).steps).toEqual([2]);
  expect(await (await ask("other/report")).json()).toMatchObject({ metrics: { sequences: 1 } });
  const bytes = async (path: string): Promise<Uint8Array> =>
    new Uint8Array(await (await ask(path)).arrayBuffer());
  expect(decodeTable(await bytes("other/sequences")).length).toBe(1);
  expect([...decodeSequence(await bytes("other/sequence/0")).trainer]).toEqual([-1, -2, -2]);
  expect([...decodeSequence(await bytes("sequence/0")).trainer]).toEqual([-1.5, -2, -2.5]);
  expect(decodeTopK(await bytes("other/sequence/0/topk?from=0&count=2")).count).toBe(0);
  const missing = await ask("other/sequence/1");
  expect([missing.status, await missing.text()]).toEqual([404, "there is no such sequence: the run has 1\n"]);
  expect((await ask("other/sequence/x")).status).toBe(400);
  const kept = await ask(`other/sequences?v=${info.version}`);
  expect(kept.headers.get("cache-control")).toContain("immutable");
});

it("answers for the second of two others under its number", async () => {
  const [second, third] = await Promise.all(
    ["second", "third"].map(async (name, at) => {
      const rows = [{ step: 2, old_log_probs: [-1, -2, -2 - at] }];
      return { run: await prepareRun([await work.run(`${name}/b.jsonl`, rows)]) };
    }),
  );
  const run = await compareRuns(await first(), [second!, third!]);
  const ask = await asker(run);
  const named = async (path: string): Promise<unknown> => (await (await ask(path)).json()) as unknown;
  expect(await named("compared-runs")).toMatchObject({
    kind: "view-compared-runs",
    first: { name: "first" },
    others: [{ name: "second" }, { name: "third", metrics: { sequences: 1 } }],
  });
  expect(await named("compare")).toMatchObject({ names: { a: "first", b: "second" } });
  expect(await named("compare-2")).toMatchObject({ names: { a: "first", b: "third" } });
  expect(await named("other-2/run")).toMatchObject({ name: "third" });
  const bytes = new Uint8Array(await (await ask("other-2/sequence/0")).arrayBuffer());
  expect([...decodeSequence(bytes).trainer]).toEqual([-1, -2, -3]);
  for (const path of ["compare-3", "other-3/run", "other-1/run"]) {
    const answer = await ask(path);
    expect([answer.status, await answer.text()]).toEqual([404, "the run is compared with 2 others\n"]);
  }
  const out = work.path("bundle-of-three");
  await writeBundle(run, out, { page });
  const files = await Promise.all(
    ["compare-2", "compared-runs", "other-2/report"].map((name) =>
      readBundledJson<{ kind: string }>(out, name),
    ),
  );
  expect(files.map(({ kind }) => kind)).toEqual(["view-comparison", "view-compared-runs", "report"]);
});

it("says what to do where no other run is named", async () => {
  const ask = await asker(await first());
  for (const path of ["compare", "other/run", "other/sequence/0"]) {
    const answer = await ask(path);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      "the run is not compared with another: logratio view A --compare B\n",
    ]);
  }
});

it("is bundled with both runs", async () => {
  const run = await both();
  const out = work.path("bundle");
  await writeBundle(run, out, { page });
  const read = (name: string): Promise<unknown> => readBundledJson(out, name);
  expect(await read("run")).toMatchObject({ bundled: true, compared: ["second"] });
  expect(await read("compare")).toMatchObject({ kind: "view-comparison" });
  expect(await read("other/report")).toMatchObject({ metrics: { sequences: 1 } });
  expect(decodeSequence(await readBundledBytes(out, "other/sequence/0")).meta.step).toBe(2);
  await run.close();
});
