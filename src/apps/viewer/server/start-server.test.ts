import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { formatCount } from "../../../core/text/format.ts";
import type { PageDocument } from "../../../render/page/page-document.ts";
import type { GroupPage } from "../../../results/page.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { CorrectAnswer, CorrectBins, CorrectSteps, RunInfo } from "../../../results/view.ts";
import { decodeBriefs } from "../../../results/wire/briefs.ts";
import { decodeSequence, decodeTopK } from "../../../results/wire/sequence.ts";
import { decodeTable } from "../../../results/wire/table.ts";
import { decodeTurns } from "../../../results/wire/turns.ts";
import { readBundledBytes, readBundledJson } from "../bundle/read-bundled.test-data.ts";
import { writeBundle } from "../bundle/write-bundle.ts";
import { ANSWER_FILES } from "../prepare/cache/cache-files.ts";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { DEMO, DEMO_TOKENIZER, line, type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { type ServerOptions, startViewServer, type ViewServer } from "./start-server.ts";
import { filesBelow } from "./static-files.ts";

let work: Workspace;
let page: string;
const servers: ViewServer[] = [];

beforeAll(async () => {
  work = await workspace();
  page = work.path("page");
  await mkdir(`${page}/assets`, { recursive: true });
  await writeFile(`${page}/index.html`, "<!doctype html><title>page</title>");
  await writeFile(`${page}/assets/index-Dx3fG7_a.js`, `console.log("${"page ".repeat(1000)}");`);
  await writeFile(work.path("secret.txt"), "not of the page");
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => work.remove());

function demo(): Promise<PreparedRun> {
  return prepareRun([DEMO], { tokenizer: DEMO_TOKENIZER, cache: work.path("cache") });
}

async function serve(run: PreparedRun, options: ServerOptions = {}): Promise<ViewServer> {
  const server = await startViewServer(run, { page, port: 0, token: false, ...options });
  servers.push(server);
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** With exactly these headers, which `fetch` would not send. */
function ask(
  server: ViewServer,
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port: server.port, path, method, headers, agent: false },
      async (response) => {
        const pieces: Buffer[] = [];
        for await (const piece of response) pieces.push(piece as Buffer);
        const bytes = Buffer.concat(pieces);
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: bytes,
          text: bytes.toString(),
        });
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

const QUESTION = JSON.stringify({ correction: "weight:token truncate:..2" });
const AS_JSON = { "content-type": "application/json" };

describe("answers", () => {
  it("are those of the prepared run, under the paths of the protocol", async () => {
    const run = await demo();
    const server = await serve(run);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/`);
    const info = JSON.parse((await ask(server, "/api/run")).text) as RunInfo;
    expect(info).toMatchObject({ kind: "view-run", sequences: run.info.sequences, status: "ready" });
    for (const name of ["report", "steps", "tokens", "correct-bins", "digits"]) {
      const { status, headers, text } = await ask(server, `/api/${name}`);
      expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
    expect(decodeTable((await ask(server, "/api/sequences")).body).length).toBe(info.sequences);
    expect(decodeSequence((await ask(server, "/api/sequence/7")).body).meta.index).toBe(7);
    const some = decodeTopK((await ask(server, "/api/sequence/7/topk?from=2&count=3")).body);
    expect([some.from, some.count]).toEqual([2, 3]);
    const exact = await ask(server, "/api/correct", { method: "POST", headers: AS_JSON, body: QUESTION });
    expect((JSON.parse(exact.text) as CorrectAnswer).kept_tokens).toBe(info.tokens);
    const bySteps = await ask(server, "/api/correct/steps", {
      method: "POST",
      headers: AS_JSON,
      body: QUESTION,
    });
    const { steps, tokens, counts } = JSON.parse(bySteps.text) as CorrectSteps;
    expect(steps).toEqual(info.steps);
    expect(counts.kept_tokens).toEqual(tokens);
    const part = await ask(server, `/api/correct-bins?steps=${steps[0]}..${steps[0]}`);
    const { groups } = JSON.parse(part.text) as CorrectBins;
    expect(groups.flatMap((group) => group.tokens).reduce((a, b) => a + b, 0)).toBe(tokens[0]);
    const own = await ask(server, `/api/report?steps=${steps[0]}..${steps[0]}`);
    expect((JSON.parse(own.text) as MismatchReport).metrics.tokens).toBe(tokens[0]);
    const tables = await ask(server, `/api/report-tables?steps=${steps[0]}..${steps[0]}`);
    const { sections } = JSON.parse(tables.text) as PageDocument;
    const worst = sections
      .filter(({ part }) => part === "Worst places")
      .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "table" ? block.table.raw : [])));
    expect(worst.length).toBeGreaterThan(10);
    for (const { step } of worst) expect(step).toBe(steps[0]);
    const saved = await ask(server, `/api/answer.html?steps=${steps[0]}..${steps[0]}`);
    expect(saved.headers["content-disposition"]).toBe("attachment");
    expect(saved.text).toContain(`${formatCount(tokens[0])} tokens`);
    const turns = decodeTurns((await ask(server, "/api/turns")).body);
    expect(turns.tokens.reduce((a, b) => a + b, 0)).toBe(tokens.reduce((a, b) => a + b, 0));
  });

  it("say in a sentence what was wrong with a question", async () => {
    const server = await serve(await demo());
    const status = async (path: string): Promise<number> => (await ask(server, path)).status;
    expect(await status("/api/sequence/99999999")).toBe(404);
    expect(await status("/api/sequence/-1")).toBe(400);
    expect(await status("/api/sequence/1e3")).toBe(400);
    expect(await status("/api/sequence/0/topk?from=x&count=1")).toBe(400);
    expect(await status("/api/sequence/0/topk?from=0&count=999999")).toBe(400);
    expect(await status("/api/nothing")).toBe(404);
    const plain = await serve(await prepareRun([DEMO], { cache: work.path("cache") }));
    const noDigits = await ask(plain, "/api/digits");
    expect([noDigits.status, noDigits.text]).toEqual([404, expect.stringContaining("--tokenizer DIR")]);
    expect(await status("/../secret.txt")).toBe(404);
    expect(await status("/%2e%2e/secret.txt")).toBe(404);
    expect(await status("/assets")).toBe(404);
    const wrong = async (body: string): Promise<string> => {
      const answer = await ask(server, "/api/correct", { method: "POST", headers: AS_JSON, body });
      expect([answer.status, answer.headers["content-type"]]).toEqual([400, "text/plain; charset=UTF-8"]);
      return answer.text;
    };
    expect(await wrong("{")).toContain("not JSON");
    expect(await wrong("[]")).toContain("must be a text");
    expect(await wrong(QUESTION.replace("..2", "..-2"))).toContain("ratios are positive");
    expect(await wrong(QUESTION.replace("..2", "3..2"))).toContain("lower bound 3 above");
    expect(await ask(server, "/api/correct")).toMatchObject({ status: 405 });
    for (const name of ["correct-bins", "report", "report-tables", "answer.html"]) {
      expect(await status(`/api/${name}?steps=x`)).toBe(400);
      expect(await status(`/api/${name}?steps=-3..-1`)).toBe(404);
    }
    expect(await ask(server, "/api/correct-bins?steps=-3..-1")).toMatchObject({
      status: 404,
      text: "the run has no tokens in steps -3 to -1\n",
    });
  });

  it("are kept by browsers as long as they may be", async () => {
    const run = await demo();
    const server = await serve(run);
    const first = await ask(server, "/api/report");
    expect(first.headers["cache-control"]).toBe("private, no-cache");
    const tag = first.headers.etag as string;
    const again = await ask(server, "/api/report", { headers: { "if-none-match": `"x", ${tag}` } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const forGood = await ask(server, `/api/report?v=${run.info.version}`);
    expect(forGood.headers["cache-control"]).toContain("immutable");
    const script = await ask(server, "/assets/index-Dx3fG7_a.js");
    expect(script.headers["cache-control"]).toContain("immutable");
    expect((await ask(server, "/")).headers["cache-control"]).toBe("private, no-cache");
  });

  it("are compressed for those who can read it", async () => {
    const server = await serve(await demo());
    const plain = await ask(server, "/api/sequences");
    const packed = await ask(server, "/api/sequences", { headers: { "accept-encoding": "br, gzip" } });
    expect([plain.headers["content-encoding"], packed.headers["content-encoding"]]).toEqual([
      undefined,
      "gzip",
    ]);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    const refused = await ask(server, "/api/sequences", { headers: { "accept-encoding": "gzip;q=0" } });
    expect(refused.headers["content-encoding"]).toBeUndefined();
  });
});

describe("who may ask", () => {
  it("is told to every browser with every answer", async () => {
    const server = await serve(await demo());
    for (const path of ["/", "/api/run", "/nothing", "/api/sequence/x"]) {
      const { headers } = await ask(server, path);
      expect(headers["content-security-policy"]).toContain("default-src 'self'");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("is whoever knows the address, where the page stands in a notebook's frame", async () => {
    const server = await serve(await demo(), { token: true, embed: true });
    const folder = new URL(server.url).pathname;
    expect(folder).toMatch(/^\/[\w-]{32}\/$/);
    for (const path of [
      "/",
      "/api/run",
      `/${folder[1] === "x" ? "y" : "x"}${folder.slice(2)}`,
      folder.slice(0, -1),
      `/?token=${folder.slice(1, -1)}`,
    ]) {
      const { status, headers } = await ask(server, path);
      expect([path, status]).toEqual([path, 401]);
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    }
    const page = await ask(server, folder);
    expect([page.status, page.headers["set-cookie"]]).toEqual([200, undefined]);
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'self'.*form-action 'none'$/);
    expect((await ask(server, `${folder}api/run`)).status).toBe(200);
    expect((await ask(server, `${folder}nothing`)).status).toBe(404);
    const headers = { host: `127.0.0.1:${server.port}`, ...AS_JSON };
    const asked = (more: Record<string, string>): Promise<{ readonly status: number }> =>
      ask(server, `${folder}api/correct`, {
        method: "POST",
        headers: { ...headers, ...more },
        body: QUESTION,
      });
    expect((await asked({})).status).toBe(200);
    expect((await asked({ origin: "http://evil.example" })).status).toBe(403);
    await expect(serve(await demo(), { token: false, embed: true })).rejects.toThrow("any site could frame");
    // One request's token is not the next one's, on the same connection too.
    expect((await ask(server, "/api/run")).status).toBe(401);
  });

  it("knows the server by a name that only this machine has", async () => {
    const server = await serve(await demo());
    const status = async (host: string): Promise<number> =>
      (await ask(server, "/api/run", { headers: { host } })).status;
    for (const host of ["localhost", "localhost:9000", "127.0.0.1:1", "[::1]:8270"])
      expect(await status(host)).toBe(200);
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1"])
      expect(await status(host)).toBe(421);
  });

  it("asks from the server's own page", async () => {
    const server = await serve(await demo());
    const host = `127.0.0.1:${server.port}`;
    const status = async (headers: Record<string, string>): Promise<number> => {
      const asked = { method: "POST", headers: { host, ...AS_JSON, ...headers }, body: QUESTION };
      return (await ask(server, "/api/correct", asked)).status;
    };
    expect(await status({ origin: `http://${host}` })).toBe(200);
    expect(await status({ origin: "http://evil.example" })).toBe(403);
    expect(await status({ origin: "null" })).toBe(403);
    expect(await status({ origin: `http://127.0.0.1:${server.port + 1}` })).toBe(403);
    expect(await status({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await status({ "content-type": "text/plain" })).toBe(415);
  });

  it.each(["127.0.0.1", "0.0.0.0"])("has the token, at %s", async (host) => {
    const server = await serve(await demo(), { host, token: true });
    const token = new URL(server.url).searchParams.get("token")!;
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect((await ask(server, "/api/run")).status).toBe(401);
    expect((await ask(server, "/")).status).toBe(401);
    expect((await ask(server, "/?token=wrong")).status).toBe(401);
    const entry = await ask(server, `/?token=${token}&x=1`);
    expect([entry.status, entry.headers.location]).toEqual([303, "/?x=1"]);
    const [cookie] = entry.headers["set-cookie"] as string[];
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Strict");
    const own = { cookie: cookie!.split(";")[0]! };
    expect((await ask(server, "/api/run", { headers: own })).status).toBe(200);
    expect((await ask(server, "/api/run", { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      200,
    );
    const stale = { cookie: `logratio_${server.port}=of-another-server` };
    expect((await ask(server, "/api/run", { headers: stale })).status).toBe(401);
    const both = { ...stale, authorization: `Bearer ${token}` };
    expect((await ask(server, "/api/run", { headers: both })).status).toBe(200);
    const swapped = { ...own, authorization: "Bearer wrong" };
    expect((await ask(server, "/api/run", { headers: swapped })).status).toBe(200);
    expect((await ask(server, `//evil.example/?token=${token}`)).headers.location ?? "/").not.toContain("//");
    const from = { ...own, host: "10.1.2.3:8270" };
    expect((await ask(server, "/api/run", { headers: from })).status).toBe(host === "0.0.0.0" ? 200 : 421);
    expect((await ask(server, "/api/run", { headers: { ...own, host: "evil.example" } })).status).toBe(421);
  });
});

it("is without a token only where nobody else can ask", async () => {
  const run = await demo();
  const token = (url: string): string | null => new URL(url).searchParams.get("token");
  const plain = await startViewServer(run, { page, port: 0 });
  servers.push(plain);
  expect(token(plain.url)).toMatch(/^[\w-]{32}$/);
  const other = await serve(await demo(), { token: true });
  expect(token(other.url)).not.toBe(token(plain.url));
  await expect(startViewServer(run, { page, host: "0.0.0.0", token: false })).rejects.toMatchObject({
    _tag: "UsageError",
    message: expect.stringContaining("without a token"),
    hint: expect.stringContaining("--no-token"),
  });
});

describe("the server", () => {
  it("takes the next port unless one is asked for", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { port: number };
    const run = await demo();
    await expect(startViewServer(run, { page, port })).rejects.toMatchObject({ _tag: "UsageError" });
    await expect(startViewServer(run, { page, host: "192.0.2.1" })).rejects.toMatchObject({
      _tag: "UsageError",
    });
    await expect(startViewServer(run, { page: work.path("none") })).rejects.toMatchObject({
      _tag: "NotFoundError",
    });
    taken.close();
    const rest = { page };
    const [one, two] = [await startViewServer(run, rest), await startViewServer(await demo(), rest)];
    servers.push(one, two);
    expect(two.port).toBeGreaterThan(one.port);
  });

  it("tells pages when the run has grown, and shows the new one", async () => {
    const file = await work.run("growing/step_1.jsonl", [{ step: 1 }]);
    const server = await serve(await prepareRun([work.path("growing")], { following: true }), {
      following: true,
    });
    const answer = await fetch(`${server.url}api/events`);
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const reader = answer.body!.getReader();
    let heard = "";
    /** Events may come in one piece or in several. */
    const hear = async (text: string): Promise<void> => {
      while (!heard.includes(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the events ended before ${text}: ${heard}`);
        heard += Buffer.from(value).toString();
      }
    };
    const verdict = async (lastStep: number): Promise<string> => {
      const { level, headline } = (JSON.parse((await ask(server, "/api/report")).text) as MismatchReport)
        .verdict;
      return `event: verdict\ndata: ${JSON.stringify({ level, headline, last_step: lastStep })}\n\n`;
    };
    await hear(": connected\n\n");
    await hear(await verdict(1));
    const before = await ask(server, "/api/run");
    await writeFile(file, line({ step: 1 }) + line({ step: 2 }));
    const next = await prepareRun([work.path("growing")], { following: true });
    await server.update(next);
    await hear(`event: run\ndata: {"version":"${next.info.version}"}\n\n`);
    await hear(await verdict(2));
    await reader.cancel();
    const after = await ask(server, "/api/run", {
      headers: { "if-none-match": before.headers.etag as string },
    });
    expect((JSON.parse(after.text) as RunInfo).steps).toEqual([1, 2]);
  });

  it("has nothing to tell where nothing changes", async () => {
    const server = await serve(await demo());
    expect((await ask(server, "/api/events")).status).toBe(204);
  });
});

describe("a bundle", () => {
  it("holds the page and every answer as a file", async () => {
    const run = await demo();
    const out = work.path("bundle");
    const { files } = await writeBundle(run, out, { page });
    const numbers = Array.from({ length: run.info.sequences }, (_, index) => index);
    const paths = [
      ...["index.html", "assets/index-Dx3fG7_a.js", "robots.txt"],
      ...Object.keys(ANSWER_FILES).map((name) => `api/${name}.js`),
      ...[
        "api/answer-tables.js",
        "api/answer.html",
        "api/report-tables.js",
        "api/doctor-tables.js",
        "api/turns.js",
        "api/digits.js",
        "api/digits-tables.js",
      ],
      ...[
        "api/alerts.js",
        "api/health-tables.js",
        "api/logged.js",
        "api/sweep.js",
        "api/correct.js",
        "api/stars.js",
        "api/story.js",
        "api/glossary.js",
        "api/filters.js",
      ],
      ...Array.from({ length: 12 }, (_, file) => `api/briefs/${file}.js`),
      // Eight samples a prompt.
      ...numbers.filter((index) => index % 8 === 0).map((index) => `api/group/${index}.js`),
      ...numbers.flatMap((index) => [`api/sequence/${index}.js`, `api/topk/${index}.js`]),
    ];
    expect(run.info.has.digits).toBe(true);
    expect((await filesBelow(out)).toSorted()).toEqual(paths.toSorted());
    expect(files).toBe(paths.length);
    const info = await readBundledJson<RunInfo>(out, "run");
    expect(info).toMatchObject({ bundled: true, version: run.info.version });
    expect(decodeSequence(await readBundledBytes(out, "sequence/3")).meta.index).toBe(3);
    const briefs = decodeBriefs(await readBundledBytes(out, "briefs/11"));
    expect([briefs.length, briefs[1]]).toEqual([64, decodeBriefs((await run.briefs([705]))!)[0]]);
    const group = await readBundledJson<GroupPage>(out, "group/96");
    expect(group.samples.map(({ sequence }) => sequence)).toContain(103);
    const { from, count } = decodeTopK(await readBundledBytes(out, "topk/3"));
    const { rollout } = decodeSequence(await readBundledBytes(out, "sequence/3"));
    expect([from, count]).toEqual([0, rollout.length]);
    expect(await readFile(`${out}/index.html`, "utf8")).toContain("page");
    await expect(writeBundle(run, out, { page })).rejects.toMatchObject({ _tag: "UsageError" });
    await rm(out, { recursive: true });
    await run.close();
  });
});
