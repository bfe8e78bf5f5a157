/**
 * `logratio serve` under faults: recorders that send until they are acknowledged, several runs and ranks, alert rules, a
 * run that is old enough to be removed, and what a killed server left.
 *
 * @module
 */
import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { encodeBatch, makeBatch, putBatch } from "../../../bench/support/serve-load.mjs";
import {
  type Call,
  describeFault,
  type Fault,
  type Injection,
  type Started,
  startProgram,
} from "./injected.ts";
import { checkEnd, isFailedRemoval, listTemporary, openLog, type Scenario } from "./scenario.ts";

interface Sent {
  readonly run: string;
  readonly step: number;
  readonly rank: number;
  readonly body: Buffer;
}

const SEQUENCES = 2;
const STEPS = 3;
const WRITERS = [
  { run: "math", rank: 0 },
  { run: "math", rank: 1 },
  { run: "code", rank: 0 },
  { run: "killed", rank: 0 },
];
/** Batches of each writer, in sending order. */
const BATCHES: readonly (readonly Sent[])[] = WRITERS.map(({ run, rank }) =>
  Array.from({ length: STEPS }, (_, step) => ({ run, rank, step, body: makeBody(step, rank) })),
);
/** After this many refusals a recorder moves on to its other batches; the refused ones return in the next session. */
const MOST_REFUSALS = 6;

const RULES = `version: 1
rules:
  - {name: there are tokens, when: tokens > 0}
`;

/** The second batch of rank 1 has different columns, so that a segment becomes several parts of the record. */
function makeBody(step: number, rank: number): Buffer {
  const body = makeBatch({ step, rank, sequences: SEQUENCES, salt: rank });
  if (rank === 0 || step !== 1) return body;
  const { columns, metadata } = readBatch(body);
  columns.delete("response_token_ids");
  return encodeBatch(
    Object.fromEntries([...columns].map(([name, column]) => [name, [column.dtype, readValues(column)]])),
    metadata,
  );
}

function readValues({ dtype, bytes }: Column): BigInt64Array | Float32Array | Buffer {
  const copy = new Uint8Array(bytes).buffer;
  if (dtype === "I64") return new BigInt64Array(copy);
  return dtype === "F32" ? new Float32Array(copy) : Buffer.from(copy);
}

interface Column {
  readonly dtype: string;
  readonly bytes: Buffer;
}

function readBatch(body: Buffer): { columns: Map<string, Column>; metadata: Record<string, string> } {
  const start = 8 + Number(body.readBigUInt64LE(0));
  const { __metadata__: metadata, ...header } = JSON.parse(body.toString("utf8", 8, start));
  const columns = Object.entries(header as Record<string, { dtype: string; data_offsets: [number, number] }>);
  return {
    metadata,
    columns: new Map(
      columns.map(
        ([
          name,
          {
            dtype,
            data_offsets: [from, to],
          },
        ]) => [name, { dtype, bytes: body.subarray(start + from, start + to) }],
      ),
    ),
  };
}

const LAUNCH = "0123456789abcdef".repeat(2);

/** What a killed server had acknowledged: it is in the log of the run "killed". */
const LOGGED = BATCHES.flat().filter(({ run, step }) => run === "killed" && step < STEPS - 1);

const nameBatch = ({ run, step, rank }: Sent): string => `${run} ${step}.${rank}.0`;

export class ServeScenario implements Scenario {
  readonly name = "serve";
  #folder = "";
  #trials = 0;

  async prepare(folder: string): Promise<readonly Call[]> {
    this.#folder = realpathSync(folder);
    writeFileSync(join(this.#folder, "rules.yaml"), RULES);
    await this.#makeSeed();
    const directory = this.#makeDirectory("whole");
    const started = this.#start(directory, {
      below: [join(directory, "data")],
      log: join(this.#folder, "calls"),
    });
    const acknowledged = new Set(LOGGED.map(nameBatch));
    await this.#record(started, acknowledged, "undisturbed");
    started.child.kill("SIGTERM");
    const { err, ...ended } = await started.ended;
    expect(ended, err).toMatchObject({ status: 0 });
    await this.#checkRecord(directory, acknowledged, err);
    return started.noted();
  }

  /** What each server finds: a run old enough to be removed, and everything that a killed server can leave. */
  async #makeSeed(): Promise<void> {
    const directory = join(this.#folder, "seed");
    const data = join(directory, "data");
    mkdirSync(directory);
    const first = startProgram(directory, ["serve", "data", "--port", "0"]);
    await putBatch(await untilListening(first), { run: "old", step: 0 }, makeBatch({ step: 0 }));
    first.child.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ status: 0 });
    const second = startProgram(directory, ["serve", "data", "--port", "0", "--gather", "3600"]);
    const url = await untilListening(second);
    for (const batch of LOGGED) expect((await putBatch(url, batch, batch.body)).status).toBe(201);
    second.child.kill("SIGKILL");
    await second.ended;
    const run = join(data, "killed");
    const [log] = readdirSync(join(run, ".serve")).filter((name) => name.endsWith(".log"));
    // It was killed while it wrote a batch, while it made a part of the record, and while it removed a run.
    appendFileSync(join(run, ".serve", log!), "LRF1 and no more");
    writeFileSync(join(run, log!.replace(/^(.*)\.log$/, "part-$1.parquet")), "PAR1 and no more");
    writeFileSync(join(run, ".serve/merging-1.safetensors"), "half of it");
    mkdirSync(join(run, ".serve/trial/.serve"), { recursive: true });
    // It was killed while it took the lock.
    cpSync(join(data, ".serve.lock"), join(data, ".serve.lock.0.tmp"));
    mkdirSync(join(data, ".removed-code"));
    writeFileSync(join(data, ".removed-code/part-00000001.parquet"), "PAR1");
    expect(existsSync(join(data, ".serve.lock"))).toBe(true);
  }

  #makeDirectory(name: string): string {
    const directory = join(this.#folder, name);
    mkdirSync(directory);
    cpSync(join(this.#folder, "seed/data"), join(directory, "data"), { recursive: true });
    const before = new Date(Date.now() - 3 * 86_400_000);
    const run = join(directory, "data/old");
    for (const path of [join(run, ".serve/keys"), join(run, ".serve"), run]) utimesSync(path, before, before);
    return directory;
  }

  #start(directory: string, injection?: Injection): Started {
    const words = ["--port", "0", "--gather", "0.1", "--keep-days", "1", "--alerts", "../rules.yaml"];
    return startProgram(directory, ["serve", "data", ...words], injection, {
      LOGRATIO_TOKEN: "",
      XDG_CACHE_HOME: join(directory, "cache"),
    });
  }

  async check(faults: readonly Fault[]): Promise<void> {
    const directory = this.#makeDirectory(`trial-${this.#trials++}`);
    const log = openLog(directory);
    const told: string[] = [];
    const acknowledged = new Set(LOGGED.map(nameBatch));
    let mayLeave = false;
    for (const fault of faults) {
      const started = this.#start(directory, { below: [join(directory, "data")], log, fault });
      const isServing = await this.#record(started, acknowledged, told.join("\n then "));
      if (isServing) started.child.kill("SIGTERM");
      const ended = await started.ended;
      const [hit] = started.noted();
      told.push(`serve: ${describeFault(fault, hit)}\n${ended.err}`);
      checkEnd(ended, fault, hit, told.join("\n then "));
      mayLeave ||= isFailedRemoval(fault, hit);
    }
    const started = this.#start(directory);
    const isServing = await this.#record(started, acknowledged, told.join("\n then "));
    const message = (): string => `${told.join("\n then ")}\n then undisturbed: ${started.err()}`;
    expect(isServing, message()).toBe(true);
    started.child.kill("SIGTERM");
    expect((await started.ended).status, message()).toBe(0);
    await this.#checkRecord(directory, acknowledged, message(), mayLeave);
    rmSync(directory, { recursive: true });
    rmSync(log, { force: true });
  }

  /**
   * Runs all recorders at once, each sending its batches until they are acknowledged; batches acknowledged before are
   * sent again, as by a recorder that did not receive the acknowledgment.
   *
   * @returns whether the server is still running
   */
  async #record(started: Started, acknowledged: Set<string>, message: string): Promise<boolean> {
    const before = new Set(acknowledged);
    const url = await untilListening(started).catch(() => undefined);
    if (url === undefined) return false;
    const isGone = (): boolean => started.child.exitCode !== null || started.child.signalCode !== null;
    const send = async (batch: Sent): Promise<void> => {
      for (let refusals = 0; refusals < MOST_REFUSALS && !isGone(); ) {
        // A run begun by another launch would be left alone.
        const launch = batch.run === "killed" ? undefined : LAUNCH;
        const reply = await putBatch(url, { ...batch, launch }, batch.body).catch(() => undefined);
        if (reply === undefined) {
          await sleep(5);
          continue;
        }
        if (reply.status === 200 || reply.status === 201) {
          if (before.has(nameBatch(batch)))
            expect(reply.status, `${message}\n${nameBatch(batch)} was forgotten`).toBe(200);
          acknowledged.add(nameBatch(batch));
          return;
        }
        expect(reply.status, `${message}\n${reply.text}`).toBeOneOf([429, 500, 503, 507]);
        refusals++;
        await sleep(20);
      }
    };
    await Promise.all(
      BATCHES.map(async (batches) => {
        for (const batch of batches) {
          await send(batch);
          // Puts the next batch into the next segment.
          await sleep(150);
        }
      }),
    );
    return !isGone();
  }

  /** Every acknowledged batch is in the record once, bit for bit, and the list of runs counts the same. */
  async #checkRecord(
    directory: string,
    acknowledged: ReadonlySet<string>,
    message: string,
    mayLeave = false,
  ): Promise<void> {
    const data = join(directory, "data");
    const all = BATCHES.flat();
    const wanted = all.map(nameBatch).filter((name) => acknowledged.has(name));
    expect(wanted.length, `${message}\nnot all batches were acknowledged`).toBe(all.length);
    const runs = [...new Set(all.map((batch) => batch.run))];
    const records = await readRecords(runs.map((run) => join(data, run)));
    for (const [at, run] of runs.entries()) {
      const sent = all.filter((batch) => batch.run === run);
      expect(records[at], message).toEqual(expectedRecord(sent));
      const figures = JSON.parse(readFileSync(join(data, run, ".serve/figures.json"), "utf8")) as object;
      expect(figures, message).toMatchObject({
        sequences: SEQUENCES * sent.length,
        first_step: 0,
        last_step: STEPS - 1,
      });
      const { alerts } = JSON.parse(readFileSync(join(data, run, ".serve/alerts.json"), "utf8")) as {
        alerts: object[];
      };
      expect(alerts, message).toHaveLength(1);
    }
    const left = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.log$|merging|trial|\.serve\.lock$|\.removed/.test(name),
    );
    if (!mayLeave) expect([...left, ...listTemporary(data)], message).toEqual([]);
    expect(existsSync(join(data, "old")), message).toBe(false);
  }
}

/** The server's address. @throws if it ends before it listens */
async function untilListening(started: Started): Promise<string> {
  for (;;) {
    const url = /^(http:\S+)\/$/m.exec(started.out())?.[1];
    if (url !== undefined) return url;
    if (started.child.exitCode !== null || started.child.signalCode !== null)
      throw new Error(`serve ended: ${started.err()}`);
    await sleep(10);
  }
}

type Row = readonly [id: string, rollout: readonly number[], trainer: readonly number[]];

const READ = fileURLToPath(new URL("read-record.mjs", import.meta.url));

/** Rows of each record by name; a duplicate is listed twice. */
async function readRecords(folders: readonly string[]): Promise<Row[][]> {
  const { stdout } = await promisify(execFile)(process.execPath, [READ, ...folders]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row[]);
}

function expectedRecord(sent: readonly Sent[]): Row[] {
  const rows = sent.flatMap(({ step, rank, body }) => {
    const { columns } = readBatch(body);
    const floats = (name: string): number[] => [...(readValues(columns.get(name)!) as Float32Array)];
    const [rollout, trainer] = [floats("rollout_logprobs"), floats("trainer_logprobs")];
    const tokens = rollout.length / SEQUENCES;
    return Array.from(
      { length: SEQUENCES },
      (_, row): Row => [
        `${step}.${rank}.0.${row}`,
        rollout.slice(row * tokens, (row + 1) * tokens),
        trainer.slice(row * tokens, (row + 1) * tokens),
      ],
    );
  });
  return rows.sort(([a], [b]) => (a < b ? -1 : 1));
}
