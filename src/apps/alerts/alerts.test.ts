import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseAlertRules } from "../../analyses/rule-files/alert-rules.ts";
import type { SeriesReport } from "../../results/series.ts";
import { AlertWatch, readAlertRules } from "./alert-watch.ts";

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let folder: string;
let server: Server;
let url: string;
let received: Received[] = [];
/** Statuses to answer with, one after the other, then 204; null: the connection is cut. */
let answers: (number | null)[] = [];
let told: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "alerts-"));
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      const status = answers.length > 0 ? answers.shift()! : 204;
      if (status === null) request.socket.destroy();
      else response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  [received, answers, told] = [[], [], []];
});
const open: AlertWatch[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((watch) => watch.close(0)));
});

const seriesOf = (...values: readonly number[]): SeriesReport =>
  ({
    kind: "series",
    series: [{ metric: "kl", steps: values.map((_, at) => at), values }],
  }) as unknown as SeriesReport;

let states = 0;
async function openWatch(text: string, more: object = {}): Promise<AlertWatch> {
  const watch = await AlertWatch.open({
    rules: parseAlertRules(text, "rules.yaml"),
    run: "/data/run",
    tell: (message) => told.push(message),
    stateFile: join(folder, `state-${states++}.json`),
    environment: { KEY: "secret" },
    baseMs: 5,
    ...more,
  });
  open.push(watch);
  return watch;
}

const webhook = (more = ""): string =>
  `version: 1\nnotify:\n  ops: {webhook: "${url}"${more}}\nrules:\n  - {name: high, when: logged.kl > 1}\n`;
const until = async (isDone: () => boolean): Promise<void> => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe("a webhook", () => {
  it("gets one signed body for one event", async () => {
    const watch = await openWatch(webhook(", secret_env: KEY"));
    await watch.look(seriesOf(0, 2));
    await watch.look(seriesOf(0, 2, 3));
    await watch.close();
    const [{ headers, body }] = received as [Received];
    expect(received).toHaveLength(1);
    expect(JSON.parse(body)).toEqual({
      schemaVersion: 1,
      kind: "alert",
      id: "/data/run:high:step 1",
      rule: "high",
      condition: "logged.kl > 1",
      run: "/data/run",
      since: 1,
      value: 2,
      text: "high: logged.kl is 2.00 at step 1 (logged.kl > 1)",
    });
    const time = headers["logratio-timestamp"] as string;
    expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(60);
    const wanted = createHmac("sha256", "secret").update(`${time}.${body}`).digest("hex");
    expect(headers["logratio-signature"]).toBe(`v1=${wanted}`);
    expect(decodeURIComponent(headers["logratio-alert-id"] as string)).toBe("/data/run:high:step 1");
    expect(headers["content-type"]).toBe("application/json");
    expect(told).toEqual(["alert: high: logged.kl is 2.00 at step 1 (logged.kl > 1)"]);
  });

  it("is tried again, in order, until it answers; a redirect is not followed", async () => {
    answers = [500, null, 302, 429];
    const watch = await openWatch(webhook());
    await watch.look(seriesOf(2, 0, 2));
    await until(() => received.length === 6);
    await watch.close();
    expect(received.map(({ body }) => (JSON.parse(body) as { since: number }).since)).toEqual([
      0, 0, 0, 0, 0, 2,
    ]);
    expect(received[0]?.headers["logratio-signature"]).toBeUndefined();
    expect(told.filter((line) => line.startsWith("cannot"))).toEqual([
      "cannot deliver an alert to ops: answered with status 500; trying again",
    ]);
  });

  it("gets after a restart what it did not get before, and nothing twice", async () => {
    const stateFile = join(folder, "restart.json");
    answers = Array.from({ length: 1000 }, () => 503);
    const first = await openWatch(webhook(), { stateFile });
    await first.look(seriesOf(0, 2));
    await until(() => received.length > 1);
    await first.close(0);
    expect(told.at(-1)).toBe("1 alert not delivered yet: the next start will try again");
    [answers, received] = [[], []];
    const second = await openWatch(webhook(), { stateFile });
    expect((await second.look(seriesOf(0, 2, 2))).length).toBe(0);
    await until(() => received.length === 1);
    await second.close();
    const third = await openWatch(webhook(), { stateFile });
    await third.look(seriesOf(0, 2, 2, 0));
    await third.close();
    expect(received).toHaveLength(1);
    expect(told.at(-1)).toBe("over: high, seen 1 more time");
  });

  it("holds nobody up: looking returns while it does not answer", async () => {
    answers = Array.from({ length: 1000 }, () => 503);
    const watch = await openWatch(webhook());
    const looks = Array.from({ length: 50 }, (_, at) =>
      seriesOf(...Array.from({ length: at }, (__, i) => 2 * (i % 2))),
    );
    for (const look of looks) await watch.look(look);
    expect(told.filter((line) => line.startsWith("alert:"))).toHaveLength(24);
  });

  it("is refused where its key or address is not in the environment", async () => {
    await expect(openWatch(webhook(", secret_env: NO_KEY"))).rejects.toThrow(
      "the environment variable NO_KEY",
    );
    const text = "version: 1\nnotify: {ops: {webhook_env: KEY}}\nrules:\n  - when: logged.kl > 1\n";
    await expect(openWatch(text)).rejects.toThrow("the address of ops is not an http or https address");
  });
});

describe("a command", () => {
  const command = (words: readonly string[]): string =>
    `version: 1\nnotify:\n  run: {command: ${JSON.stringify(words)}}\nrules:\n  - when: logged.kl > 1\n`;

  it("gets the alert on its standard input, and its words as they are", async () => {
    const out = join(folder, "out; touch hacked");
    const script = "require('fs').writeFileSync(process.argv[1], require('fs').readFileSync(0))";
    const watch = await openWatch(command([process.execPath, "-e", script, out]));
    await watch.look(seriesOf(2));
    await watch.close(30_000);
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ kind: "alert", since: 0 });
  });

  it("that fails, or is not there, is tried again and said", async () => {
    const watch = await openWatch(command([process.execPath, "-e", "process.exit(3)"]));
    await watch.look(seriesOf(2));
    await until(() => told.some((line) => line.includes("ended with status 3")));
    const other = await openWatch(command(["/nowhere/at/all"]));
    await other.look(seriesOf(2));
    await until(() => told.some((line) => line.includes("ENOENT")));
  });
});

it("tells only the channels that a rule names", async () => {
  const text = webhook().replace("rules:", "rules:\n  - {name: quiet, when: logged.kl > 1, notify: []}");
  const watch = await openWatch(text);
  await watch.look(seriesOf(2));
  await watch.close();
  expect(told.filter((line) => line.startsWith("alert:"))).toHaveLength(2);
  expect(received.map(({ body }) => (JSON.parse(body) as { rule: string }).rule)).toEqual(["high"]);
});

it("goes on with a state that cannot be read or written, and says so", async () => {
  const broken = join(folder, "broken.json");
  writeFileSync(broken, '{"version":1,"state":');
  const watch = await openWatch(webhook(), { stateFile: broken });
  expect(await watch.look(seriesOf(2))).toHaveLength(1);
  const nowhere = await openWatch(webhook(), { stateFile: join(broken, "not-a-folder", "x.json") });
  await nowhere.look(seriesOf(2));
  expect(told.filter((line) => line.startsWith("alerts are not kept on disk"))).toHaveLength(1);
});

it("says that the rules file does not exist", async () => {
  await expect(readAlertRules(join(folder, "none.yaml"))).rejects.toThrow(
    /the rules file .*none\.yaml does not exist/,
  );
});
