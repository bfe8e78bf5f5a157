import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readAll, readError } from "../input/adapters/read.test-data.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sides-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, rows: readonly object[]): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return path;
}

/** A generation batch under verl's names; below, the trainer's log-probs of the same rows. */
const generated = (id: string, ids: number[]): object => ({
  request_id: id,
  responses: ids,
  response_mask: ids.map(() => 1),
  rollout_log_probs: ids.map((token) => -token / 8),
});
const trained = (id: string, ids: number[]): object => ({
  request_id: id,
  responses: ids,
  response_mask: ids.map(() => 1),
  old_log_probs: ids.map((token) => -token / 16),
});

describe("rollouts in one file and the trainer's log-probs in another", () => {
  it("of several runs are not joined across them", async () => {
    for (const run of ["a", "b"]) {
      await put(`${run}/rollout.jsonl`, [generated("x", [1, 2])]);
      await put(`${run}/trainer.jsonl`, [trained("x", [1, 2])]);
    }
    const { _tag, message, hint } = await readError(folder);
    expect([_tag, message]).toEqual([
      "UsageError",
      "a, b are 2 runs, each with rollout and trainer log-probs in separate files, which can only be joined one run at a time",
    ]);
    expect(hint).toContain("give the folder of one run");
    expect((await readAll(join(folder, "a"))).batches[0]!.sampleIds).toEqual(["x"]);
  });

  it("are joined by id, whichever file is given first", async () => {
    const a = await put("rollout.jsonl", [generated("x", [1, 2]), generated("y", [3]), generated("z", [4])]);
    const b = await put("trainer.jsonl", [trained("z", [4]), trained("x", [1, 2])]);
    for (const paths of [
      [a, b],
      [b, a],
    ]) {
      const { run, batches, findings } = await readAll(paths);
      const [batch] = batches;
      expect(batch!.sampleIds).toEqual(["x", "z"]);
      expect([...batch!.rolloutLogprobs!]).toEqual([-0.125, -0.25, -0.5]);
      expect([...batch!.trainerLogprobs!]).toEqual([-0.0625, -0.125, -0.25]);
      expect(batch!.provenance).toMatchObject({ file: `${a} + ${b}`, trainer: "pair" });
      expect(run.sources.map(({ guessed }) => guessed.at(-1))).toEqual([
        "the rollout side, because it has the rollout's log-probs",
        "the trainer side, because it has the trainer's log-probs",
      ]);
      expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
        ["info", "2 sequences joined from the two sides: 2 by id"],
        ["skipped", `1 sequence has no counterpart in ${b}: its id is not there`],
      ]);
    }
  });

  it("lie in folders too, and steps come from the names of files", async () => {
    for (const step of [1, 2]) {
      await put(`run/rollout_step_${step}.jsonl`, [generated("x", [step, 9]), generated("y", [7])]);
      await put(`run/trainer_step_${step}.jsonl`, [trained("y", [7]), trained("x", [step, 9])]);
    }
    const { batches } = await readAll(join(folder, "run"));
    const [batch] = batches;
    expect([...batch!.steps]).toEqual([1, 1, 2, 2]);
    expect([...batch!.responseTokenIds!]).toEqual([1, 9, 7, 2, 9, 7]);
    const later = await readAll(join(folder, "run"), { steps: (step) => step === 2 });
    expect([...later.batches[0]!.responseTokenIds!]).toEqual([2, 9, 7]);
  });

  it("of the same policy are two steps and no pair, unless --pair says so", async () => {
    const paths = [
      await put("a.jsonl", [generated("x", [1, 2])]),
      await put("b.jsonl", [generated("x", [1, 2])]),
    ];
    expect((await readError(paths))._tag).toBe("MissingSideError");
    const { batches } = await readAll(paths, { pair: true });
    expect([...batches[0]!.trainerLogprobs!]).toEqual([-0.125, -0.25]);
  });

  it("of no common sequence are refused with what would join them", async () => {
    const a = await put("a.jsonl", [generated("x", [1, 2]), generated("w", [2, 1])]);
    const b = await put("b.jsonl", [trained("y", [3, 4])]);
    const error = await readError([a, b]);
    expect([error.message, error.hint]).toEqual([
      `none of 2 sequences in ${a} has a counterpart among the 1 in ${b}`,
      "give two files with the same ids, the same groups, or the same prompts",
    ]);
  });

  it("a server's scores of a generation batch are its trainer side", async () => {
    const a = await put("rollout.jsonl", [generated("x", [1, 2])]);
    const b = await put("scores.jsonl", [{ custom_id: "x", token_ids: [1, 2], logprobs: [-0.5, -1] }]);
    const { batches } = await readAll([a, b]);
    expect([...batches[0]!.trainerLogprobs!]).toEqual([-0.5, -1]);
  });
});
