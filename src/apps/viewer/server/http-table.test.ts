/**
 * What every request gets, foreseen or not: a status, a sentence, and no word of a mistake in logratio.
 *
 * @module
 */
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import { type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { startViewServer, type ViewServer } from "./start-server.ts";

let work: Workspace;
let server: ViewServer;
const mistakes: unknown[] = [];
beforeAll(async () => {
  work = await workspace();
  const page = work.path("page");
  await mkdir(page);
  await writeFile(`${page}/index.html`, "<!doctype html><title>page</title>");
  const run = await work.run("dumps/step_1.jsonl", [{ step: 1 }, { step: 1 }]);
  const prepared = await prepareRun([run], { cache: work.path("cache") });
  server = await startViewServer(prepared, {
    page,
    port: 0,
    token: false,
    onError: (error) => mistakes.push(error),
  });
});
afterAll(async () => {
  await server.close();
  await work.remove();
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function ask(
  path: string,
  { method = "GET", headers = {}, body = "" }: Asked = {},
): Promise<{
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
}> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port: server.port, path, method, headers, agent: false },
      async (response) => {
        let text = "";
        for await (const piece of response) text += String(piece);
        resolve({ status: response.statusCode!, headers: response.headers, text });
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Bytes that no client library would send. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes, "latin1"));
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (piece) => {
      text += String(piece);
      if (text.includes("\r\n\r\n")) socket.end();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

const JSON_TYPE = { "content-type": "application/json" };
const post = (body: string, headers: Readonly<Record<string, string>> = JSON_TYPE): Asked => ({
  method: "POST",
  headers,
  body,
});
const question = (correction: unknown, steps?: unknown): string => JSON.stringify({ correction, steps });
const wide = (columns: number): string =>
  JSON.stringify([Object.fromEntries(Array.from({ length: columns }, (_, i) => [`c${i}`, i]))]);

const TABLE: readonly (readonly [what: string, path: string, asked: Asked, status: number, says?: RegExp])[] =
  [
    ["the page", "/", {}, 200],
    ["a view's address", "/index.html", {}, 200],
    ["HEAD of the page", "/", { method: "HEAD" }, 200],
    ["HEAD of an answer", "/api/run", { method: "HEAD" }, 200],
    ["a range: the whole is sent", "/api/report", { headers: { range: "bytes=0-3" } }, 200],
    ["an unknown path", "/nothing", {}, 404, /nothing at/],
    ["an unknown answer", "/api/nothing", {}, 404, /nothing at/],
    ["POST to nowhere", "/nothing", post("{}"), 404],
    ["POST to an answer", "/api/run", post("{}"), 405, /GET, not by POST/],
    ["POST to the page", "/index.html", post("{}"), 404],
    ["GET of a question", "/api/correct", {}, 405, /POST, not by GET/],
    ["GET of a table", "/api/parquet", {}, 405],
    ["DELETE", "/api/sequence/0", { method: "DELETE" }, 405],
    ["PUT", "/api/run", { method: "PUT", headers: JSON_TYPE, body: "{}" }, 405],
    ["OPTIONS", "/api/correct", { method: "OPTIONS" }, 405],
    ["PATCH", "/", { method: "PATCH" }, 404],
    ["a foreign host", "/api/run", { headers: { host: "evil.example" } }, 421],
    ["a foreign origin", "/api/correct", post("{}", { ...JSON_TYPE, origin: "http://evil.example" }), 403],
    ["an origin that is none", "/api/correct", post("{}", { ...JSON_TYPE, origin: "%%%" }), 403],
    ["another site", "/api/correct", post("{}", { ...JSON_TYPE, "sec-fetch-site": "cross-site" }), 403],
    ["a form", "/api/correct", post("a=1", { "content-type": "application/x-www-form-urlencoded" }), 415],
    ["no type", "/api/correct", post("{}", {}), 415],
    ["no body", "/api/correct", post(""), 400, /not JSON/],
    ["half JSON", "/api/correct", post('{"correction":'), 400, /not JSON/],
    ["a list", "/api/correct", post("[]"), 400, /must be a text/],
    ["null", "/api/correct", post("null"), 400, /object/],
    ["a number as a correction", "/api/correct", post(question(5)), 400, /must be a text/],
    ["an object as a correction", "/api/correct", post(question({ steps: [] })), 400, /must be a text/],
    ["no correction", "/api/correct", post(question("")), 400, /is empty/],
    ["a level that is none", "/api/correct", post(question("weight:planet")), 400, /no level "planet"/],
    ["a text as a bound", "/api/correct", post(question("mask:token.ratio:..two")), 400, /is not a number/],
    ["NaN as a bound", "/api/correct", post(question("veto:ratio:NaN..")), 400, /is not a number/],
    ["a ratio below 0", "/api/correct", post(question("veto:ratio:..-1")), 400, /ratios are positive/],
    ["bounds the wrong way round", "/api/correct", post(question("mask:token.ratio:2..1")), 400, /above/],
    [
      "what only a read of the whole batch could tell",
      "/api/correct",
      post(question("weight:token normalize:token truncate:..2")),
      400,
      /this correction cannot be swept/,
    ],
    ["steps that are none", "/api/correct", post(question("none", ["a", "b"])), 400, /steps/],
    [
      "the widest steps of a question",
      "/api/correct",
      post(question("veto:ratio:9..", [-1e308, 1e308])),
      200,
    ],
    ["the smallest numbers", "/api/correct", post(question("veto:ratio:5e-324..", [2, 1])), 200],
    ["turns", "/api/correct", post(question("weight:turn truncate:..2 mask:turn.max.k3:..1")), 200],
    ["a prototype", "/api/correct", post('{"__proto__":{"correction":"none"},"constructor":1}'), 400],
    ["lists in lists", "/api/correct", post("[".repeat(8000) + "]".repeat(8000)), 400],
    ["a long question", "/api/correct", post(`"${"x".repeat(20_000)}"`), 413, /16,384 bytes/],
    [
      "a long question in pieces",
      "/api/correct",
      post("x".repeat(20_000), { ...JSON_TYPE, "transfer-encoding": "chunked" }),
      413,
    ],
    ["rows that are none", "/api/parquet", post("{}"), 400, /rows/],
    ["no rows", "/api/parquet", post("[]"), 400, /no rows/],
    ["rows of lists", "/api/parquet", post("[[1]]"), 400],
    ["many columns", "/api/parquet", post(wide(10_000)), 413, /more than 512 columns/],
    ["a column without a name", "/api/parquet", post('[{"":1}]'), 400, /name/],
    ["NUL in a column's name", "/api/parquet", post('[{"a\\u0000b":1}]'), 400, /NUL/],
    ["columns that differ by case", "/api/parquet", post('[{"a":1,"A":2}]'), 400, /case/],
    ["quotes in a column's name", "/api/parquet", post('[{"a\\"; DROP TABLE x; --":1}]'), 200],
    ["NUL and half a character in a cell", "/api/parquet", post('[{"a":"x\\u0000y\\ud83d"}]'), 200],
    ["a sequence that is none", "/api/sequence/99999999", {}, 404, /has 2/],
    ["no number", "/api/sequence/-1", {}, 400],
    ["a huge number", `/api/sequence/${"9".repeat(400)}`, {}, 400],
    ["too many alternatives", "/api/sequence/0/topk?from=0&count=99999", {}, 400, /at most/],
    ["alternatives beyond the end", "/api/sequence/0/topk?from=999999999999999&count=1", {}, 200],
    ["steps without a range", "/api/correct-bins?steps=1", {}, 400, /steps=10\.\.30/],
    ["a million ranges", `/api/report?steps=${"1..2,".repeat(1000)}`, {}, 400],
    ["the widest steps", "/api/report?steps=-999999999999999..999999999999999", {}, 200],
    ["steps the wrong way round", "/api/correct-bins?steps=2..1", {}, 404],
    ["no filter", "/api/match", {}, 400, /filter/],
    ["a filter that is none", "/api/match?filter=nothing%3A1", {}, 400],
    ["a filter of many characters", `/api/match?filter=${"a".repeat(3000)}`, {}, 400, /2000/],
    ["a filter of many terms", `/api/match/tokens?filter=${"abs%3E0.1%20".repeat(190)}`, {}, 200],
    ["a digit report that is none", "/api/digits", {}, 404, /tokenizer/],
    ["no comparison", "/api/compare", {}, 404, /not compared/],
    ["the other run's", "/api/other/run", {}, 404, /not compared/],
    ["a star", "/api/stars", post('{"handle":"s1.q0.t1","note":"<b>"}'), 200, /"note":"<b>"/],
    ["the stars", "/api/stars", {}, 200, /view-stars/],
    ["the story", "/api/story", {}, 200, /"entries":\[/],
    ["a star of a path", "/api/stars", post('{"handle":"../../x","note":""}'), 400, /handle/],
    ["a star of the prototype", "/api/stars", post('{"__proto__":{"handle":"q1"},"note":""}'), 400, /handle/],
    ["a star without a note", "/api/stars", post('{"handle":"q1"}'), 400, /text, or null/],
    ["a star that is no JSON", "/api/stars", post("{"), 400, /not JSON/],
    ["a star that is null", "/api/stars", post("null"), 400, /handle/],
    [
      "a long note",
      "/api/stars",
      post(JSON.stringify({ handle: "q1", note: "x".repeat(4001) })),
      400,
      /4000/,
    ],
    ["a longer note", "/api/stars", post(`"${"x".repeat(40_000)}"`), 413, /32,768 bytes/],
    ["a star by a form", "/api/stars", post("a=1", { "content-type": "text/plain" }), 415],
    [
      "a star of another site",
      "/api/stars",
      post("{}", { ...JSON_TYPE, "sec-fetch-site": "cross-site" }),
      403,
    ],
    [
      "a star from a foreign origin",
      "/api/stars",
      post("{}", { ...JSON_TYPE, origin: "http://evil.example" }),
      403,
    ],
    ["PUT of the stars", "/api/stars", { method: "PUT", headers: JSON_TYPE, body: "[]" }, 405],
    ["an old version", "/api/run?v=old", {}, 409],
    ["thousands of parameters", `/api/run?${"a=1&".repeat(3000)}`, {}, 200],
    ["a long address", `/${"a".repeat(20_000)}`, {}, 431],
    ["long headers", "/", { headers: { x: "y".repeat(20_000) } }, 431],
    ["dots", "/../../../../etc/passwd", {}, 404],
    ["dots, encoded", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", {}, 404],
    ["dots and slashes, encoded", "/..%2f..%2f..%2fetc%2fpasswd", {}, 404],
    ["a drive", "/C:%5Cwindows%5Cwin.ini", {}, 404],
    ["NUL, encoded", "/index.html%00.js", {}, 404],
    ["half an escape", "/%", {}, 404],
    ["half an escape in a number", "/api/sequence/%zz", {}, 400],
    ["what is no UTF-8", "/api/sequence/%ff%fe", {}, 400],
    ["two slashes", "//evil.example/", {}, 404],
  ];

describe("a request", () => {
  it.each(TABLE.map((row) => [row[0], row] as const))("%s", async (_what, [, path, asked, status, says]) => {
    const found = await ask(path, asked);
    expect([found.status, found.text]).toEqual([status, expect.stringMatching(says ?? /^/)]);
    if (status >= 400 && status !== 431) {
      expect(found.headers["content-security-policy"]).toContain("default-src 'self'");
      expect(found.text.trim()).not.toBe(asked.method === "HEAD" ? undefined : "");
    }
    expect(found.text).not.toMatch(/root:|node_modules|\bat .*\.ts:/);
    expect(mistakes).toEqual([]);
  });

  it.each([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["no host", "GET /api/run HTTP/1.1\r\n\r\n", 400],
    ["two hosts", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n", 421],
    ["NUL in the address", "GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
    ["another server's address", "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 421],
    ["TRACE", "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", 404],
    [
      "a length and pieces",
      "POST /api/correct HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "a length that is none",
      "POST /api/correct HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
      400,
    ],
    ["CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n", 0],
  ])("by hand: %s", async (_what, bytes, status) => {
    const text = await raw(bytes);
    const found = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
    expect(found).toBe(status);
    expect(mistakes).toEqual([]);
  });

  it("that is left in the middle is no mistake", async () => {
    for (let i = 0; i < 20; i++) {
      await new Promise<void>((resolve) => {
        const socket = connect(server.port, "127.0.0.1", () => {
          socket.write(
            "POST /api/parquet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[",
          );
          setTimeout(() => socket.destroy(), 5);
        });
        socket.on("close", () => resolve());
      });
    }
    expect((await ask("/api/run")).status).toBe(200);
    expect(mistakes).toEqual([]);
  });

  it("is answered beside hundreds that say nothing, and these do not hold the end", async () => {
    const sockets = await Promise.all(
      Array.from(
        { length: 300 },
        () =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect(server.port, "127.0.0.1", () => {
              socket.write("GET /api/run HTTP/1.1\r\nHost: loc");
              resolve(socket);
            });
            socket.on("error", () => {});
          }),
      ),
    );
    expect((await ask("/api/run")).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it("refuses more cells than a file should have", async () => {
    const more = JSON.stringify(
      Array.from({ length: 30_000 }, () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [i, 1]))),
    );
    expect(await ask("/api/parquet", post(more))).toMatchObject({
      status: 413,
      text: expect.stringContaining("cells"),
    });
  });
});
