import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRun } from "./open-run.ts";

let folder = "";
let good = "";
const ROW = `${JSON.stringify({ rollout_log_probs: [-1, -2], old_log_probs: [-1.5, -2.5], response_mask: [1, 1] })}\n`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-contain-"));
  good = join(folder, "good.jsonl");
  await writeFile(good, ROW.repeat(3));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** An input that fails after `rows` rows, as a bug in logratio would make it fail. */
async function* failing(rows: number, error: Error): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < rows; i++) yield Buffer.from(ROW);
  throw error;
}

test("what nobody foresaw in one input leaves the others their figures", async () => {
  const run = await openRun([good, "-"], { stdin: failing(0, new TypeError("x is not a function")) });
  let sequences = 0;
  for await (const batch of run.batches()) sequences += batch.length;
  expect(sequences).toBe(3);
  const [finding] = run.findings.list().filter(({ code }) => code === "file-skipped");
  expect(finding).toMatchObject({
    severity: "skipped",
    at: { file: "-" },
    message: expect.stringMatching(
      /logratio failed on this file: TypeError: x is not a function.*bug in logratio/,
    ),
    hint: expect.stringContaining("LOGRATIO_DEBUG=1"),
  });
});

test("memory that runs out is a limit, not a mistake", async () => {
  const opened = openRun(["-"], { stdin: failing(0, new RangeError("Array buffer allocation failed")) });
  await expect(opened).rejects.toMatchObject({ _tag: "LimitError" });
});

test("rows that all lack one side end the reading of their file, not of the run", async () => {
  const bad = join(folder, "one-side-later.jsonl");
  await writeFile(
    bad,
    '{"rollout_log_probs":[-1,-2],"old_log_probs":[-1]}\n{"old_log_probs":[-1]}\n{"old_log_probs":[-2]}\n',
  );
  const run = await openRun([good, bad]);
  let sequences = 0;
  for await (const batch of run.batches()) sequences += batch.length;
  expect(sequences).toBe(3);
  expect(run.skipped).toBe(1);
  expect(run.findings.list().map(({ message }) => message)).toContainEqual(
    expect.stringContaining("none of 2 sequences has rollout log-probs"),
  );
});
