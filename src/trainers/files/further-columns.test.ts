import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeRecord } from "../../ingest/writing/index.ts";
import { readAll, splitRows } from "../../input/adapters/read.test-data.ts";
import { FIELD_LABELS, FURTHER_COLUMNS } from "../../input/adapters/shared/fields.ts";

const RESCORED = [-0.5, -1.5, -2.5];
const FLOAT32 = [-0.625, -1.625, -2.625];
const ROW = {
  response_ids: [5, 6, 7],
  response_mask: [1, 1, 1],
  rollout_log_probs: [-0.25, -1.25, -2.25],
  old_log_probs: [-0.75, -1.75, -2.75],
};

/** One sequence of prompt [1, 2] and response [5, 6, 7], as each trainer lays it out. */
const DUMPS: Readonly<
  Record<string, (name: string) => { readonly file: string; readonly rows: readonly object[] }>
> = {
  slime: (name) => ({
    file: "train.json",
    rows: [
      {
        ...{ rollout_id: 1, rank: 0 },
        rollout_data: {
          response_lengths: [3],
          tokens: [[1, 2, 5, 6, 7]],
          loss_masks: [[1, 1, 1]],
          rollout_log_probs: [ROW.rollout_log_probs],
          log_probs: [ROW.old_log_probs],
          [name]: [RESCORED],
        },
      },
    ],
  }),
  skyrl: (name) => ({
    file: "batch.json",
    rows: [
      {
        sequences: [[0, 1, 2, 5, 6, 7]],
        attention_mask: [[0, 1, 1, 1, 1, 1]],
        response_mask: [[0, 1, 1, 1]],
        rollout_logprobs: [[0, ...ROW.rollout_log_probs]],
        action_log_probs: [[0, ...ROW.old_log_probs]],
        [name]: [[0, ...RESCORED]],
      },
    ],
  }),
  roll: (name) => ({
    file: "step.json",
    rows: [
      {
        input_ids: [[1, 2, 5, 6, 7, 0]],
        attention_mask: [[1, 1, 1, 1, 1, 0]],
        response_mask: [[0, 0, 1, 1, 1, 0]],
        infer_logprobs: [[0, ...ROW.rollout_log_probs, 0]],
        old_log_probs: [[0, ...ROW.old_log_probs, 0]],
        [name]: [[0, ...RESCORED, 0]],
      },
    ],
  }),
  areal: (name) => ({
    file: "batch.json",
    rows: [
      {
        input_ids: [[1, 2, 5, 6, 7, 0]],
        attention_mask: [[1, 1, 1, 1, 1, 0]],
        loss_mask: [[0, 0, 1, 1, 1, 0]],
        logprobs: [[0, 0, ...ROW.rollout_log_probs, 0]],
        prox_logp: [[0, ...ROW.old_log_probs, 0, 0]],
        [name]: [[0, 0, ...RESCORED, 0]],
      },
    ],
  }),
  "nemo-rl": (name) => ({
    file: "train_data_step1.jsonl",
    rows: [
      {
        token_ids: [[1, 2, 5, 6, 7]],
        token_loss_mask: [[0, 0, 1, 1, 1]],
        generation_logprobs: [[0, 0, ...ROW.rollout_log_probs]],
        prev_logprobs: [[0, 0, ...ROW.old_log_probs]],
        [name]: [[0, 0, ...RESCORED]],
      },
    ],
  }),
  "prime-rl": (name) => ({
    file: "rank_0.jsonl",
    rows: [
      {
        ...{ schema_version: 1, step: 1, rank: 0 },
        token_ids: [1, 2, 5, 6, 7],
        loss_mask: [false, false, true, true, true],
        inference_logprobs: [0, 0, ...ROW.rollout_log_probs],
        trainer_logprobs: [0, 0, ...ROW.old_log_probs],
        [name]: [0, 0, ...RESCORED],
      },
    ],
  }),
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

describe("the engine's prefill is the policy rescore, and the same weights in float32 the policy float32", () => {
  it.each(FURTHER_COLUMNS)("%s in verl rows, as %s", async (field, name) => {
    const file = await write(`verl-${name}.jsonl`, { ...ROW, [name]: RESCORED, data_source: "a", acc: 1 });
    const { batches, run, findings } = await readAll(file);
    expect(run.sources[0]!.trainer).toBe("verl");
    expect(splitRows(batches[0]!, batches[0]!.policyLogprobs[field])).toEqual([RESCORED]);
    expect(run.sources[0]!.found.join()).toContain(`${FIELD_LABELS[field]}: ${name}`);
    expect(findings).toEqual([]);
  });

  it("any file's column, by its flag", async () => {
    const { rollout_log_probs: a, old_log_probs: c, ...rest } = ROW;
    const file = await write("own.jsonl", { ...rest, lp: { a, b: RESCORED, c, d: FLOAT32 } });
    const mapping = { rollout: "lp.a", rescore: "lp.b", trainer: "lp.c", float32: "lp.d" };
    const [batch] = (await readAll(file, { mapping })).batches;
    expect(splitRows(batch!, batch!.policyLogprobs.rescore)).toEqual([RESCORED]);
    expect(splitRows(batch!, batch!.policyLogprobs.float32)).toEqual([FLOAT32]);
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
        fp32_logprobs: [...FLOAT32, 0],
      }),
    );
    expect(batches[0]!.provenance.alignment).toBe("next-token");
    expect(splitRows(batches[0]!, batches[0]!.policyLogprobs.rescore)).toEqual([RESCORED]);
    expect(splitRows(batches[0]!, batches[0]!.policyLogprobs.float32)).toEqual([FLOAT32]);
  });

  describe.each(Object.entries(DUMPS))("%s", (trainer, make) => {
    it.each(FURTHER_COLUMNS)("%s as %s, at the response's tokens", async (field, name) => {
      const { file, rows } = make(name);
      const { batches, run } = await readAll(await write(`${trainer}-${name}-${file}`, ...rows));
      expect(run.sources[0]!.trainer).toBe(trainer);
      expect(splitRows(batches[0]!, batches[0]!.policyLogprobs[field])).toEqual([RESCORED]);
      expect(splitRows(batches[0]!, batches[0]!.rolloutLogprobs)).toEqual([ROW.rollout_log_probs]);
      expect(run.sources[0]!.found.join("\n")).toContain(`${FIELD_LABELS[field]}: ${name}, `);
    });
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
