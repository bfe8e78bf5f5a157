// `logratio serve` under load: 64 writers, then the same with twenty kills, then large batches, and what the parts of
// that work cost in plain Node. Writers and server share the machine; loopback only.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatTable, median } from "./support/rounds.mjs";
import { makeBatch, putBatch, startReceiver, startServe, writeBatches } from "./support/serve-load.mjs";

const WRITERS = 64;
const BATCHES = 100_000;
const KILLS = 20;
/** The longest that the load runs, so that a slow machine finishes, too. */
const LOAD_MS = 60_000;
const SHAPE = { sequences: 2, tokens: 16 };
/** Three columns, 12 bytes per token: 32 MB. */
const LARGE = { sequences: 64, tokens: 41_600 };

export async function run({ quick, rounds = quick ? 5 : 10 }) {
  const told = (what) => console.log(`  ${what}`);
  const load = await measureLoad(quick ? BATCHES / 50 : BATCHES);
  told(
    `${count(load.batches)} batches in ${load.seconds.toFixed(0)} s, in the record ${load.sealed.toFixed(1)} s later`,
  );
  const kills = await measureKills(quick ? 3 : KILLS, quick ? BATCHES / 50 : BATCHES);
  told(`${kills.kills} kills`);
  const large = await measureLarge(rounds);
  const table = [
    ["", "median", "p99", "max"],
    [`${WRITERS} writers: milliseconds to an acknowledgment`, ...quantiles(load.latencies)],
    [`${WRITERS} writers and kills: milliseconds to an acknowledgment`, ...quantiles(kills.latencies)],
    ["restart after a kill, milliseconds to listening", ...quantiles(kills.restarts)],
    [`one batch of ${(large.bytes / 1e6).toFixed(1)} MB, milliseconds`, ...quantiles(large.times)],
    ["- the transfer alone: a plain Node server that drops it", ...quantiles(large.floor.transfer)],
    ["- SHA-256 of it alone", ...quantiles(large.floor.digest)],
    ["- write and fdatasync of it alone", ...quantiles(large.floor.write)],
  ];
  console.log(formatTable(table));
  const notes = [
    `${count(load.batches)} batches of ${load.bytes} bytes in ${load.seconds.toFixed(0)} s: ${count(load.batches / load.seconds)} per second; ${load.refused} answers with 429; the server took ${count(load.peak / 1e6)} MB at most`,
    `all of them were in the record ${load.sealed.toFixed(1)} s after the last acknowledgment`,
    `${kills.kills} kills (SIGKILL) at random times: ${count(kills.acknowledged)} batches acknowledged, ${kills.lost} of them lost, ${kills.twice} in the record twice`,
    `32 MB: ${(large.bytes / 1e6 / (median(large.times) / 1000)).toFixed(0)} MB/s from the request's first byte to the acknowledgment`,
  ];
  for (const note of notes) console.log(note);
  return { caption: `${WRITERS} writers, each waiting for its acknowledgment`, table, notes };
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "bench-serve-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measureLoad(batches) {
  return inFolder(async (folder) => {
    const server = await startServe(folder);
    const until = performance.now() + LOAD_MS;
    const from = performance.now();
    const written = await Promise.all(
      Array.from({ length: WRITERS }, (_, rank) =>
        writeBatches({
          urlOf: () => server.url,
          rank,
          batches: Math.ceil(batches / WRITERS),
          shape: SHAPE,
          isOver: () => performance.now() > until,
        }),
      ),
    );
    const seconds = (performance.now() - from) / 1000;
    const peak = readPeak(server.pid);
    const stored = written.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    const waited = performance.now();
    while ((await (await fetch(`${server.url}/api/run`)).json()).runs[0].sequences < stored * SHAPE.sequences)
      await sleep(100);
    const sealed = (performance.now() - waited) / 1000;
    await server.stop();
    return {
      ...{ seconds, peak, sealed, batches: stored, bytes: makeBatch({ step: 1000, ...SHAPE }).length },
      latencies: written.flatMap(({ latencies }) => latencies),
      refused: written.reduce((sum, { refused }) => sum + refused, 0),
    };
  });
}

/** Writers continue until there were this many batches and kills. */
function measureKills(kills, batches) {
  return inFolder(async (folder) => {
    let server = await startServe(folder);
    let [isKilled, acks] = [false, 0];
    const writing = Array.from({ length: WRITERS }, (_, rank) =>
      writeBatches({
        urlOf: () => server.url,
        rank,
        batches: Number.POSITIVE_INFINITY,
        shape: SHAPE,
        isOver: () => isKilled && acks >= batches,
        onAck: () => acks++,
      }),
    );
    const restarts = [];
    for (let kill = 0; kill < kills; kill++) {
      const before = acks;
      while (acks === before) await sleep(5);
      await sleep(Math.random() * 2000);
      await server.stop("SIGKILL");
      server = await startServe(folder);
      restarts.push(server.startedIn);
    }
    isKilled = true;
    const written = await Promise.all(writing);
    const status = await server.stop("SIGTERM");
    if (status !== 0) throw new Error(`the server ended with ${status}: ${server.messages()}`);
    // The next start moves into the record what ten seconds of ending did not.
    const last = await startServe(folder);
    while (readdirSync(join(folder, "run/.serve")).some((name) => name.endsWith(".log"))) await sleep(100);
    await last.stop();
    const acknowledged = written.flatMap((one) => one.acknowledged);
    const found = await countBatches(join(folder, "run"));
    return {
      ...{ kills, restarts, acknowledged: acknowledged.length },
      latencies: written.flatMap(({ latencies }) => latencies),
      lost: acknowledged.filter((key) => !found.has(key)).length,
      twice: [...found.values()].filter((times) => times > 1).length,
    };
  });
}

/** How often each batch is in the record. */
async function countBatches(folder) {
  const { openRun } = await import(new URL("../dist/node.js", import.meta.url).href);
  const counts = new Map();
  for await (const { sampleIds } of (await openRun([folder])).batches()) {
    for (const id of sampleIds) {
      const [, key, row] = /^(.*)\.(\d+)$/.exec(id);
      if (row === "0") counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

function measureLarge(rounds) {
  return inFolder(async (folder) => {
    const server = await startServe(folder);
    const agent = new Agent({ keepAlive: true });
    const times = [];
    let bytes = 0;
    for (let step = 0; step <= rounds; step++) {
      const body = makeBatch({ step, ...LARGE });
      bytes = body.length;
      const { status, ms } = await putBatch(server.url, { step }, body, { agent });
      if (status !== 201) throw new Error(`status ${status}`);
      // The first one opens the log; between the others, batches become the record.
      if (step > 0) times.push(ms);
      await sleep(3000);
    }
    agent.destroy();
    await server.stop("SIGKILL");
    return {
      bytes,
      times,
      floor: await measureFloor(join(folder, "floor"), makeBatch({ step: 0, ...LARGE }), rounds),
    };
  });
}

/** The steps behind an acknowledgment of these bytes, one by one: no server that makes them durable can do less. */
async function measureFloor(path, body, rounds) {
  const receiver = await startReceiver();
  const agent = new Agent({ keepAlive: true });
  const file = await open(path, "w");
  const [transfer, digest, write] = [[], [], []];
  const time = async (into, work) => {
    const from = performance.now();
    await work();
    into.push(performance.now() - from);
  };
  for (let round = 0; round < rounds; round++) {
    transfer.push((await putBatch(receiver.url, { step: round }, body, { agent })).ms);
    await time(digest, () => createHash("sha256").update(body).digest());
    await time(write, async () => {
      await file.write(body, 0, body.length, round * body.length);
      await file.datasync();
    });
  }
  await file.close();
  agent.destroy();
  receiver.stop();
  return { transfer, digest, write };
}

function readPeak(pid) {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib ?? Number.NaN) * 1024;
}

function quantiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return [at(0.5), at(0.99), sorted.at(-1)].map((value) => value.toFixed(1));
}

function count(value) {
  return Math.round(value).toLocaleString("en");
}
