import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runLimited } from "../support/limited-run.ts";
import { lacks } from "../support/platform.ts";
import { GOOD_ROW } from "./json.ts";

const noShell = lacks("shell", "named pipes, and more files than may be open");
const noLinks = lacks("links", "links that lead up");
const noUsers = lacks("users", "what may not be read");

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-files-"));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

test.skipIf(noShell)("reads more files than may be open", async () => {
  const run = join(folder, "many");
  await mkdir(run);
  const text = '{"rollout_log_probs":[[-1,-2]],"old_log_probs":[[-1.1,-2]]}';
  for (let i = 0; i < 400; i++) await writeFile(join(run, `step_${i}.json`), text);
  // With fewer, Node cannot load the program: it opens all modules of a level at once.
  const { status, err, out } = await runLimited(folder, ["report", "many", "--json"], { openFiles: 300 });
  expect(err).not.toMatch(/EMFILE|Warning|garbage/);
  expect([status, JSON.parse(out).metrics.sequences]).toEqual([0, 400]);
});

test.skipIf(noShell)("reads a pipe that was named, and never one that was found", async () => {
  const run = join(folder, "pipes");
  await mkdir(run);
  await writeFile(join(run, "a.jsonl"), GOOD_ROW.repeat(3));
  execFileSync("mkfifo", [join(run, "b.jsonl")]);
  const shell = `report <(cat "${join(run, "a.jsonl")}") --json`;
  const named = await runLimited(folder, [], { shell });
  expect([named.status, JSON.parse(named.out).metrics.sequences]).toEqual([0, 3]);
  const found = await runLimited(folder, ["report", "pipes", "--json"]);
  expect([found.status, JSON.parse(found.out).metrics.sequences]).toEqual([0, 3]);
  const silent = await runLimited(folder, ["report", "pipes/b.jsonl"]);
  expect([silent.status, silent.timedOut]).toEqual([3, false]);
  expect(silent.err).toContain("nothing was written to the pipe pipes/b.jsonl for 5 s");
});

test.skipIf(noLinks)("does not follow a link up, and says so", async () => {
  const run = join(folder, "links");
  await mkdir(join(run, "step_1"), { recursive: true });
  await writeFile(join(run, "step_1", "a.jsonl"), GOOD_ROW);
  await symlink("/", join(run, "root"));
  await symlink("..", join(run, "step_1", "up"));
  const { status, out, err } = await runLimited(folder, ["report", "links"]);
  expect(status).toBe(0);
  expect((out + err).replace(/\s+/g, " ")).toContain("2 links to a parent directory were not followed");
});

test.skipIf(noUsers)("names a directory and a file that may not be read", async () => {
  const run = join(folder, "closed");
  await mkdir(join(run, "step_2"), { recursive: true });
  await writeFile(join(run, "a_1.jsonl"), GOOD_ROW);
  await writeFile(join(run, "a_2.jsonl"), GOOD_ROW);
  await chmod(join(run, "a_2.jsonl"), 0);
  await chmod(join(run, "step_2"), 0);
  const { status, out, err } = await runLimited(folder, ["report", "closed"], { uid: 65534 });
  expect(status).toBe(4);
  const said = (out + err).replace(/\s+/g, " ");
  expect(said).toContain("cannot read closed/a_2.jsonl: permission denied (EACCES)");
  expect(said).toContain("cannot list closed/step_2: permission denied (EACCES)");
});
