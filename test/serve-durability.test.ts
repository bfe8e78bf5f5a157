/**
 * kill -9 of `logratio serve` while writers write: every acknowledged batch is in the record exactly once, whatever the
 * moment. `npm run bench -- serve` does the same with 64 writers and twenty kills.
 */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import {
  makeBatch,
  putBatch,
  type RunningServe,
  startServe,
  writeBatches,
} from "../bench/support/serve-load.mjs";
import { openRun } from "../src/ingest/open-run.ts";
import { requireBuild } from "./support/run-cli.ts";

let dir: string;
const servers: RunningServe[] = [];
beforeAll(requireBuild);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "serve-"));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

async function start(words: readonly string[] = []): Promise<RunningServe> {
  const server = await startServe(join(dir, "data"), words);
  servers.push(server);
  return server;
}

/** How often each batch is in the record of a run. */
async function countBatches(run: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const opened = await openRun([join(dir, "data", run)]);
  for await (const batch of opened.batches()) {
    for (const id of batch.sampleIds) {
      const [, key, row] = /^(.*)\.(\d+)$/.exec(id!)!;
      if (row === "0") counts.set(key!, (counts.get(key!) ?? 0) + 1);
    }
  }
  return counts;
}

it("keeps what it acknowledged, once, through kills at random times", { timeout: 300_000 }, async () => {
  const [writers, kills] = [8, 4];
  let server = await start();
  let isOver = false;
  let acks = 0;
  const writing = Array.from({ length: writers }, (_, rank) =>
    writeBatches({
      urlOf: () => server.url,
      rank,
      batches: 10_000,
      isOver: () => isOver,
      onAck: () => acks++,
    }),
  );
  for (let kill = 0; kill < kills; kill++) {
    const before = acks;
    while (acks === before) await sleep(5);
    await sleep(Math.random() * 1500);
    await server.stop("SIGKILL");
    server = await start();
  }
  const before = acks;
  while (acks < before + writers) await sleep(5);
  isOver = true;
  const acknowledged = (await Promise.all(writing)).flatMap((one) => one.acknowledged);
  expect(await server.stop("SIGTERM")).toBe(0);
  const counts = await countBatches("run");
  expect(acknowledged.filter((key) => counts.get(key) !== 1)).toEqual([]);
  expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
  // Batches that were sent but never acknowledged may be there: one per writer at each end.
  expect(counts.size - acknowledged.length).toBeLessThanOrEqual(writers);
  expect(readdirSync(join(dir, "data/run/.serve")).filter((name) => name.endsWith(".log"))).toEqual([]);
});

/** Keeps batches in the log: the record gets them at the end, or at the next start. */
const IN_LOG = ["--gather", "3600"];

it("sets a torn end of its log aside, and says so", async () => {
  const first = await start(IN_LOG);
  const bodies = [0, 1, 2].map((step) => makeBatch({ step }));
  for (const [step, body] of bodies.entries())
    expect((await putBatch(first.url, { step }, body)).status).toBe(201);
  await first.stop("SIGKILL");
  const log = join(dir, "data/run/.serve/00000001.log");
  truncateSync(log, statSync(log).size - 100);
  const second = await start(IN_LOG);
  for (const [step, body] of bodies.entries())
    expect((await putBatch(second.url, { step }, body)).status).toBe(step === 2 ? 201 : 200);
  expect(await second.stop()).toBe(0);
  expect([...(await countBatches("run"))]).toEqual([
    ["0.0.0", 1],
    ["1.0.0", 1],
    ["2.0.0", 1],
  ]);
  expect(second.messages()).toMatch(
    /run: 00000001\.log ends within the batch of step 2, rank 0, call 0, after .* of .*: its write was interrupted before it was acknowledged, unless something shortened the file; kept in .*refused/,
  );
  expect(readdirSync(join(dir, "data/run/.serve/refused"))).toHaveLength(2);
});

it("keeps the batches around a damaged one", async () => {
  const first = await start(IN_LOG);
  for (const step of [0, 1, 2]) await putBatch(first.url, { step }, makeBatch({ step }));
  await first.stop("SIGKILL");
  const log = join(dir, "data/run/.serve/00000001.log");
  const raw = readFileSync(log);
  raw[40]! ^= 1;
  writeFileSync(log, raw);
  const second = await start(IN_LOG);
  expect(await second.stop()).toBe(0);
  expect([...(await countBatches("run"))]).toEqual([
    ["1.0.0", 1],
    ["2.0.0", 1],
  ]);
  expect(second.messages()).not.toMatch(/never acknowledged/);
});

it("does again what a kill left half done, and nothing twice", async () => {
  const first = await start(IN_LOG);
  const body = makeBatch({ step: 5 });
  await putBatch(first.url, { step: 5 }, body);
  await first.stop("SIGKILL");
  const folder = join(dir, "data/run");
  // As if it had been killed while putting the segment's parts in place.
  writeFileSync(join(folder, "part-00000001-1.parquet"), "left behind");
  // And again after that, before the segment is removed.
  const segment = readFileSync(join(folder, ".serve/00000001.log"));
  const second = await start(IN_LOG);
  expect((await putBatch(second.url, { step: 5 }, body)).status).toBe(200);
  expect(await second.stop()).toBe(0);
  expect([...(await countBatches("run"))]).toEqual([["5.0.0", 1]]);
  writeFileSync(join(folder, ".serve/00000001.log"), segment);
  const third = await start(IN_LOG);
  expect((await putBatch(third.url, { step: 5 }, body)).status).toBe(200);
  expect(await third.stop()).toBe(0);
  expect([...(await countBatches("run"))]).toEqual([["5.0.0", 1]]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".parquet"))).toEqual(["part-00000001.parquet"]);
  expect(JSON.parse(readFileSync(join(folder, ".serve/figures.json"), "utf8"))).toMatchObject({
    sequences: 2,
    first_step: 5,
    last_step: 5,
  });
});

it("lets one server have a directory", async () => {
  const first = await start();
  await expect(startServe(join(dir, "data"))).rejects.toThrow(/is already served by process \d+/);
  await first.stop("SIGKILL");
  // The lock of a process that no longer exists does not count.
  const second = await start();
  expect(await second.stop()).toBe(0);
});
