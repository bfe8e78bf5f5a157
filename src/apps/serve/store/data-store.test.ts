import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeBatch } from "../../../../bench/support/serve-load.mjs";
import { openRun } from "../../../ingest/open-run.ts";
import { runPlaces } from "../../../input/batch-log/places/index.ts";
import { DataStore } from "./data-store.ts";
import { applyRetention } from "./retention.ts";
import type { Accepted } from "./run-store.ts";

let directory: string;
let notices: string[];
const stores: DataStore[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "data-store-"));
  notices = [];
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close(AbortSignal.abort());
  await rm(directory, { recursive: true });
});

async function open(): Promise<DataStore> {
  const store = await DataStore.open(directory, {
    ...{ segmentAgeMs: 3_600_000, onNotice: (message) => notices.push(message), onChange: () => {} },
  });
  stores.push(store);
  return store;
}

interface Sent {
  readonly run?: string;
  readonly step?: number;
  readonly call?: number;
  /** Other bytes for each. */
  readonly salt?: number;
}

function send(store: DataStore, { run = "run", step = 5, call = 0, salt = 0 }: Sent): Promise<Accepted> {
  const body = makeBatch({ step, salt });
  const sha256 = createHash("sha256").update(body).digest("hex");
  return store.accept(run, { key: { step, rank: 0, call }, sha256, body: [body], bytes: body.length });
}

async function countSequences(run = "run"): Promise<number> {
  let sequences = 0;
  for await (const batch of (await openRun([join(directory, run)])).batches()) sequences += batch.length;
  return sequences;
}

describe("a batch of a resumed run", () => {
  it("is stored once, although its recorder was not told under which call", async () => {
    const store = await open();
    const [a, b] = [{ salt: 1 }, { salt: 2 }];
    expect(await send(store, a)).toEqual({ outcome: "stored", call: 0 });
    expect(await send(store, b)).toEqual({ outcome: "conflict", nextCall: 1 });
    expect(await send(store, { ...b, call: 1 })).toEqual({ outcome: "stored", call: 1 });
    // The answer was lost: the recorder begins again.
    expect(await send(store, b)).toEqual({ outcome: "known", call: 1 });
    expect(await store.close()).toEqual([]);
    const again = await open();
    expect(await send(again, b)).toEqual({ outcome: "known", call: 1 });
    expect(await send(again, { ...b, step: 6 })).toEqual({ outcome: "stored", call: 0 });
    expect(await again.close()).toEqual([]);
    expect(await countSequences()).toBe(6);
  });

  it("is known while it is being written under another call", async () => {
    const store = await open();
    await send(store, { salt: 1 });
    const writing = send(store, { salt: 2, call: 1 });
    expect(await send(store, { salt: 2 })).toEqual({ outcome: "known", call: 1 });
    expect(await writing).toEqual({ outcome: "stored", call: 1 });
  });
});

describe("a damaged log", () => {
  it("costs the damaged batch only, which is stored when it is sent again", async () => {
    const store = await open();
    for (const step of [1, 2, 3]) await send(store, { step });
    // Killed before anything is sealed.
    const { own } = runPlaces(join(directory, "run"));
    const log = join(own, "00000001.log");
    const raw = await readFile(log);
    await store.close();
    await rm(join(directory, "run"), { recursive: true });
    await mkdir(own, { recursive: true });
    raw[40]! ^= 1;
    await writeFile(log, raw);
    const again = await open();
    expect((await send(again, { step: 1 })).outcome).toBe("stored");
    expect((await send(again, { step: 3 })).outcome).toBe("known");
    expect(await again.close()).toEqual([]);
    expect(await countSequences()).toBe(6);
    expect(notices).toEqual([
      expect.stringMatching(
        /^run: .* of 00000001\.log from byte 0 on are not a batch any more; they may have been acknowledged; kept in .*refused$/,
      ),
    ]);
  });
});

describe("a run that cannot be opened", () => {
  it("is reported on one line, and the others are served", async () => {
    const name = "a\nwarning: /data/secret: 12 batches cannot be read\nb\u202e";
    const store = await open();
    for (const run of [name, "sound"]) await send(store, { run });
    await store.close();
    const folder = (await readdir(directory)).find((entry) => entry.startsWith("a~"))!;
    await rm(runPlaces(join(directory, folder)).keys);
    await mkdir(runPlaces(join(directory, folder)).keys);
    await writeFile(join(runPlaces(join(directory, folder)).own, "00000002.log"), "x");
    const again = await open();
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(
      /^a\\nwarning: \/data\/secret: 12 batches cannot be read\\nb\\u202e: the run cannot be opened; this is tried again: /,
    );
    expect((await send(again, { run: "sound", step: 6 })).outcome).toBe("stored");
    await expect(send(again, { run: name, step: 6 })).rejects.toMatchObject({ code: "EISDIR" });
  });
});

it("sums the parts of a run whose figures are missing", async () => {
  const store = await open();
  await send(store, {});
  await store.close();
  const { figures, summary } = runPlaces(join(directory, "run"));
  await rm(figures);
  await rm(summary);
  const again = await open();
  expect(await again.close()).toEqual([]);
  expect(again.list()).toMatchObject([{ name: "run", sequences: 2, first_step: 5 }]);
});

describe("removing runs", () => {
  it("finishes what a kill interrupted, and removes a run of the same name later", async () => {
    await mkdir(join(directory, ".removed-old"));
    await writeFile(join(directory, ".removed-old", "part-00000001.parquet"), "left behind");
    const store = await open();
    expect(await readdir(directory)).toEqual([".serve.lock"]);
    await send(store, { run: "old" });
    await store.close();
    const again = await open();
    await mkdir(join(directory, ".removed-old"));
    await writeFile(join(directory, ".removed-old", "part-00000001.parquet"), "left behind");
    await again.remove("old");
    expect(await readdir(directory)).toEqual([".serve.lock"]);
  });

  it("goes on with the others where one cannot be removed", async () => {
    const store = await open();
    for (const run of ["a", "b", "c"]) await send(store, { run });
    await store.close();
    const past = new Date(Date.now() - 3_600_000);
    for (const run of ["a", "b", "c"])
      for (const path of [join(directory, run), runPlaces(join(directory, run)).keys])
        await utimes(path, past, past);
    const again = await open();
    const remove = again.remove.bind(again);
    again.remove = (folder) => (folder === "b" ? Promise.reject(new Error("it is busy")) : remove(folder));
    const failures: unknown[] = [];
    const { removed } = await applyRetention(
      again,
      { ageMs: 1000 },
      { onFailed: (error) => failures.push(error) },
    );
    expect(removed.map(({ name }) => name).sort()).toEqual(["a", "c"]);
    expect(failures).toEqual([new Error("it is busy")]);
  });

  it("waits for no batch: a run that one arrives for is not removed", async () => {
    const store = await open();
    const arriving = send(store, { run: "busy" });
    await new Promise((resolve) => setImmediate(resolve));
    await expect(store.remove("busy")).rejects.toThrow(/batches of the run are arriving/);
    expect((await arriving).outcome).toBe("stored");
  });
});
