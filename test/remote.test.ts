/** The command line on addresses, against a store on this machine. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startStore, type TestStore } from "../src/input/remote/object-store.test-data.ts";
import "./support/require-dist.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const STEPS = ["step_0010.npz", "step_0020.npz"];

let store: TestStore;
let cache = "";

beforeAll(async () => {
  store = await startStore();
  cache = await mkdtemp(join(tmpdir(), "logratio-"));
  for (const name of STEPS)
    store.objects.set(`demo/stale/${name}`, await readFile(join(ROOT, "examples/demo/stale", name)));
});

afterAll(async () => {
  await store.close();
  await rm(cache, { recursive: true });
});

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Not `spawnSync`, since the store is in this process. */
function logratio(...args: string[]): Promise<Ended> {
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: store.url,
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: "us-east-1",
    XDG_CACHE_HOME: cache,
    NO_COLOR: "1",
  };
  const child = spawn(process.execPath, [join(ROOT, "bin/logratio.js"), ...args], { env, cwd: ROOT });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((done) => child.on("close", (status) => done({ status, stdout, stderr })));
}

describe("an address in place of a path", () => {
  it("gives the same report as the files", async () => {
    const remote = await logratio("report", "s3://bucket/demo/stale", "--json");
    const local = await logratio("report", ...STEPS.map((name) => `examples/demo/stale/${name}`), "--json");
    expect([remote.status, remote.stderr]).toEqual([0, ""]);
    const [there, here] = [remote, local].map(
      ({ stdout }) => JSON.parse(stdout) as { metrics: unknown; per_step: unknown },
    );
    expect(there!.metrics).toEqual(here!.metrics);
    expect(there!.per_step).toEqual(here!.per_step);
  });

  it("is shown by its handles", async () => {
    const { status, stdout } = await logratio("show", "s3://bucket/demo/stale", "s10.q0");
    expect(status).toBe(0);
    expect(stdout).toContain("s10.q0");
  });

  it("that does not exist ends with 3 and says where credentials come from", async () => {
    const { status, stderr } = await logratio("report", "s3://bucket/none");
    expect(status).toBe(3);
    expect(stderr).toContain("error: there is nothing under s3://bucket/none");
  });

  it.each([
    ["analyze", "s3://bucket/log.jsonl", "a log must be on this machine, not at s3://bucket/log.jsonl"],
    ["sql", "SELECT 1", "a file for SQL must be on this machine, not at s3://bucket/log.jsonl"],
  ])("is refused by %s, which reads through DuckDB", async (verb, argument, message) => {
    const { status, stderr } = await logratio(
      verb,
      argument,
      ...(verb === "sql" ? ["s3://bucket/log.jsonl"] : []),
    );
    expect(status).toBe(3);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toContain("copy it here first (aws s3 cp");
  });
});
