import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  EXPECTED,
  FIXTURES,
  readAll,
  readError,
  splitPrompts,
  splitRows,
} from "../../input/adapters/read.test-data.ts";
import { detectFile, type Manner, readOnePolicy } from "./one-policy.test-data.ts";

const MANNERS: readonly Manner[] = ["whole", "in slices of 7 bytes", "without its name"];
const each = (files: readonly string[]): [string, Manner][] =>
  files.flatMap((file) => MANNERS.map((manner): [string, Manner] => [file, manner]));
/** Where a mask is 0 the engine scored nothing. */
const sampledOnly = (rows: number[][]): number[][] =>
  rows.map((row, i) => row.map((value, t) => (EXPECTED.masks[i]![t] === 0 ? Number.NaN : value)));

describe("traces: lists of objects become sequences", () => {
  it.each(
    each([
      "nemo-gym/rollouts.jsonl",
      "rllm/episodes.jsonl",
      "verifiers/rollouts/step_12/train/all/traces.jsonl",
    ]),
  )("%s, %s", async (file, manner) => {
    const { batch, match } = await readOnePolicy(FIXTURES + file, manner);
    // verifiers' first episode has a second path, behind the first.
    const rows = file.startsWith("verifiers") ? [0, 2, 3] : [0, 1, 2];
    const pick = <T>(all: readonly T[] | undefined): T[] => rows.map((row) => all![row]!);
    expect(match.onePolicy?.has).toBe("rollout");
    expect(pick(splitPrompts(batch))).toEqual(EXPECTED.prompts);
    expect(pick(splitRows(batch, batch.responseTokenIds))).toEqual(EXPECTED.responses);
    expect(pick(splitRows(batch, batch.responseMask))).toEqual(EXPECTED.masks);
    expect(pick(splitRows(batch, batch.rolloutLogprobs))).toEqual(sampledOnly(EXPECTED.rollout));
    expect(batch.trainerLogprobs).toBeUndefined();
    expect(pick([...batch.rewards])).toEqual(EXPECTED.rewards);
    expect(pick(batch.environments)).toEqual(EXPECTED.environments);
    const groups = file.startsWith("nemo-gym") ? ["0", "0", "1"] : EXPECTED.groups;
    expect(pick(batch.groupIds)).toEqual(groups);
  });

  it("counts tokens that two paths of a verifiers trace share once", async () => {
    const { batch } = await readOnePolicy(`${FIXTURES}verifiers/rollouts/step_12/train/all/traces.jsonl`);
    expect(batch.sampleIds).toEqual(["t0", "t0.1", "t1", "t2"]);
    expect(splitPrompts(batch)![1]).toEqual([1, 10, 11, 20, 21, 60, 61]);
    expect(splitRows(batch, batch.responseTokenIds)![1]).toEqual([62, 2]);
    expect(splitRows(batch, batch.rolloutLogprobs)![1]).toEqual([-0.25, -0.5]);
    const sampled = EXPECTED.masks.flat().reduce((a, c) => a + c, 0);
    expect(batch.responseMask.reduce((a, c) => a + c, 0)).toBe(sampled + 2);
  });

  it("leaves out an episode whose log-probs do not fit, or whose nodes are tangled on purpose", async () => {
    const folder = await mkdtemp(join(tmpdir(), "logratio-traces-"));
    try {
      const node = (parent: number | null, logprobs: number[]): object => ({
        parent,
        message: { role: "assistant" },
        token_ids: [5, 6],
        mask: [true, true],
        logprobs,
      });
      const depth = 4000;
      const chain = Array.from({ length: depth }, (_, i) => node(i === 0 ? null : i - 1, [-1, -1]));
      const leaves = Array.from({ length: depth }, () => node(depth - 1, [-1, -1]));
      const episodes = [
        [node(null, [-1, -2])],
        [node(null, [-1, -2, -3])],
        // A parent behind its child, and itself: no path has an end by them.
        [node(1, [-1, -2]), node(1, [-1, -2])],
        [...chain, ...leaves],
      ].map((nodes) => ({ traces: [{ nodes }] }));
      const path = join(folder, "traces.jsonl");
      await writeFile(path, episodes.map((episode) => `${JSON.stringify(episode)}\n`).join(""));
      const { batch, findings } = await readOnePolicy(path);
      expect([...batch.rows]).toEqual([0, 2]);
      expect(findings.list().map(({ message, count }) => [message, count])).toEqual([
        ["2 rows cannot be read, the first: logprobs: 3 values for 2 tokens, 2 of them sampled", 2],
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("gives the tokens of each rLLM step the version of its weights", async () => {
    const { batch } = await readOnePolicy(`${FIXTURES}rllm/episodes.jsonl`);
    expect(splitRows(batch, batch.weightVersions)![0]).toEqual([11, 11, -1, -1, 12]);
    expect([...batch.correctness]).toEqual([1, 0, 0]);
  });

  it("reads each captured call of NeMo-Gym as a sequence", async () => {
    const { batch } = await readOnePolicy(`${FIXTURES}nemo-gym/captured.jsonl`);
    expect(splitPrompts(batch)![1]).toEqual([1, 10, 11, 20, 21, 22, 23]);
    expect(splitRows(batch, batch.responseTokenIds)![1]).toEqual([2]);
    expect(batch.sampleIds).toEqual(["r0", "r0", "r1", "r2"]);
  });

  it("reads each choice of an ART trajectory as a sequence", async () => {
    const { batch } = await readOnePolicy(`${FIXTURES}art/trajectories.jsonl`);
    expect(splitRows(batch, batch.responseTokenIds)).toEqual([[20, 21], [2], [30, 31, 2], [40, 2]]);
    expect(splitRows(batch, batch.rolloutLogprobs)!.slice(2)).toEqual(EXPECTED.rollout.slice(1));
    expect([...batch.rewards]).toEqual([1, 1, 0, 0.5]);
  });

  it.each(MANNERS)("open-instruct, %s", async (manner) => {
    const { batch } = await readOnePolicy(`${FIXTURES}open-instruct/run_rollouts_000000.jsonl`, manner);
    expect(splitRows(batch, batch.responseTokenIds)).toEqual(EXPECTED.responses);
    expect(splitRows(batch, batch.rolloutLogprobs)).toEqual(sampledOnly(EXPECTED.rollout));
    expect([...batch.rewards]).toEqual(EXPECTED.rewards);
    expect([...batch.steps]).toEqual([12, 12, 12]);
  });

  it.each(MANNERS)("xtuner's debug rollout, a pickle of objects that are never built, %s", async (manner) => {
    const { batch, match } = await readOnePolicy(`${FIXTURES}xtuner-debug/debug_rollout_12.pt`, manner);
    expect(match.onePolicy?.error.message).toBe(
      "this is xtuner's debug rollout: it holds the rollout policy's log-probs, not the trainer's",
    );
    expect(splitPrompts(batch)).toEqual(EXPECTED.prompts);
    expect(splitRows(batch, batch.responseTokenIds)).toEqual(EXPECTED.responses);
    expect(splitRows(batch, batch.responseMask)).toEqual(EXPECTED.masks);
    expect(splitRows(batch, batch.rolloutLogprobs)).toEqual(EXPECTED.rollout);
    expect([...batch.rewards]).toEqual(EXPECTED.rewards);
    expect(batch.groupIds).toEqual(["7", "7", "8"]);
  });

  it.each(MANNERS)("MaxText's N − 1 log-probs score all tokens but the first, %s", async (manner) => {
    const { batch, match } = await readOnePolicy(`${FIXTURES}maxtext/golden_data_sft_default.jsonl`, manner);
    expect(match.onePolicy?.has).toBe("trainer");
    expect(batch.provenance.alignment).toBe("next-token");
    expect(splitPrompts(batch)).toEqual([[9], [9], [9]]);
    expect(splitRows(batch, batch.responseTokenIds)).toEqual(EXPECTED.responses);
    expect(splitRows(batch, batch.trainerLogprobs)).toEqual(EXPECTED.trainer);
  });
});

describe("dumps of one policy say what writes the other", () => {
  it.each([
    [
      "verifiers/rollouts/step_12/train/all/traces.jsonl",
      "these are verifiers traces: they hold the rollout policy's log-probs, not the trainer's",
      "monitors/file/traces/annotations",
    ],
    [
      "nemo-gym/rollouts.jsonl",
      "these are NeMo-Gym rollouts: they hold the rollout policy's log-probs, not the trainer's",
      "train_data_step*.jsonl",
    ],
    [
      "nemo-gym/evaluation.jsonl",
      "these are NeMo-Gym rollouts: they hold neither token ids nor log-probs",
      "return_token_id_information: true",
    ],
    [
      "rllm/episode_hash01_idg0_0.json",
      "this is rLLM's episode log: it holds only text, neither policy's log-probs",
      "episode.to_dict()",
    ],
    [
      "art/logged.jsonl",
      "these are ART trajectories: they hold neither policy's log-probs",
      "model_dump_json()",
    ],
    [
      "maxtext/golden_data_grpo_default.jsonl",
      "this is MaxText's GRPO golden file: it holds one policy's log-probs of the generated part",
      "give both",
    ],
  ])("%s", async (file, message, hint) => {
    const { problem, onePolicy } = await detectFile(FIXTURES + file);
    const error = problem ?? onePolicy?.error;
    expect([error?._tag, error?.message]).toEqual(["MissingSideError", message]);
    expect(error?.hint).toContain(hint);
  });
});

describe("AReaL's batch", () => {
  it.each(["before_advantages.pt", "decoupled.pt", "in_update.pt"])(
    "%s: both sides about the same token",
    async (name) => {
      const { batches } = await readAll(`${FIXTURES}areal/${name}`);
      const [batch] = batches;
      expect(splitPrompts(batch!)).toEqual(EXPECTED.prompts);
      expect(splitRows(batch!, batch!.responseTokenIds)).toEqual(EXPECTED.responses);
      expect(splitRows(batch!, batch!.responseMask)).toEqual(EXPECTED.masks);
      expect(splitRows(batch!, batch!.trainerLogprobs)).toEqual(EXPECTED.trainer);
      const unsigned = splitRows(batch!, batch!.rolloutLogprobs)!.map((row) => row.map((value) => value + 0));
      expect(unsigned).toEqual(EXPECTED.rollout);
      // The update has taken them away.
      expect([...batch!.rewards]).toEqual(name === "in_update.pt" ? [NaN, NaN, NaN] : EXPECTED.rewards);
      expect(splitRows(batch!, batch!.weightVersions)![0]).toEqual([11, 11, 11, 11, 11]);
    },
  );

  it("says that logprobs were overwritten without decoupled loss", async () => {
    const error = await readError(`${FIXTURES}areal/overwritten.pt`);
    expect([error._tag, error.message]).toEqual([
      "MissingSideError",
      "logprobs and prox_logp of this AReaL batch are identical: every Δ would be 0",
    ]);
    expect(error.hint).toContain("actor.use_decoupled_loss=true");
  });
});
