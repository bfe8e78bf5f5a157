import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAll, splitPrompts, splitRows } from "../../../input/adapters/read.test-data.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-open-instruct-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A line of `_save_trainer_logprobs`: a pack of two sequences and padding. */
const PACK = {
  step: 7,
  sample_idx: 0,
  sp_size: 1,
  trainer_logprobs: [-9, -1, -2, -9, -3, 0],
  response_mask: [false, true, true, false, true, false],
  logprob_token_offset: 1,
  rank: 1,
  world_size: 2,
  token_ids: [1, 2, 3, 4, 5, 0],
  vllm_logprobs: [0, -1.5, -2.5, 0, -3.5, 0],
  attention_mask: [1, 1, 1, 2, 2, 0],
};

async function read(rows: readonly object[]) {
  const file = join(folder, "run_trainer_logprobs_step000007_rank00001.jsonl");
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return readAll(file);
}

describe("the trainer's log-probs of open-instruct", () => {
  it("are packs, whose attention mask numbers their sequences", async () => {
    const { run, batches, findings } = await read([PACK, PACK]);
    const [batch] = batches;
    expect(run.sources[0]).toMatchObject({ trainer: "open-instruct", step: 7, rank: 1 });
    expect(splitRows(batch!, batch!.rolloutLogprobs)).toEqual([[-1.5, -2.5], [-3.5], [-1.5, -2.5], [-3.5]]);
    expect(splitRows(batch!, batch!.trainerLogprobs)).toEqual([[-1, -2], [-3], [-1, -2], [-3]]);
    expect(splitPrompts(batch!)).toEqual([[1], [4], [1], [4]]);
    expect([...batch!.rows]).toEqual([0, 1, 2, 3]);
    expect(findings.filter(({ severity }) => severity === "skipped")).toEqual([]);
  });

  it("say so where rows are slices, or where the engine gave none", async () => {
    const { run } = await read([{ ...PACK, sp_size: 2 }]);
    expect(run.sources[0]!.guessed.at(-1)).toContain("one of 2 slices");
    const { vllm_logprobs: _, ...alone } = PACK;
    const file = join(folder, "alone.jsonl");
    await writeFile(file, `${JSON.stringify(alone)}\n`);
    expect((await readAll(file, { onePolicy: true })).run.onePolicy?.has).toBe("trainer");
  });
});
