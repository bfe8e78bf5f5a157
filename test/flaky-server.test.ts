/**
 * Scores a whole study over a server that fails in every way, and is killed in the middle: the scores equal a sound
 * server's.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readStudy } from "../src/study/scoring/config/read-study.ts";
import { type RunStudyResult, runStudy } from "../src/study/scoring/run-study.ts";
import {
  type Fault,
  startServer,
  type TestServer,
} from "../src/study/scoring/servers/http-server.test-data.ts";
import { vllmHandler } from "../src/study/scoring/servers/vllm/vllm-server.test-data.ts";
import { paths as studyPaths } from "../src/study/scoring/store/manifest.ts";
import { readScores, type ScoreRow } from "../src/study/scoring/store/scores-file.ts";
import { ROOT, requireBuild } from "./support/run-cli.ts";

/** Enough for more than two files of scores saved on the way. */
const TEXTS = 150;
const FAST = { threads: 1, retries: 5, retryDelayMs: 1, timeoutMs: 300, concurrency: 4 };

let dir: string;
let server: TestServer;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "flaky-"));
  const ids = (seed: number, length: number): number[] =>
    Array.from({ length }, (_, i) => 3 + ((seed * 7 + i * 11) % 40));
  const rows = Array.from({ length: TEXTS }, (_, i) => ({
    id: `t${i}`,
    prompt_ids: ids(i, 3),
    response_ids: ids(i + 1, 4 + (i % 5)),
    correct: true,
  }));
  await writeFile(join(dir, "texts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
});
afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true });
});

const config = (url: string): Record<string, unknown> => ({
  texts: join(dir, "texts.jsonl"),
  tokenizer: join(ROOT, "examples/demo/tokenizer"),
  policies: { plain: `onnx:${join(ROOT, "test/fixtures/onnx/plain")}`, far_1: `vllm:${url}` },
  reference: "plain",
});

async function score(out: string): Promise<RunStudyResult["policies"][number] & { said: string }> {
  const { spec } = await readStudy(config(server.url), join(dir, out), undefined);
  const { policies, findings } = await runStudy(spec, FAST);
  return { ...policies[1]!, said: findings.map(({ message }) => message).join("\n") };
}

async function scoresIn(out: string): Promise<ScoreRow[]> {
  const rows: ScoreRow[] = [];
  for await (const row of readScores(studyPaths.scores(join(dir, out), "far_1"))) rows.push(row);
  return rows;
}

/** A redirect leads to a server that must not receive the texts. */
const faults = (elsewhere: string): Fault[] => [
  "reset",
  { status: 429, headers: { "retry-after": "0" }, body: { error: { message: "slow down" } } },
  "silence",
  { status: 500, body: "<html>oops" },
  "half",
  { status: 503, body: "" },
  "cut",
  { status: 200, headers: { "content-length": "5" }, body: "12345" },
  { status: 200, body: {} },
  // Too short a list would be a permanent refusal: a server that cuts prompts returns it every time.
  { status: 200, body: { choices: [{ index: 0, text: "", prompt_logprobs: "lost" }] } },
  {
    status: 200,
    body: { choices: [{ index: 0, text: "", finish_reason: "length", prompt_logprobs: null }] },
  },
  { status: 307, headers: { location: elsewhere }, body: "" },
  { status: 200, body: "x".repeat(1 << 20) },
];

test("a flaky server: the scores of a sound one, refusals counted, nothing scored twice or lost", async () => {
  server = await startServer(vllmHandler());
  await score("sound");
  const whole = await scoresIn("sound");
  expect(whole).toHaveLength(TEXTS);
  const elsewhere = await startServer(vllmHandler());
  // Requests that open a policy are left undisturbed.
  const isOpened = (): boolean => server.asked.length > asked + 6;
  const asked = server.asked.length;
  const queue = [...faults(elsewhere.url), ...faults(elsewhere.url)];
  const timer = setInterval(() => {
    if (isOpened() && queue.length > 0 && server.faults.length === 0) server.faults.push(queue.shift()!);
  }, 2);
  const first = await score("flaky");
  clearInterval(timer);
  server.faults.length = 0;
  expect(queue.length).toBeLessThan(faults("").length);
  expect(first.scored + first.refused).toBe(TEXTS);
  expect(first.refused).toBeGreaterThan(0);
  expect(first.said).toMatch(/far_1 has no scores of/);
  expect(elsewhere.asked).toEqual([]);
  await elsewhere.close();
  const second = await score("flaky");
  expect(second).toMatchObject({ kept: first.scored, scored: TEXTS - first.scored, refused: 0, said: "" });
  expect(await scoresIn("flaky")).toEqual(whole);
}, 120_000);

test("killed in the middle: goes on with what was saved", async () => {
  requireBuild();
  server = await startServer(vllmHandler(), 10);
  await score("sound");
  const code = `
    import { runStudy, readStudy } from ${JSON.stringify(pathToFileURL(join(ROOT, "dist/study/scoring/index.js")).href)};
    const { spec } = await readStudy(${JSON.stringify(config(server.url))}, ${JSON.stringify(join(dir, "killed"))}, undefined);
    await runStudy(spec, ${JSON.stringify(FAST)});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" });
  const ended = once(child, "exit");
  const part = join(studyPaths.parts(join(dir, "killed"), "far_1"), "000000.parquet");
  while (child.exitCode === null && !existsSync(part)) await sleep(1);
  child.kill("SIGKILL");
  await ended;
  expect(child.signalCode).toBe("SIGKILL");
  const next = await score("killed");
  expect(next.kept).toBeGreaterThanOrEqual(64);
  expect(next).toMatchObject({ scored: TEXTS - next.kept, refused: 0, said: "" });
  const [mine, whole] = [await scoresIn("killed"), await scoresIn("sound")];
  expect(mine.map(({ text }) => text)).toEqual(whole.map(({ text }) => text));
  expect(mine).toEqual(whole);
}, 120_000);
