import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../../../core/base/errors.ts";
import { Events } from "../../viewer/server/events.ts";
import { DataStore } from "../store/data-store.ts";
import { type AppParts, createApp } from "./app.ts";
import { IngestGate } from "./ingest-gate.ts";
import { Histogram, RequestCounts } from "./metrics.ts";
import { Viewers } from "./viewers.ts";

const TOKEN = "0123456789abcdef";
const HOST = "127.0.0.1:8270";
const GOOD = { host: HOST, authorization: `Bearer ${TOKEN}` };
let directory: string;
let parts: AppParts;
const errors: unknown[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "logratio-serve-app-"));
  errors.length = 0;
  parts = {
    store: await DataStore.open(directory, { onNotice: () => {}, onChange: () => {} }),
    events: new Events(),
    viewers: new Viewers([]),
    gate: new IngestGate(1 << 20),
    requests: new RequestCounts(),
    ...{ requestTime: new Histogram(), syncTime: new Histogram(), sealTime: new Histogram() },
    state: { received: 0, removed: 0, port: 8270, isDraining: false },
  };
});

afterEach(async () => {
  await parts.viewers.close();
  await parts.store.close(AbortSignal.abort());
  await rm(directory, { recursive: true });
});

async function ask(path: string, headers: Record<string, string>, store = parts.store) {
  const onError = (error: unknown) => errors.push(error);
  const app = createApp({ token: TOKEN, onError }, { ...parts, store }, new Map());
  const response = await app.request(`http://${HOST}${path}`, { headers }, { incoming: { url: path } });
  return [response.status, await response.text()] as const;
}

describe("the routes of serve", () => {
  test("answer health checks without a token and under any host name", async () => {
    expect(await ask("/healthz", { host: "pod-7.cluster" })).toEqual([200, "ok\n"]);
    expect(await ask("/readyz", { host: "pod-7.cluster" })).toEqual([200, "ready\n"]);
    parts.state.isDraining = true;
    expect((await ask("/readyz", {}))[0]).toBe(503);
    expect((await ask("/healthz", {}))[0]).toBe(200);
  });

  test("refuse an unknown host name and a request without the token", async () => {
    expect((await ask("/metrics", GOOD))[0]).toBe(200);
    expect((await ask("/metrics", { ...GOOD, host: "evil.example" }))[0]).toBe(421);
    const [status, text] = await ask("/metrics", { host: HOST });
    expect(status).toBe(401);
    expect(text).toContain("a token is required: Authorization: Bearer");
    expect((await ask("/metrics", { ...GOOD, authorization: "Bearer 0123456789abcdeX" }))[0]).toBe(401);
  });

  test("count received bytes and removed runs in the metrics", async () => {
    parts.state.received = 1234;
    parts.state.removed = 56;
    const [, text] = await ask("/metrics", GOOD);
    expect(text).toMatch(/^logratio_\w*bytes\w* 1234$/m);
    expect(text).toMatch(/^logratio_\w*removed\w* 56$/m);
  });

  test("say when nothing can be added to the record, and when batches of some runs cannot", async () => {
    const says =
      "3 batches cannot be added to the record since 1970-01-01T00:00:00.000Z, and wait in the log: the server's terminal says why\n";
    const standstill = { run: "secret", batches: 3, isPartial: false, since: 0, reason: "the disk is full" };
    const stuck = new Proxy(parts.store, {
      get: (store, name) => (name === "standstill" ? standstill : Reflect.get(store, name, store)),
    });
    expect((await ask("/readyz", {}, stuck)).slice(0, 2)).toEqual([503, says]);
    standstill.isPartial = true;
    expect((await ask("/readyz", {}, stuck)).slice(0, 2)).toEqual([200, `ready, but ${says}`]);
  });

  test("redirect to runs only, and to no other place", async () => {
    for (const path of ["%2F%2Fevil.example", "https:evil.example", "a%0d%0ax: y", "nothing"]) {
      const [status, text] = await ask(`/runs/${path}`, GOOD);
      expect([path, status, text.split("\n")]).toEqual([path, 404, [expect.stringContaining("no run"), ""]]);
    }
    expect(errors).toEqual([]);
  });

  test("start no viewer for a page of another site", async () => {
    const known = new Proxy(parts.store, {
      get: (store, name) => (name === "has" ? () => true : Reflect.get(store, name, store)),
    });
    const ofOther = { ...GOOD, "sec-fetch-site": "cross-site" };
    const foreign = [
      ofOther,
      { ...ofOther, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
      { ...ofOther, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
      { ...ofOther, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-purpose": "prefetch" },
    ];
    for (const headers of foreign) expect((await ask("/runs/x/", headers, known))[0]).toBe(403);
    expect(parts.viewers.size).toBe(0);
  });

  test("say what is not there, and what failed", async () => {
    const [status, text] = await ask("/nothing", GOOD);
    expect([status, text.includes("there is nothing at /nothing")]).toEqual([404, true]);
    const fail = (error: Error) =>
      new Proxy(parts.store, {
        get: () => () => {
          throw error;
        },
      });
    const told = await ask("/api/run", GOOD, fail(new UsageError("the disk is full")));
    expect([told[0], told[1].includes("the disk is full")]).toEqual([503, true]);
    const bug = await ask("/api/run", GOOD, fail(new TypeError("x is undefined")));
    expect([bug[0], bug[1].includes("see the terminal"), bug[1].includes("x is undefined")]).toEqual([
      500,
      true,
      false,
    ]);
    const full = Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC", path: "/data/x" });
    const disk = await ask("/api/run", GOOD, fail(full));
    expect([disk[0], disk[1]]).toEqual([503, expect.stringContaining("the disk is full (ENOSPC)")]);
    expect(errors).toHaveLength(3);
    expect(errors[2]).toMatchObject({ _tag: "FileSystemError" });
  });
});
