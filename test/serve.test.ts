/** `logratio serve`: its responses, whom it answers, and what it shows. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  digestHeader,
  encodeBatch,
  makeBatch,
  putBatch,
  type RunningServe,
  startServe,
} from "../bench/support/serve-load.mjs";
import type { RunsInfo, ViewInfo } from "../src/results/view.ts";
import { requireBuild, runCli } from "./support/run-cli.ts";

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

async function start(
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  directory = join(dir, "data"),
): Promise<RunningServe> {
  const server = await startServe(directory, words, env);
  servers.push(server);
  return server;
}

async function runs(server: RunningServe): Promise<RunsInfo> {
  return (await (await fetch(`${server.url}/api/run`)).json()) as RunsInfo;
}

async function eventually<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const found = await look();
    if (holds(found)) return found;
    if (tries > 600) throw new Error(`it never came to hold: ${JSON.stringify(found)}`);
    await sleep(100);
  }
}

async function metric(server: RunningServe, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
}

const hex = (body: Buffer): string => createHash("sha256").update(body).digest("hex");

/** A batch of two sequences in which one column is replaced. */
function withColumn(
  name: string,
  column: [string, Float64Array | BigInt64Array | Float32Array],
  version = "1",
): Buffer {
  return encodeBatch(
    {
      response_offsets: ["I64", BigInt64Array.of(0n, 2n, 3n)],
      rollout_logprobs: ["F32", new Float32Array(3).fill(-1)],
      trainer_logprobs: ["F32", new Float32Array(3).fill(-1)],
      [name]: column,
    },
    { ...(version !== "" && { "logratio.schema_version": version }), step: "0", rank: "0" },
  );
}

describe("a batch", () => {
  it("is stored once, and known after that", async () => {
    const server = await start();
    const body = makeBatch({ step: 3, rank: 1 });
    const put = () => putBatch(server.url, { step: 3, rank: 1 }, body);
    expect([await put(), await put()].map(({ status, text }) => [status, text])).toEqual([
      [201, JSON.stringify({ stored: true, sha256: hex(body), call: 0 })],
      [200, JSON.stringify({ stored: false, sha256: hex(body), call: 0 })],
    ]);
    const other = makeBatch({ step: 3, rank: 1, salt: 1 });
    const conflict = await putBatch(server.url, { step: 3, rank: 1 }, other);
    expect([conflict.status, conflict.text, conflict.headers["logratio-next-call"]]).toEqual([
      409,
      "step 3, rank 1, call 0 holds a different batch; call 1 is free\n",
      "1",
    ]);
    expect((await putBatch(server.url, { step: 3, rank: 1, call: 1 }, other)).status).toBe(201);
    // Sent again under its first call number, as by a recorder that was not told of the free one.
    const again = await putBatch(server.url, { step: 3, rank: 1 }, other);
    expect([again.status, JSON.parse(again.text)]).toEqual([
      200,
      { stored: false, sha256: hex(other), call: 1 },
    ]);
    const { runs: found } = await eventually(
      () => runs(server),
      ({ runs: [run] }) => run?.sequences === 4,
    );
    expect(found).toMatchObject([
      { name: "run", folder: "run", sequences: 4, tokens: 64, first_step: 3, last_step: 3, writing: true },
    ]);
    // Sent at the same time over two connections, it is stored once.
    const twice = makeBatch({ step: 4 });
    const both = await Promise.all([1, 2].map(() => putBatch(server.url, { step: 4 }, twice)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
  });

  const refused: readonly [string, number, RegExp, () => Parameters<typeof putBatch>[2], object?, object?][] =
    [
      [
        "with another digest",
        400,
        /does not have the digest/,
        () => makeBatch({ step: 0 }),
        { "content-digest": digestHeader(Buffer.from("x")) },
      ],
      [
        "without a digest",
        400,
        /a digest is required/,
        () => makeBatch({ step: 0 }),
        { "content-digest": "md5=:AAAA:" },
      ],
      ["of another step", 422, /says step 1, the request step 0/, () => makeBatch({ step: 1 })],
      ["that is text", 422, /safetensors header/, () => Buffer.from("step 0 went well, I think")],
      [
        "that is another safetensors file",
        422,
        /there is no response_offsets/,
        () => encodeBatch({ weight: ["F32", new Float32Array(4)] }, {}),
      ],
      ["that is cut off", 422, /safetensors data is cut off/, () => makeBatch({ step: 0 }).subarray(0, -5)],
      [
        "with offsets that are not integers",
        422,
        /response_offsets is float64 \[3\], expected int64/,
        () => withColumn("response_offsets", ["F64", Float64Array.of(0, 2, 3)]),
      ],
      [
        "with offsets that do not ascend",
        422,
        /response_offsets does not ascend from 0/,
        () => withColumn("response_offsets", ["I64", BigInt64Array.of(0n, 4n, 3n)]),
      ],
      [
        "with a column of another length",
        422,
        /trainer_logprobs has 2 values, expected 3/,
        () => withColumn("trainer_logprobs", ["F32", new Float32Array(2)]),
      ],
      [
        "without a version",
        422,
        /there is no logratio\.schema_version in the metadata/,
        () => withColumn("reward", ["F32", new Float32Array(2)], ""),
      ],
      [
        "of a newer version",
        422,
        /schema version 99; this logratio reads up to 1/,
        () => withColumn("reward", ["F32", new Float32Array(2)], "99"),
      ],
      [
        "with rows of another step",
        422,
        /says step 7, the request step 0/,
        () => withColumn("step", ["F64", Float64Array.of(0, 7)]),
      ],
      ["without a run", 400, /the run has no name/, () => makeBatch({ step: 0 }), {}, { run: "" }],
      [
        "of a run with an endless name",
        400,
        /has 81 bytes of UTF-8; at most 80/,
        () => makeBatch({ step: 0 }),
        {},
        { run: "x".repeat(81) },
      ],
      ["of no step", 400, /must be whole numbers/, () => makeBatch({ step: 0 }), {}, { step: "first" }],
    ];
  it("is refused with the reason", async () => {
    const server = await start(["--max-batch", "10kB"]);
    for (const [what, status, message, body, headers = {}, name = {}] of refused) {
      const answer = await putBatch(server.url, { step: 0, ...name }, body(), { headers: { ...headers } });
      expect([what, answer.status]).toEqual([what, status]);
      expect(answer.text).toMatch(message);
    }
    const large = await putBatch(server.url, { step: 0 }, makeBatch({ step: 0, tokens: 2000 }));
    expect([large.status, large.text]).toEqual([413, expect.stringMatching(/at most 10\.0 kB are accepted/)]);
    expect((await runs(server)).runs).toEqual([]);
    expect(readdirSync(join(dir, "data"))).toEqual([".serve.lock"]);
  });
});

describe("names of runs", () => {
  it("are foreign text: no path, and no other run's", async () => {
    const server = await start();
    const names = ["../../escape", ".hidden", "a/b", "a~2Fb", "..", "<b>Δ</b>", "CON"];
    for (const run of names)
      expect((await putBatch(server.url, { run, step: 0 }, makeBatch({ step: 0 }))).status).toBe(201);
    const found = (await runs(server)).runs;
    expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(existsSync(join(dir, "escape"))).toBe(false);
    const folders = readdirSync(join(dir, "data")).filter((name) => name !== ".serve.lock");
    expect(folders.sort()).toEqual(found.map(({ folder }) => folder).sort());
    for (const folder of folders) expect(folder).toMatch(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/);
    expect(await server.stop()).toBe(0);
    // They are found again after a restart.
    const again = await start();
    expect((await runs(again)).runs.map(({ name }) => name).sort()).toEqual([...names].sort());
  });
});

describe("a flood", () => {
  it("is told to come again, and what hangs is let go", async () => {
    const server = await start(["--buffer", "100kB"]);
    const body = makeBatch({ step: 0, tokens: 5000 });
    const held = request(`${server.url}/api/batches?run=run&step=0&rank=0&call=0`, {
      method: "PUT",
      headers: { "content-length": body.length, "content-digest": digestHeader(body) },
    });
    held.on("error", () => {});
    held.write(body.subarray(0, 1000));
    await eventually(
      () => metric(server, "logratio_serve_inflight_bytes"),
      (bytes) => bytes > 0,
    );
    const turned = await putBatch(server.url, { step: 1 }, makeBatch({ step: 1 }));
    expect([turned.status, turned.headers["retry-after"], turned.text]).toEqual([
      429,
      "1",
      expect.stringMatching(/of batches are being received: try again later/),
    ]);
    held.destroy();
    await eventually(
      () => metric(server, "logratio_serve_inflight_bytes"),
      (bytes) => bytes === 0,
    );
    expect((await putBatch(server.url, { step: 1 }, makeBatch({ step: 1 }))).status).toBe(201);
  });
});

describe("who may ask", () => {
  const TOKEN = "0123456789abcdef0123";

  it("is asked for the token, but for its health", async () => {
    const server = await start([], { LOGRATIO_TOKEN: TOKEN });
    const ask = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${server.url}${path}`, { headers });
    for (const path of ["/", "/api/run", "/metrics", "/runs/x/", "/api/events"])
      expect([path, (await ask(path)).status]).toEqual([path, 401]);
    for (const path of ["/healthz", "/readyz"]) expect((await ask(path)).status).toBe(200);
    const body = makeBatch({ step: 0 });
    const nobody = await putBatch(server.url, { step: 0 }, body);
    expect([nobody.status, nobody.text]).toEqual([401, expect.stringContaining("Authorization: Bearer")]);
    const wrong = { authorization: `Bearer ${TOKEN}x` };
    expect((await putBatch(server.url, { step: 0 }, body, { headers: wrong })).status).toBe(401);
    const right = { authorization: `Bearer ${TOKEN}` };
    expect((await putBatch(server.url, { step: 0 }, body, { headers: right })).status).toBe(201);
    expect((await ask("/metrics", right)).status).toBe(200);
    const page = await fetch(`${server.url}/?token=${TOKEN}`, { redirect: "manual" });
    expect([page.status, page.headers.get("set-cookie")]).toEqual([
      303,
      expect.stringMatching(/HttpOnly; SameSite=Strict/),
    ]);
  });

  it.each([
    [["--host", "0.0.0.0"], "", /a token is required to listen at 0\.0\.0\.0/],
    [["--allow-host", "runs.example"], "", /behind a proxy a token is required/],
    [["--host", "0.0.0.0"], "short", /the token has 5 characters; at least 16 are required/],
    [["--keep-days", "soon"], "", /--keep-days must be a number above 0, not "soon"/],
    [["--keep-size", "much"], "", /--keep-size must be a size such as 500MB or 2TB, not "much"/],
  ])("serve %j does not start", (words, token, message) => {
    const { status, err } = runCli(dir, ["serve", "data", "--port", "0", ...words], {
      env: { LOGRATIO_TOKEN: token },
    });
    expect(err).toMatch(message);
    expect(status).toBe(2);
  });

  it("must not be another site, nor ask for another host", async () => {
    const server = await start();
    const body = makeBatch({ step: 0 });
    const foreign = await putBatch(server.url, { step: 0 }, body, {
      headers: { origin: "http://evil.example" },
    });
    expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining("http://evil.example")]);
    const rebound = await putBatch(server.url, { step: 0 }, body, { headers: { host: "evil.example" } });
    expect(rebound.status).toBe(421);
  });
});

describe("what is shown", () => {
  it("is a page of runs, the viewer of each, and the record to every verb", async () => {
    const server = await start();
    for (let step = 0; step < 3; step++)
      for (let rank = 0; rank < 2; rank++)
        await putBatch(
          server.url,
          { run: "exp/7", step, rank },
          makeBatch({ step, rank, sequences: 8, tokens: 64 }),
        );
    const {
      runs: [run],
    } = await eventually(
      () => runs(server),
      ({ runs: [one] }) => one?.sequences === 48,
    );
    expect(run).toMatchObject({
      name: "exp/7",
      folder: "exp~2F7",
      first_step: 0,
      last_step: 2,
      tokens: 3072,
    });
    expect(run!.verdict).not.toBeNull();
    const folder = `${server.url}/runs/${run!.folder}`;
    expect((await fetch(folder, { redirect: "manual" })).headers.get("location")).toBe(`${run!.folder}/`);
    const page = await fetch(`${folder}/`);
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([
      200,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
    const info = await eventually(
      async () => (await (await fetch(`${folder}/api/run`)).json()) as ViewInfo,
      ({ kind }) => kind === "view-run",
    );
    expect(info).toMatchObject({ sequences: 48, steps: [0, 1, 2], status: "reading" });
    // A later step reaches everyone who is watching.
    await putBatch(server.url, { run: "exp/7", step: 3 }, makeBatch({ step: 3, sequences: 8, tokens: 64 }));
    await eventually(
      async () => (await (await fetch(`${folder}/api/run`)).json()) as ViewInfo,
      (now) => now.kind === "view-run" && now.steps.includes(3),
    );
    expect((await fetch(`${server.url}/runs/nothing/`)).status).toBe(404);
    expect((await fetch(`${server.url}/runs/..%2F..%2Fetc/`)).status).toBe(404);
    expect(await server.stop()).toBe(0);
    const report = JSON.parse(runCli(dir, ["report", "data/exp~2F7", "--json"]).out) as {
      metrics: { sequences: number };
      findings: { severity: string; message: string }[];
    };
    expect(report.metrics.sequences).toBe(56);
    expect(report.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  it("are metrics that Prometheus reads", async () => {
    const server = await start();
    await putBatch(server.url, { step: 0 }, makeBatch({ step: 0 }));
    const answer = await fetch(`${server.url}/metrics`);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    expect(text.endsWith("\n")).toBe(true);
    const types = new Map<string, string>();
    for (const line of text.trimEnd().split("\n")) {
      const [, kind, name, rest] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? [];
      if (kind === "TYPE") types.set(name!, rest!);
      if (kind !== undefined) continue;
      const [, sample, value] = /^([a-z_]+)(?:\{[a-z]+="[^"]*"\})? (\S+)$/.exec(line)!;
      const family = types.has(sample!) ? sample! : sample!.replace(/_(?:bucket|sum|count)$/, "");
      expect(types.get(family)).toBe(
        family.endsWith("_total") ? "counter" : sample === family ? "gauge" : "histogram",
      );
      expect(Number(value)).toBeGreaterThanOrEqual(0);
    }
    expect(text).toContain('logratio_serve_batch_requests_total{status="201"} 1\n');
    expect(text).toMatch(/^logratio_serve_batch_seconds_bucket\{le="\+Inf"\} 1$/m);
  });
});

describe("retention", () => {
  it("removes whole runs by age and size, says which, and none that is being written", async () => {
    const first = await start();
    for (const run of ["old", "older", "new"])
      await putBatch(first.url, { run, step: 0 }, makeBatch({ step: 0, tokens: 3000 }));
    expect(await first.stop()).toBe(0);
    const age = (run: string, days: number): void => {
      const past = new Date(Date.now() - days * 24 * 3600 * 1000);
      for (const path of [`data/${run}`, `data/${run}/.serve/keys`]) utimesSync(join(dir, path), past, past);
    };
    age("older", 50);
    age("old", 10);
    const second = await start(["--keep-days", "30", "--keep-size", "1kB"]);
    await eventually(
      async () => (await runs(second)).runs,
      (left) => left.length === 1,
    );
    expect((await runs(second)).runs.map(({ name }) => name)).toEqual(["new"]);
    expect(second.messages()).toMatch(/removed the run "older", .*: no batch arrived for --keep-days/);
    expect(second.messages()).toMatch(/removed the run "old", .*: the runs together exceeded --keep-size/);
    expect(readdirSync(join(dir, "data")).sort()).toEqual([".serve.lock", "new"]);
    expect(await metric(second, "logratio_serve_runs_removed_total")).toBe(2);
  });
});

describe("the end", () => {
  it("waits for what is coming in, and takes no more", async () => {
    const server = await start();
    const body = makeBatch({ step: 0, tokens: 5000 });
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(
      `PUT /api/batches?run=run&step=0&rank=0&call=0 HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\ncontent-digest: ${digestHeader(body)}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 1000));
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    await eventually(
      () => metric(server, "logratio_serve_inflight_bytes"),
      (bytes) => bytes > 0,
    );
    const ended = server.stop("SIGTERM");
    await sleep(300);
    await expect(fetch(`${server.url}/readyz`)).rejects.toThrow();
    socket.write(body.subarray(1000));
    expect(await ended).toBe(0);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    const report = JSON.parse(runCli(dir, ["report", "data/run", "--json"]).out) as {
      metrics: { sequences: number };
    };
    expect(report.metrics.sequences).toBe(2);
  });
});

describe("batches that are not in the record", () => {
  it("are counted by every reader of the run, and added by the next server", async () => {
    const first = await start(["--gather", "3600"]);
    for (const step of [0, 1]) await putBatch(first.url, { step }, makeBatch({ step }));
    await first.stop("SIGKILL");
    const nothing = runCli(dir, ["report", "data/run"]);
    expect([nothing.status, nothing.err]).toEqual([
      3,
      expect.stringMatching(/2 batches wait in the log of logratio serve[\s\S]*start logratio serve data/),
    ]);
    const second = await start(["--gather", "3600"]);
    await eventually(
      () => metric(second, "logratio_serve_batches_sealed_total"),
      (count) => count === 2,
    );
    await putBatch(second.url, { step: 2 }, makeBatch({ step: 2 }));
    await second.stop("SIGKILL");
    const { out, err, status } = runCli(dir, ["report", "data/run", "--json"]);
    const { left_out, metrics } = JSON.parse(out) as {
      left_out: { what: string; count: number; unit: string; why: string }[];
      metrics: { sequences: number };
    };
    expect([status, metrics.sequences, left_out]).toEqual([
      0,
      4,
      [
        expect.objectContaining({
          what: "1 batch of run is not in the record yet",
          unit: "batch",
          why: "waiting",
        }),
      ],
    ]);
    const warning = /warning: 1 batch of run is not in the record yet/;
    expect(err).toMatch(warning);
    const part = "data/run/part-00000001.parquet";
    expect(runCli(dir, ["report", part, "--json"]).err).toMatch(warning);
    expect(runCli(dir, ["summarize", "data/run", "--out", "sums"]).err).toMatch(warning);
    expect(runCli(dir, ["sql", "select count(*) from t", part]).err).toMatch(warning);
    const third = await start();
    expect(await third.stop()).toBe(0);
    const whole = JSON.parse(runCli(dir, ["report", "data/run", "--json"]).out) as typeof left_out & {
      left_out: unknown[];
    };
    expect(whole.left_out).toEqual([]);
  });

  it("are told, with a status, where the server has to leave them in the log", async () => {
    const server = await start(["--gather", "3600"]);
    await putBatch(server.url, { step: 0 }, makeBatch({ step: 0 }));
    // Blocks the place of the part.
    mkdirSync(join(dir, "data/run/part-00000001.parquet"));
    expect(await server.stop()).toBe(4);
    expect(server.messages()).toMatch(
      /warning: run: 1 batch is not in the record and stays in its log: start logratio serve again to add it/,
    );
    expect(server.messages()).not.toMatch(/bug/);
    rmSync(join(dir, "data/run/part-00000001.parquet"), { recursive: true });
    const again = await start();
    expect(await again.stop()).toBe(0);
    expect(readdirSync(join(dir, "data/run"))).toContain("part-00000001.parquet");
  });
});

const small = mkdtempSync(join(tmpdir(), "serve-full-"));
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small]).status === 0;
if (!mounted)
  console.warn("SKIPPED: a small tmpfs cannot be mounted here (that takes root): serve on a full disk");
afterAll(() => {
  if (mounted) spawnSync("umount", ["-l", small]);
  rmSync(small, { recursive: true, force: true });
});

describe.skipIf(!mounted)("a disk", () => {
  it("that is full is said, and what was acknowledged stays", async () => {
    mkdirSync(join(small, "data"));
    const server = await start(["--gather", "3600"], {}, join(small, "data"));
    const statuses: number[] = [];
    for (let step = 0; step < 12; step++)
      statuses.push((await putBatch(server.url, { step }, makeBatch({ step, tokens: 1500 }))).status);
    expect(new Set(statuses)).toEqual(new Set([201, 507]));
    const answer = await putBatch(server.url, { step: 99 }, makeBatch({ step: 99, tokens: 1500 }));
    expect([answer.status, answer.text, answer.headers["retry-after"]]).toEqual([
      507,
      expect.stringMatching(/the disk is full \(ENOSPC\)/),
      "5",
    ]);
    // The disk is at fault, not the program.
    expect(server.messages()).toMatch(/error: cannot write .*the disk is full \(ENOSPC\)/);
    expect(server.messages()).not.toMatch(/bug/);
    await server.stop("SIGKILL");
    // Once there is room again, everything acknowledged is there.
    spawnSync("mount", ["-o", "remount,size=64m", small]);
    const again = await start([], {}, join(small, "data"));
    const stored = statuses.flatMap((status, step) => (status === 201 ? [step] : []));
    for (const step of stored)
      expect((await putBatch(again.url, { step }, makeBatch({ step, tokens: 1500 }))).status).toBe(200);
    expect((await putBatch(again.url, { step: 99 }, makeBatch({ step: 99, tokens: 1500 }))).status).toBe(201);
    // Someone makes it read-only while the server runs.
    const remount = (how: string): number | null =>
      spawnSync("mount", ["-o", `remount,${how}`, small]).status;
    // Refused while a file is open for writing, as the log is until its batches are in the record.
    await eventually(
      () => Promise.resolve(remount("ro")),
      (status) => status === 0,
    );
    const readOnly = await putBatch(again.url, { run: "other", step: 0 }, makeBatch({ step: 0 }));
    expect([readOnly.status, readOnly.text]).toEqual([
      503,
      expect.stringMatching(/the file system is read-only \(EROFS\)/),
    ]);
    expect(remount("rw")).toBe(0);
    expect((await putBatch(again.url, { run: "other", step: 0 }, makeBatch({ step: 0 }))).status).toBe(201);
    expect(await again.stop()).toBe(0);
  });
});
