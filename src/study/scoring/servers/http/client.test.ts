import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { backoffMs, retryAfterMs, sleep } from "../../../../input/io/backoff.ts";
import { type Handler, startServer, type TestServer } from "../http-server.test-data.ts";
import { resolveOptions, type ServerOptions } from "../options.ts";
import { FAST } from "../servers.test-data.ts";
import { createClient } from "./client.ts";
import { serverWords } from "./failure.ts";
import { parseJson } from "./parse-json.ts";

const started: TestServer[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function serve(handler: Handler, options: ServerOptions = {}, delayMs = 0) {
  const server = await startServer(handler, delayMs);
  started.push(server);
  return { server, client: createClient(resolveOptions(server.url, { ...FAST, ...options })) };
}

const faultsUsed = (server: TestServer) => vi.waitFor(() => expect(server.faults).toHaveLength(0));

const FINE: Handler = () => ({ body: { fine: true, padding: "x".repeat(100) } });
const CREDENTIALS = "http://ann:se%40cret@localhost:8000/v1/#a%2Fb";

describe("asking a server", () => {
  it.each([408, 425, 429, 500, 502, 503])("asks again after %i", async (status) => {
    const { server, client } = await serve(FINE);
    server.faults.push({ status, body: {} }, { status, body: {} });
    expect(await client.post("/x", {})).toMatchObject({ ok: true });
    expect(server.asked).toHaveLength(3);
  });

  it.each([400, 401, 404, 413, 422])("asks once when the answer is %i", async (status) => {
    const { server, client } = await serve(FINE);
    server.faults.push({ status, body: { error: { message: "no" } } });
    const reply = await client.post("/x", {});
    expect(reply).toMatchObject({
      ok: false,
      failure: { kind: "status", status, message: "no", attempts: 1 },
    });
    expect(server.asked).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])(
    "follows no redirect, so that texts and keys stay where they are: %i",
    async (status) => {
      const { server: other } = await serve(FINE);
      const { server, client } = await serve(FINE, { apiKey: "secret" });
      for (const location of [`${other.url}/v1/x?key=1`, "/elsewhere", "http://[", ""]) {
        server.faults.push({ status, headers: { location }, body: {} });
        const reply = await client.post("/x", { prompt: "private" });
        expect(reply).toMatchObject({ ok: false, failure: { kind: "redirect", status, attempts: 1 } });
        if (!reply.ok && location.startsWith(other.url))
          expect(reply.failure.message).toContain(`redirects to ${other.url}/v1/x, but`);
      }
      expect(other.asked).toEqual([]);
      expect(server.asked).toHaveLength(4);
    },
  );

  it("bounds a reply that trickles by the time of an attempt, and one that never ends by its bytes", async () => {
    const endless = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "application/json" });
      const isSlow = request.url === "/slow";
      const timer = setInterval(() => response.write(isSlow ? " " : " ".repeat(65_536)), 5);
      response.on("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const resolved = { ...FAST, retries: 1, timeoutMs: 300, maxResponseBytes: 1_000_000 };
    const client = createClient(resolveOptions(url, resolved));
    try {
      expect(await client.post("/slow", {})).toMatchObject({
        ok: false,
        failure: { kind: "timeout", attempts: 2 },
      });
      const long = createClient(resolveOptions(url, { ...resolved, timeoutMs: 20_000 }));
      expect(await long.post("/long", {})).toMatchObject({ ok: false, failure: { kind: "too-large" } });
    } finally {
      endless.closeAllConnections();
      await new Promise((resolve) => endless.close(resolve));
    }
  });

  it("takes a reply of another length than it said for a lost connection", async () => {
    const { server, client } = await serve(FINE, { retries: 1 });
    server.faults.push(
      { headers: { "content-length": "5000" }, body: {} },
      { headers: { "content-length": "1" }, body: {} },
    );
    const reply = await client.post("/x", {}, { timeoutMs: 500 });
    expect(reply).toMatchObject({ ok: false });
    expect(server.asked.length).toBe(2);
  });

  it.each(["reset", "half"] as const)("asks again after a connection lost: %s", async (fault) => {
    const { server, client } = await serve(FINE);
    server.faults.push(fault, fault);
    expect(await client.post("/x", {})).toMatchObject({ ok: true });
    server.faults.push(fault, fault, fault);
    expect(await client.post("/x", {})).toMatchObject({ failure: { kind: "network", attempts: 3 } });
  });

  it("says which error the network had", async () => {
    const { server, client } = await serve(FINE);
    await server.close();
    const reply = await client.get("/x");
    expect(reply).toMatchObject({ ok: false, failure: { kind: "network", attempts: 3 } });
    expect(!reply.ok && reply.failure.message).toContain("ECONNREFUSED");
  });

  it("waits as long as Retry-After says, and no longer than an attempt may take", async () => {
    const { server, client } = await serve(FINE, { retries: 1 });
    server.faults.push({ status: 429, headers: { "retry-after": "0.2" }, body: {} });
    const timers = vi.spyOn(globalThis, "setTimeout");
    expect(await client.post("/x", {})).toMatchObject({ ok: true });
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(200);
    timers.mockRestore();
    server.faults.push({ status: 429, headers: { "retry-after": "3600" }, body: {} });
    expect(await client.post("/x", {})).toMatchObject({ failure: { status: 429, attempts: 1 } });
  });

  it("gives a silent server up after the timeout", async () => {
    const { server, client } = await serve(FINE, { timeoutMs: 40, retries: 1 });
    server.faults.push("silence", "silence");
    expect(await client.post("/x", {})).toMatchObject({ failure: { kind: "timeout", attempts: 2 } });
    await vi.waitFor(() => expect(server.leftBy()).toBe(2));
  });

  it("reads no more of a body than was allowed", async () => {
    const { client } = await serve(FINE, { maxResponseBytes: 50 });
    expect(await client.post("/x", {})).toMatchObject({ failure: { kind: "too-large", attempts: 1 } });
  });

  it("tells a web page from JSON that breaks off", async () => {
    const { server, client } = await serve(FINE);
    server.faults.push({ body: "<html><title>Sign in</title></html>" }, "cut");
    expect(await client.post("/x", {})).toMatchObject({
      failure: { kind: "not-json", message: 'a web page, "Sign in"' },
    });
    expect(await client.post("/x", {})).toMatchObject({ failure: { kind: "cut-off" } });
  });

  it("keeps to as many requests at once as allowed", async () => {
    const { server, client } = await serve(FINE, { concurrency: 3 }, 10);
    const replies = await Promise.all(Array.from({ length: 12 }, () => client.post("/x", {})));
    expect(replies.every(({ ok }) => ok)).toBe(true);
    expect(server.mostAtOnce()).toBe(3);
  });

  it("ends at once when aborted: while asking, waiting for a retry, or for a place", async () => {
    const { server, client } = await serve(FINE, { concurrency: 1, retryDelayMs: 20_000 });
    server.faults.push("silence");
    const asking = new AbortController();
    const waiting = new AbortController();
    const first = client.post("/x", {}, { signal: asking.signal });
    const second = client.post("/x", {}, { signal: waiting.signal });
    waiting.abort(new Error("no place"));
    await expect(second).rejects.toThrow("no place");
    await faultsUsed(server);
    asking.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    server.faults.push({ status: 503, body: {} });
    const retrying = new AbortController();
    const third = client.post("/x", {}, { signal: retrying.signal });
    await faultsUsed(server);
    await sleep(20);
    retrying.abort(new Error("no retry"));
    await expect(third).rejects.toThrow("no retry");
    expect(await client.post("/x", {})).toMatchObject({ ok: true });
    await expect(client.get("/x", { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow(
      "before",
    );
  });

  it("ends what is under way when closed, and asks no more", async () => {
    const { server, client } = await serve(FINE);
    server.faults.push("silence");
    const under = client.post("/x", {});
    await faultsUsed(server);
    await Promise.all([expect(under).rejects.toMatchObject({ _tag: "UsageError" }), client.close()]);
    await expect(client.get("/x")).rejects.toMatchObject({ _tag: "UsageError" });
  });

  it("sends the key and further headers", async () => {
    const { server, client } = await serve(FINE, { apiKey: "k", headers: { "x-team": "rl" } });
    await client.get("/x");
    expect(server.asked[0]!.headers).toMatchObject({ authorization: "Bearer k", "x-team": "rl" });
  });
});

describe("options", () => {
  it("takes credentials, model and /v1 out of the URL", () => {
    const resolved = resolveOptions(CREDENTIALS, {});
    expect(resolved).toMatchObject({ base: "http://localhost:8000", model: "a/b" });
    expect(Buffer.from(resolved.headers.authorization!.slice(6), "base64").toString()).toBe("ann:se@cret");
  });

  it.each([
    [{ topK: -1 }, /topK must be a whole number at least 0, not -1/],
    [{ timeoutMs: 300_001 }, /timeoutMs .* between 1 and 300000, not 300001/],
    [{ concurrency: 0 }, /concurrency .* not 0/],
    [{ maxResponseBytes: 2 ** 30 }, /maxResponseBytes .* not 1073741824/],
  ])("refuses %o", (options, message) => {
    expect(() => resolveOptions("http://localhost", options)).toThrow(message);
  });

  it.each(["localhost:8000", "ftp://localhost", ""])("refuses the URL %o", (url) => {
    expect(() => resolveOptions(url, {})).toThrow(/is not a server URL/);
  });
});

describe("waiting", () => {
  it("doubles, with jitter, up to 30 s", () => {
    expect([0, 1, 2].map((attempt) => backoffMs(attempt, 100, () => 1))).toEqual([100, 200, 400]);
    expect(backoffMs(0, 100, () => 0)).toBe(50);
    expect(backoffMs(20, 100, () => 1)).toBe(30_000);
  });

  it("reads Retry-After as seconds or as a date", () => {
    const now = Date.UTC(2026, 0, 1);
    expect(retryAfterMs("2", now)).toBe(2000);
    expect(retryAfterMs("Thu, 01 Jan 2026 00:00:05 GMT", now)).toBe(5000);
    expect([null, "", "soon"].map((header) => retryAfterMs(header, now))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("bodies", () => {
  it("reads Python's NaN and Infinity outside of strings", () => {
    expect(parseJson('{"a": [NaN, -Infinity, Infinity], "b": "NaN \\" NaN"}')).toEqual({
      ok: true,
      json: { a: ["NaN", "-Infinity", "Infinity"], b: 'NaN " NaN' },
    });
    expect(parseJson('{"a": NaN, "b"')).toEqual({ ok: false, looksCutOff: true });
    expect(parseJson("<html>")).toEqual({ ok: false, looksCutOff: false });
  });

  it.each([
    ['{"error": {"message": "too long"}}', "too long"],
    ['{"object": "error", "message": "too  long"}', "too long"],
    ['{"detail": "Not Found"}', "Not Found"],
    ['{"detail": [{"loc": ["body", "prompt"], "msg": "Field required"}]}', "prompt: Field required"],
    ['{"error": "no"}', "no"],
    ["Internal Server Error", "Internal Server Error"],
  ])("finds the message in %s", (body, words) => {
    expect(serverWords(body)).toBe(words);
  });
});
