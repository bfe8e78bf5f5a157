/** `logratio serve --alerts`: receivers are notified about a run exactly once, whatever happens to the server. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeBatch, putBatch, type RunningServe, startServe } from "../bench/support/serve-load.mjs";
import type { Alert, AlertList } from "../src/results/alerts.ts";
import type { RunsInfo } from "../src/results/view.ts";
import { requireBuild, runCli } from "./support/run-cli.ts";

let dir: string;
let receiver: Server;
let received: Alert[];
/** The receiver's response status. */
let status: number;
const servers: RunningServe[] = [];
beforeAll(requireBuild);
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "serve-alerts-"));
  [received, status] = [[], 204];
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => {
      body += part.toString();
    });
    request.on("end", () => {
      if (status === 204) received.push(JSON.parse(body) as Alert);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop("SIGKILL");
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  rmSync(dir, { recursive: true, force: true });
});

function writeRules(): string {
  const file = join(dir, "rules.yaml");
  const { port } = receiver.address() as AddressInfo;
  writeFileSync(
    file,
    `version: 1
notify: {ops: {webhook: "http://127.0.0.1:${port}/"}}
rules:
  - {name: far off, when: per_step.delta_abs_mean > 0.8}
`,
  );
  return file;
}

async function start(...words: readonly string[]): Promise<RunningServe> {
  const server = await startServe(join(dir, "data"), words, { XDG_CACHE_HOME: join(dir, "xdg") });
  servers.push(server);
  return server;
}

async function put(server: RunningServe, run: string, step: number, drift = 0): Promise<void> {
  const body = makeBatch({ step, drift, sequences: 8, tokens: 64 });
  expect((await putBatch(server.url, { run, step }, body)).status).toBe(201);
}

async function until<T>(look: () => T | Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const found = await look();
    if (holds(found)) return found;
    if (tries > 600) throw new Error(`it never came to hold: ${JSON.stringify(found)}`);
    await sleep(100);
  }
}

async function listRuns(server: RunningServe): Promise<RunsInfo["runs"]> {
  return ((await (await fetch(`${server.url}/api/run`)).json()) as RunsInfo).runs;
}

const isOf =
  (name: string, sequences: number) =>
  (runs: RunsInfo["runs"]): boolean =>
    runs.some((run) => run.name === name && run.sequences === sequences);

describe("an event of a served run", () => {
  it("is told once with the run's name, listed, and not again after a restart", async () => {
    const rules = writeRules();
    const first = await start("--alerts", rules);
    for (const run of ["exp/7", "sound"]) for (const step of [1, 2]) await put(first, run, step);
    await until(() => listRuns(first), isOf("exp/7", 16));
    expect((await listRuns(first)).map(({ alerts, last_alert }) => [alerts, last_alert])).toEqual([
      [0, null],
      [0, null],
    ]);
    await put(first, "exp/7", 3, 1);
    await until(
      () => received,
      ({ length }) => length > 0,
    );
    const folder = join(dir, "data/exp~2F7");
    expect(received).toMatchObject([
      { rule: "far off", since: 3, run: folder, id: `${folder}:far off:step 3` },
    ]);
    expect(first.messages()).toMatch(
      /^exp\/7: alert: far off: per_step\.delta_abs_mean is 1\.\d+ at step 3 \(per_step\.delta_abs_mean > 0\.8\)$/m,
    );
    const [told] = await until(
      () => listRuns(first),
      ([run]) => run?.alerts === 1,
    );
    expect(told).toMatchObject({ name: "exp/7", last_alert: { since: 3, over: false } });
    const answer = await until(
      () => fetch(`${first.url}/runs/exp~2F7/api/alerts`),
      ({ ok }) => ok,
    );
    const shown = (await answer.json()) as AlertList;
    expect(shown).toEqual({ schemaVersion: 1, kind: "view-alerts", alerts: [told!.last_alert] });
    await put(first, "exp/7", 4, 1);
    await until(() => listRuns(first), isOf("exp/7", 32));
    expect(await first.stop()).toBe(0);

    const second = await start("--alerts", rules);
    expect((await listRuns(second)).find(({ name }) => name === "exp/7")?.last_alert?.since).toBe(3);
    await put(second, "exp/7", 5);
    await until(
      () => second.messages(),
      (messages) => /^exp\/7: over: far off/m.test(messages),
    );
    await put(second, "exp/7", 6, 1);
    await until(
      () => received,
      ({ length }) => length > 1,
    );
    expect(received.map(({ since }) => since)).toEqual([3, 6]);
    const again = (await until(() => listRuns(second), isOf("exp/7", 48)))[0];
    expect([again?.alerts, again?.last_alert?.since]).toEqual([2, 6]);
    expect(await second.stop()).toBe(0);
  });

  it("that could not be delivered is delivered by the next server, with no further batch", async () => {
    const rules = writeRules();
    status = 503;
    const first = await start("--alerts", rules);
    await put(first, "run", 1, 1);
    await until(
      () => first.messages(),
      (messages) => messages.includes("cannot deliver an alert to ops: answered with status 503"),
    );
    await first.stop("SIGKILL");
    status = 204;
    const second = await start("--alerts", rules);
    await until(
      () => received,
      ({ length }) => length > 0,
    );
    await put(second, "run", 2, 1);
    await until(() => listRuns(second), isOf("run", 16));
    expect(await second.stop()).toBe(0);
    expect(received).toHaveLength(1);
  });

  it("that a killed server had not looked for is raised by the next; a run that was not watched is left alone", async () => {
    const bare = await start();
    for (const run of ["watched", "finished"]) await put(bare, run, 1, 1);
    await until(() => listRuns(bare), isOf("watched", 8));
    await until(() => listRuns(bare), isOf("finished", 8));
    expect(await bare.stop()).toBe(0);
    // The file that exists next to a run between its first batch under rules and the first check.
    writeFileSync(
      join(dir, "data/watched/.serve/alerts.json"),
      JSON.stringify({ version: 1, state: { version: 1, rules: {} }, waiting: {}, alerts: [], seen: 0 }),
    );
    const server = await start("--alerts", writeRules());
    await until(
      () => received,
      ({ length }) => length > 0,
    );
    expect(await server.stop()).toBe(0);
    expect(received.map(({ run }) => run)).toEqual([join(dir, "data/watched")]);
    const kept = JSON.parse(readFileSync(join(dir, "data/watched/.serve/alerts.json"), "utf8")) as object;
    expect(kept).toMatchObject({ seen: 1, alerts: [{ since: 1 }] });
  });

  it("goes with a run that is removed, though it waits to be delivered", async () => {
    const rules = writeRules();
    status = 503;
    const first = await start("--alerts", rules);
    await put(first, "old", 1, 1);
    await until(
      () => first.messages(),
      (messages) => messages.includes("cannot deliver"),
    );
    await first.stop("SIGKILL");
    const past = new Date(Date.now() - 50 * 24 * 3600 * 1000);
    for (const path of ["data/old", "data/old/.serve/keys"]) utimesSync(join(dir, path), past, past);
    const second = await start("--alerts", rules, "--keep-days", "30");
    await until(
      () => second.messages(),
      (messages) => messages.includes('removed the run "old"'),
    );
    await sleep(1500);
    expect(await second.stop()).toBe(0);
    expect(readdirSync(join(dir, "data"))).toEqual([]);
  });
});

it("does not start without what its rules need", () => {
  const rules = join(dir, "rules.yaml");
  writeFileSync(rules, "version: 1\nnotify: {ops: {webhook_env: NO_SUCH_HOOK}}\nrules:\n  - when: changed\n");
  const missing = runCli(dir, ["serve", "data", "--port", "0", "--alerts", rules]);
  expect([missing.status, missing.err]).toEqual([
    2,
    expect.stringContaining("NO_SUCH_HOOK, which the alerts for ops need, is not set"),
  ]);
  const absent = runCli(dir, ["serve", "data", "--port", "0", "--alerts", "nothing.yaml"]);
  expect([absent.status, absent.err]).toEqual([
    3,
    expect.stringContaining("the rules file nothing.yaml does not exist"),
  ]);
});
