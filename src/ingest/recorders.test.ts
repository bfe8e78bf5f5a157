import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readAll } from "../input/adapters/read.test-data.ts";
import { writeRecord } from "./writing/write-record.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recorders-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const [A, B] = ["a1b2c3d4".repeat(4), "0f0e0d0c".repeat(4)];

async function record(recorder: string | undefined, steps: readonly number[], rank = 0): Promise<void> {
  for (const step of steps) {
    const value = -1 - step / 8 - (recorder === A ? 0 : 0.25);
    const row = { step, rank, recorder, rollout_logprobs: [value, -2], trainer_logprobs: [value, -2.5] };
    await writeFile(
      join(folder, `step_${step}.rank_${rank}.${recorder ?? "none"}.jsonl`),
      `${JSON.stringify(row)}\n`,
    );
  }
}

async function said(): Promise<string[]> {
  const { findings } = await readAll(folder);
  return findings.filter(({ hint }) => hint?.includes("recorder:")).map(({ message }) => message);
}

describe("steps recorded by several recorders", () => {
  it("are named, with their steps and a way to keep one", async () => {
    await record(A, [0, 1, 2, 3]);
    await record(B, [1, 2]);
    await record(undefined, [3]);
    const { findings, batches } = await readAll(folder);
    expect(batches.flatMap((batch) => batch.recorders ?? [undefined])).toEqual([A, B, A, B, A, A, undefined]);
    expect(findings.filter(({ hint }) => hint?.includes("recorder:"))).toEqual([
      {
        code: "duplicate",
        severity: "warning",
        message:
          "steps 1–2 were recorded twice, by 2 recorders of the same rank (0f0e0d0c, a1b2c3d4): all of them are read",
        count: 2,
        at: { file: join(folder, `step_1.rank_0.${A}.jsonl`) },
        likely: "a second run was recorded into the same folder, or a run was resumed from an earlier step",
        hint: "keep one of them: give only its files, or --filter recorder:a1b2c3d4",
      },
    ]);
  });

  it("but not the ranks of one run, which have a recorder each", async () => {
    await record(A, [0, 1]);
    await record(B, [0, 1], 1);
    expect(await said()).toEqual([]);
  });

  it("keep their recorder in Parquet", async () => {
    await record(A, [0]);
    await record(B, [0]);
    const { batches: read } = await readAll(folder);
    const path = join(folder, "run.parquet");
    await writeRecord(
      path,
      (async function* () {
        yield* read;
      })(),
    );
    const { batches } = await readAll(path);
    expect(batches.flatMap((batch) => batch.recorders ?? [])).toEqual([B, A]);
  });
});
