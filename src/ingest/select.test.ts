import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FIXTURES, readAll, readError } from "../input/adapters/read.test-data.ts";
import { listSome } from "./select.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "select-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SEQUENCE = {
  response_ids: [1, 2],
  response_mask: [1, 1],
  rollout_log_probs: [-1, -2],
  old_log_probs: [-1, -2.5],
};

async function put(name: string, row: object): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `${JSON.stringify(row)}\n`);
  return path;
}

const said = (findings: Awaited<ReturnType<typeof readAll>>["findings"]): unknown[] =>
  findings.map(({ code, severity, at, omits }) => [code, severity, at.file, omits?.why]);

it("says that a named file without log-probs was skipped, and reads the rest", async () => {
  const good = await put("good.jsonl", SEQUENCE);
  const notes = await put("notes.jsonl", { title: "none of this is data" });
  const { batches, findings } = await readAll([good, notes]);
  expect(batches.map(({ length }) => length)).toEqual([1]);
  expect(said(findings)).toContainEqual(["file-skipped", "skipped", notes, "unreadable"]);
  expect(findings.find(({ code }) => code === "file-skipped")!.message).toMatch(
    /^notes\.jsonl cannot be read: /,
  );
});

it("loses nothing by such a file of a folder, unless it is named like those that are data", async () => {
  await put("good.jsonl", SEQUENCE);
  const notes = await put("notes.jsonl", { title: "none of this is data" });
  const { findings } = await readAll(folder);
  expect(said(findings)).toContainEqual(["no-data", "info", notes, "no_data"]);
  expect(findings.map(({ severity }) => severity)).not.toContain("skipped");

  await rm(notes);
  await put("step_1.jsonl", SEQUENCE);
  const second = await put("step_22.jsonl", { title: "none of this is data" });
  expect(said((await readAll(folder)).findings)).toContainEqual([
    "file-skipped",
    "skipped",
    second,
    "unreadable",
  ]);
});

it("says so of a named file with one side only, and hardly a word of one of a folder", async () => {
  const details = join(FIXTURES, "miles/details");
  const oneSided = async (...paths: string[]) =>
    (await readAll(paths)).findings.find(({ code }) => code === "one-sided");
  const [both, half] = [
    join(FIXTURES, "slime/details/train_data/12.pt"),
    join(details, "rollout_data/eval_7.pt"),
  ];
  expect(await oneSided(both, half)).toMatchObject({
    severity: "skipped",
    at: { file: half },
    omits: { unit: "file", why: "incomparable" },
  });
  expect(await oneSided(details)).toMatchObject({
    severity: "info",
    omits: { unit: "file", why: "no_data" },
  });
});

it("says why nothing can be read", async () => {
  await mkdir(join(folder, "empty"));
  const empty = await readError(join(folder, "empty"));
  expect(empty.message).toMatch(/^no recorded data under /);
  expect(empty.likely).toBe("the folder is empty");
  await mkdir(join(folder, "parts"));
  await put("parts/a.lrs", {});
  await put("parts/b.lrs", {});
  const parts = await readError(join(folder, "parts"));
  expect(parts.likely).toBe(
    "the 2 files there are parts that logratio summarize wrote, without sequences and tokens",
  );
  expect(parts.hint).toContain("logratio merge GIVEN");
  const notes = await put("notes.jsonl", { title: "none of this is data" });
  expect((await readError(notes)).at.file).toBe(notes);
});

it("lists five names, and how many more there are", () => {
  expect(listSome(["a", "b", "c", "d", "e"])).toBe("a, b, c, d, e");
  expect(listSome(["a", "b", "c", "d", "e", "f"])).toBe("a, b, c, d, e and 1 more");
  expect(listSome(["a", "b"], 1)).toBe("a and 1 more");
});

it("keeps the lines of a hook out of the list of findings", async () => {
  const good = await put("step_1.jsonl", SEQUENCE);
  const { old_log_probs: _, ...rollout } = SEQUENCE;
  const half = await put("step_2.jsonl", { ...rollout, responses: [1, 2] });
  const { findings } = await readAll([good, half]);
  expect(findings.find(({ code }) => code === "one-sided")!.hint).toBe(
    "make verl write both; logratio report step_2.jsonl, given alone, prints the lines",
  );
});

it("keeps one list of lines where files say the same", async () => {
  for (const step of [1, 2]) await put(`step_${step}.jsonl`, SEQUENCE);
  await put("step_3.jsonl", { ...SEQUENCE, reward: 1 });
  const [first, second, third] = (await readAll([folder])).run.sources;
  expect(second!.found).toBe(first!.found);
  expect(second!.missing).toBe(first!.missing);
  expect([third!.found, third!.missing]).not.toEqual([first!.found, first!.missing]);
});
