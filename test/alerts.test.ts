/** The built program follows a run that goes wrong: who is notified, and what a restart sends again. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT, requireBuild } from "./support/run-cli.ts";

const DEMO = join(ROOT, "examples/demo/stale");

let folder: string;
let server: Server;
let started: ChildProcess | undefined;
const received: { readonly body: string; readonly signature: unknown; readonly time: unknown }[] = [];

beforeAll(async () => {
  requireBuild();
  folder = mkdtempSync(join(tmpdir(), "alerts-"));
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => {
      body += part.toString();
    });
    request.on("end", () => {
      const { "logratio-signature": signature, "logratio-timestamp": time } = request.headers;
      received.push({ body, signature, time });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  started?.kill("SIGKILL");
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

interface Followed {
  /** Waits until standard error has a matching line. */
  readonly until: (pattern: RegExp) => Promise<void>;
  readonly end: () => Promise<{ readonly status: number | null; readonly err: string }>;
}

function follow(run: string, rules: string): Followed {
  const words = [
    "view",
    run,
    "--follow",
    "--alerts",
    rules,
    "--no-open",
    "--port",
    "0",
    "--cache",
    join(folder, "cache"),
  ];
  const child = spawn(process.execPath, [join(ROOT, "bin/logratio.js"), ...words], {
    env: { ...process.env, XDG_CACHE_HOME: join(folder, "xdg"), ALERT_KEY: "key of the test" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  started = child;
  let err = "";
  child.stderr.on("data", (part: Buffer) => {
    err += part.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    async until(pattern) {
      while (!pattern.test(err)) {
        if (child.exitCode !== null) throw new Error(`it ended: ${err}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async end() {
      child.kill("SIGINT");
      return { status: await ended, err };
    },
  };
}

it("tells the terminal and a webhook of a step as it is written, and neither again after a restart", async () => {
  const run = join(folder, "run");
  mkdirSync(run);
  const files = readdirSync(DEMO).sort();
  const [first, second, third] = files as [string, string, string];
  for (const file of [first, second]) cpSync(join(DEMO, file), join(run, file), { recursive: true });
  const rules = join(folder, "rules.yaml");
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    rules,
    `version: 1
notify:
  ops: {webhook: "http://127.0.0.1:${port}/", secret_env: ALERT_KEY}
rules:
  - {name: far off, when: per_step.delta_abs_mean > 0.012}
  - {name: never, when: per_step.delta_abs_mean > 12}
`,
  );
  const followed = follow(run, rules);
  await followed.until(/press Ctrl-C/);
  cpSync(join(DEMO, third), join(run, third), { recursive: true });
  await followed.until(
    /^alert: far off: per_step\.delta_abs_mean is 0\.0172 at step 30 \(per_step\.delta_abs_mean > 0\.012\)$/m,
  );
  while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await followed.end()).status).toBe(0);
  const [{ body, signature, time }] = received as [(typeof received)[number]];
  expect(JSON.parse(body)).toMatchObject({ rule: "far off", since: 30, id: `${run}:far off:step 30` });
  expect(signature).toBe(
    `v1=${createHmac("sha256", "key of the test")
      .update(`${String(time)}.${body}`)
      .digest("hex")}`,
  );

  const again = follow(run, rules);
  await again.until(/press Ctrl-C/);
  for (const file of files) cpSync(join(DEMO, file), join(run, file), { recursive: true });
  await again.until(/^over: far off/m);
  const { err } = await again.end();
  expect(err).not.toMatch(/^alert:/m);
  expect(received).toHaveLength(1);
}, 120_000);
