import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { StudyInfo, StudyTexts } from "../../../results/view.ts";
import { decodeStudyText } from "../../../results/wire/study-text.ts";
import type { KlReport } from "../../../study/results/report.ts";
import { type ExampleStudy, exampleStudy } from "../kl/example-study.test-data.ts";
import { prepareStudy } from "../kl/prepare-study.ts";
import { type Served, startStudyServer } from "./start-server.ts";

let example: ExampleStudy;
let server: Served;
beforeAll(async () => {
  example = await exampleStudy();
  const page = join(example.folder, "page");
  await mkdir(page);
  await writeFile(join(page, "index.html"), "<!doctype html><title>page</title>");
  server = await startStudyServer(await prepareStudy(example.dir), { page, port: 0, token: false });
});
afterAll(async () => {
  await server.close();
  await example.remove();
});

const ask = (path: string, init?: RequestInit): Promise<Response> => fetch(`${server.url}api/${path}`, init);
const json = async <T>(path: string): Promise<T> => (await ask(path)).json() as Promise<T>;

it("answers for a study under the paths of the protocol", async () => {
  const info = await json<StudyInfo>("run");
  expect(info).toMatchObject({ kind: "view-study", texts: 4 });
  expect((await json<KlReport>("study")).kind).toBe("kl");
  expect((await json<StudyTexts>("study-texts")).texts).toHaveLength(4);
  const answer = await ask("study-text/2");
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  const { meta, kl } = decodeStudyText(new Uint8Array(await answer.arrayBuffer()));
  expect([meta.index, meta.handle]).toEqual([2, "q2"]);
  expect(kl).toHaveLength(meta.tokens.length * info.checkpoints.length);
});

it("may be kept for good under an address that says the version", async () => {
  const { version } = await json<StudyInfo>("run");
  const kept = async (path: string): Promise<string | null> => (await ask(path)).headers.get("cache-control");
  expect(await kept(`study-text/1?v=${version}`)).toContain("immutable");
  expect(await kept("study-text/1?v=another")).toContain("no-cache");
});

it("says in a sentence what was wrong with a question", async () => {
  const answer = async (path: string): Promise<[number, string]> => {
    const given = await ask(path);
    return [given.status, await given.text()];
  };
  expect(await answer("study-text/4")).toEqual([
    404,
    "there is no such text: the study has 4, counted from 0\n",
  ]);
  expect((await answer("study-text/x"))[0]).toBe(400);
  expect((await answer("study-text/-1"))[0]).toBe(400);
  // What only runs have is not there.
  expect((await answer("sequences"))[0]).toBe(404);
});

it("has no news, and tells pages not to ask again", async () => {
  expect((await ask("events")).status).toBe(204);
});

it("writes tables of the page as Parquet", async () => {
  const answer = await ask("parquet", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify([{ text: "q0", kl: 0.1 }]),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([answer.status, bytes.subarray(0, 4).toString()]).toEqual([200, "PAR1"]);
});
