/** Several processes append to one log. Node 20 cannot run TypeScript, so they run the build. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT, requireBuild } from "./support/run-cli.ts";

let folder: string;
beforeAll(() => {
  requireBuild();
  folder = mkdtempSync(join(tmpdir(), "logratio-jsonl-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("never mixes the lines of several processes", async () => {
  const path = join(folder, "log.jsonl");
  const script = `
    import { appendJsonl } from ${JSON.stringify(pathToFileURL(join(ROOT, "dist/ingest/writing/jsonl-log.js")).href)};
    const line = process.argv[1].repeat(3000);
    for (let i = 0; i < 100; i++) appendJsonl(process.argv[2], [line, line]);
  `;
  const run = promisify(execFile);
  const letters = ["a", "b", "c"];
  await Promise.all(
    letters.map((letter) => run(process.execPath, ["--input-type=module", "--eval", script, letter, path])),
  );
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  expect(lines).toHaveLength(600);
  expect(new Set(lines)).toEqual(new Set(letters.map((letter) => letter.repeat(3000))));
});
