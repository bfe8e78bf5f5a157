import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import { type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { startViewServer } from "./start-server.ts";

let work: Workspace;
let page: string;
beforeAll(async () => {
  work = await workspace();
  page = work.path("page");
  await mkdir(page);
  await writeFile(`${page}/index.html`, "<!doctype html><title>page</title>");
});
afterAll(() => work.remove());

it("serves before there is a run, says why there is none, and then the run", async () => {
  const server = await startViewServer(["runs/one"], { page, port: 0, token: false, following: true });
  const ask = (path: string): Promise<Response> => fetch(`${server.url}api/${path}`);
  try {
    const waiting = { kind: "view-waiting", name: "one", paths: ["runs/one"], status: "reading" };
    expect(await (await ask("run")).json()).toMatchObject({ ...waiting, reason: null });
    expect((await ask("report")).status).toBe(503);
    server.wait("the folder is empty");
    expect(await (await ask("run")).json()).toMatchObject({ ...waiting, reason: "the folder is empty" });
    const run = await prepareRun([await work.run("runs/one/step_1.jsonl", [{ step: 1 }])]);
    await server.update(run);
    expect(await (await ask("run")).json()).toMatchObject({ kind: "view-run", steps: [1] });
    expect((await ask("report")).status).toBe(200);
  } finally {
    await server.close();
  }
});

it("answers pages of a run that has grown, and tells those whose rows lie elsewhere now", async () => {
  const states = ["a", "b", "c"].map(async (name) =>
    prepareRun([await work.run(`states/${name}.jsonl`, [{ step: 1, uid: name }])]),
  );
  const [first, grown, anew] = [await states[0]!, await states[1]!, await states[2]!];
  const server = await startViewServer(first, { page, port: 0, token: false, following: true });
  const ask = async (version: string): Promise<Response> => fetch(`${server.url}api/sequence/0?v=${version}`);
  try {
    const { version } = first.info;
    expect((await ask(version)).headers.get("cache-control")).toContain("immutable");
    await server.update(grown, false);
    const answer = await ask(version);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
    await server.update(anew, true);
    const refused = await ask(version);
    expect([refused.status, await refused.text()]).toEqual([
      409,
      "the run was read again after this page was loaded: reload the page\n",
    ]);
    expect((await ask(anew.info.version)).status).toBe(200);
  } finally {
    await server.close();
  }
});
