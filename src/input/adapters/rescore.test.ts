import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeRecord } from "../ingest/index.ts";
import { readAll, splitRows } from "./read.test-data.ts";
import { RESCORE_NAMES } from "./shared/fields.ts";

const RESCORED = [-0.5, -1.5, -2.5];
const ROW = {
  response_ids: [5, 6, 7],
  response_mask: [1, 1, 1],
  rollout_log_probs: [-0.25, -1.25, -2.25],
  old_log_probs: [-0.75, -1.75, -2.75],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-rescore-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, ...rows: readonly object[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}

describe("the engine's prefill of the finished text is the policy rescore", () => {
  it.each(RESCORE_NAMES.rescore)("verl rows, as %s", async (name) => {
    const file = await write(`verl-${name}.jsonl`, { ...ROW, [name]: RESCORED, data_source: "a", acc: 1 });
    const { batches, run, findings } = await readAll(file);
    expect(run.sources[0]!.trainer).toBe("verl");
    expect(splitRows(batches[0]!, batches[0]!.policyLogprobs.rescore)).toEqual([RESCORED]);
    expect(run.sources[0]!.found.join()).toContain(`re-scored rollout log-probs: ${name}`);
    expect(findings).toEqual([]);
  });

  it("any file's column, by its flag", async () => {
    const { rollout_log_probs: a, old_log_probs: c, ...rest } = ROW;
    const file = await write("own.jsonl", { ...rest, lp: { a, b: RESCORED, c } });
    const mapping = { rollout: "lp.a", rescore: "lp.b", trainer: "lp.c" };
    const [batch] = (await readAll(file, { mapping })).batches;
    expect(splitRows(batch!, batch!.policyLogprobs.rescore)).toEqual([RESCORED]);
    expect(splitRows(batch!, batch!.rolloutLogprobs)).toEqual([a]);
  });

  it("xtuner's packs, moved as their other columns are", async () => {
    const { batches } = await readAll(
      await write("packs.jsonl", {
        num_tokens: [4],
        input_ids: [1, 5, 6, 7],
        shifted_labels: [5, 6, 7, -100],
        rollout_logprobs: [-0.25, -1.25, -2.25, 0],
        old_logprobs: [-0.75, -1.75, -2.75, 0],
        rescored_logprobs: [...RESCORED, 0],
      }),
    );
    expect(batches[0]!.provenance.alignment).toBe("next-token");
    expect(splitRows(batches[0]!, batches[0]!.policyLogprobs.rescore)).toEqual([RESCORED]);
  });

  it("the record, where `convert` keeps it", async () => {
    const { batches } = await readAll(await write("kept.jsonl", { ...ROW, rescored_log_probs: RESCORED }));
    const files = await writeRecord(
      join(folder, "kept.parquet"),
      (async function* () {
        yield* batches;
      })(),
    );
    const [kept] = (await readAll(files)).batches;
    expect(splitRows(kept!, kept!.policyLogprobs.rescore)).toEqual([RESCORED]);
  });
});
