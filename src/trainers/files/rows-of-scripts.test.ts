import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordBatch } from "../../core/schema/record.ts";
import { readAll, readError, splitPrompts, splitRows } from "../../input/adapters/read.test-data.ts";
import { readOnePolicy } from "./one-policy.test-data.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-rows-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function put(text: string): Promise<string> {
  const path = join(folder, "rows.jsonl");
  await writeFile(path, text);
  return path;
}

const first = (batch: RecordBatch): Record<string, unknown> => ({
  tokens: splitRows(batch, batch.responseTokenIds)?.[0],
  mask: splitRows(batch, batch.responseMask)?.[0],
  rollout: splitRows(batch, batch.rolloutLogprobs)?.[0],
  trainer: splitRows(batch, batch.trainerLogprobs)?.[0],
  prompt: splitPrompts(batch)?.[0],
});

const NOTHING = { rollout: undefined, trainer: undefined, prompt: undefined };

/** Rows as these programs write them, with values of our own. */
describe("rows of one policy", () => {
  it.each<[program: string, row: string, is: Readonly<Record<string, unknown>>]>([
    [
      "agent-lightning's triplets",
      '{"response_ids": [7, 8, 9], "loss_mask": [1, 0, 1], "response_logprobs": [-0.5, null, -0.25], "reward": 1.0}',
      { tokens: [7, 8, 9], mask: [1, 0, 1], rollout: [-0.5, Number.NaN, -0.25] },
    ],
    [
      "OpenJiuwen's and NexRL's trajectories",
      '{"request": {"messages": []}, "trajectory": {"input_ids": [1, 2], "response_ids": [7, 8], "response_logprobs": [-0.5, -0.25]}, "judge": {"score": 0.5}}',
      { tokens: [7, 8], mask: [1, 1], rollout: [-0.5, -0.25] },
    ],
    [
      "cua's evidence",
      '{"call_index": 0, "prompt_token_ids": [1, 2], "sampled_token_ids": [7, 8], "sampled_logprobs": [-0.5, -0.25]}',
      { tokens: [7, 8], mask: [1, 1], rollout: [-0.5, -0.25], prompt: [1, 2] },
    ],
    [
      "a small GRPO script",
      '{"group_id": "g", "prompt_token_ids": [1, 2], "completion_token_ids": [7, 8], "old_logprobs": [-0.5, -0.25]}',
      { tokens: [7, 8], mask: [1, 1], trainer: [-0.5, -0.25], prompt: [1, 2] },
    ],
    [
      "Tinker's datum",
      '{"model_input": {"chunks": [{"type": "encoded_text", "tokens": [1, 2, 7, 8]}]}, "loss_fn_inputs": {"target_tokens": {"data": [2, 7, 8, 9], "dtype": "int64"}, "logprobs": {"data": [0.0, -0.5, 0.0, -0.25]}, "advantages": {"data": [0.0, 0.5, 0.5, 0.5]}, "mask": {"data": [0.0, 1.0, 0.0, 1.0]}}}',
      { tokens: [7, 8, 9], mask: [1, 0, 1], rollout: [-0.5, 0, -0.25], prompt: [1, 2] },
    ],
    [
      "Tinker's datum, as dataclasses.asdict gives it since its tensors are no longer pydantic models",
      '{"model_input": {"chunks": [{"tokens": [1, 2, 7], "type": "encoded_text"}]}, "loss_fn_inputs": {"target_tokens": {"dtype": "int64", "shape": [3], "sparse_crow_indices": null, "sparse_col_indices": null, "_numpy": [2, 7, 8]}, "logprobs": {"dtype": "float32", "shape": [3], "_numpy": [0.0, -0.5, -0.25]}, "mask": {"dtype": "float32", "shape": [3], "_numpy": [0.0, 1.0, 1.0]}}}',
      { tokens: [7, 8], mask: [1, 1], rollout: [-0.5, -0.25], prompt: [1, 2] },
    ],
    [
      "Tinker's datum, whose mask was removed before it was sent",
      '{"model_input": {"chunks": [{"tokens": [1, 2, 7]}]}, "loss_fn_inputs": {"target_tokens": {"data": [2, 7, 8]}, "logprobs": {"data": [0.0, -0.5, -0.25]}, "advantages": {"data": [0.0, 0.5, 0.5]}}}',
      { tokens: [7, 8], mask: [1, 1], rollout: [-0.5, -0.25], prompt: [1, 2] },
    ],
  ])("%s", async (_program, row, is) => {
    const { batch } = await readOnePolicy(await put(`${row}\n${row}\n`));
    expect(first(batch)).toEqual({ ...NOTHING, ...is });
    expect(batch.length).toBe(2);
  });

  it("a datum whose inputs have different lengths is left out", async () => {
    const datum = (logprobs: number[]): string =>
      `${JSON.stringify({
        model_input: { chunks: [{ tokens: [1, 2] }] },
        loss_fn_inputs: { target_tokens: { data: [2, 7] }, logprobs: { data: logprobs } },
      })}\n`;
    const { batch, findings } = await readOnePolicy(await put(datum([0, -0.5]) + datum([0, -0.5, -1])));
    expect(splitRows(batch, batch.rolloutLogprobs)).toEqual([[-0.5]]);
    expect(findings.list().map(({ message }) => message)).toEqual([
      "1 row cannot be read: its loss_fn_inputs have different lengths: 2, 3, 3, 2",
    ]);
  });
});

it("a row that Python printed with both policies' log-probs is not a server's reply", async () => {
  const row =
    "{'tokens': [7, 8, 9], 'rollout_log_probs': [-0.5, -0.25, nan], 'log_probs': [-0.5, -0.75, -1.0], 'loss_mask': [1, 1, 0]}\n";
  const { batches } = await readAll(await put(row + row));
  expect(first(batches[0]!)).toMatchObject({
    mask: [1, 1, 0],
    rollout: [-0.5, -0.25, Number.NaN],
    trainer: [-0.5, -0.75, -1],
  });
});

it("samples of lm-evaluation-harness hold no token's log-prob", async () => {
  const sample =
    '{"doc_id": 0, "doc": {"question": "2 + 2"}, "target": "4", "arguments": [["2 + 2", " 4"]], "resps": [[[-1.5, false]]], "filtered_resps": [[-1.5, false]], "acc": 1.0}\n';
  const error = await readError(await put(sample + sample));
  expect(error.message).toBe(
    "samples of an evaluation (lm-evaluation-harness, --log_samples): they hold one log-likelihood for each answer, not one for each token",
  );
  expect(error.hint).toBe("score the same texts with both models: logratio score");
});
