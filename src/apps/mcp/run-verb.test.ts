import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runVerb } from "./run-verb.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "run-verb-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function run(
  source: string,
  { args = [], seconds = 60, characters = 1000, signal = new AbortController().signal } = {},
): ReturnType<typeof runVerb> {
  const program = join(directory, "program.mjs");
  writeFileSync(program, source);
  return runVerb({ program, args, limits: { seconds, characters }, below: [directory] }, signal);
}

it("gives output, messages and status apart; nothing can be read from standard input", async () => {
  const source = `process.stdin.on("end", () => { console.log(process.argv.slice(2).join()); console.error("so"); process.exit(4); }).resume();`;
  const args = ["--flag=a b", "$HOME"] as never[];
  expect(await run(source, { args })).toEqual({ status: 4, out: "--flag=a b,$HOME\n", err: "so\n" });
});

it("stops what takes too long, even where it does not heed the first signal", async () => {
  const source = `process.on("SIGTERM", () => console.error("not yet")); setInterval(() => {}, 1000);`;
  expect(await run(source, { seconds: 4 })).toMatchObject({
    status: null,
    stopped: "time",
    err: "not yet\n",
  });
});

it("stops what prints more than is read, and keeps what came before", async () => {
  const source = `setInterval(() => console.log("x".repeat(99)), 1);`;
  const { out, stopped } = await run(source, { characters: 250 });
  expect(stopped).toBe("size");
  expect(out.length).toBeLessThanOrEqual(250);
});

it("stops when the client cancels, before or while it runs", async () => {
  const source = `console.log("on"); setInterval(() => {}, 1000);`;
  const controller = new AbortController();
  const running = run(source, { signal: controller.signal });
  controller.abort();
  expect((await running).stopped).toBe("canceled");
  expect((await run(source, { signal: AbortSignal.abort() })).stopped).toBe("canceled");
});

it("keeps the end of long messages, where the advice stands", async () => {
  const { err } = await run(`for (let i = 0; i < 5000; i++) console.error("line " + i);`);
  expect(err.length).toBe(16_000);
  expect(err).toMatch(/line 4999\n$/);
});

it("tells the process where it may read", async () => {
  const { out } = await run("console.log(process.env.LOGRATIO_READ_BELOW)");
  expect(JSON.parse(out)).toEqual([directory]);
});

it("says what the system refuses, and not that this is a bug", async () => {
  const args = ["x".repeat(5_000_000)] as never[];
  await expect(run("", { args })).rejects.toMatchObject({
    _tag: "FileSystemError",
    message: expect.stringMatching(/^cannot start .*E2BIG/),
  });
});
