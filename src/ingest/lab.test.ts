import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { hasSharedData, LAB, REAL, warnIfAbsent } from "../../test/support/shared-data.ts";
import { pooledMetrics } from "../analyses/report/metrics.ts";
import type { RecordBatch } from "../core/schema/record.ts";
import {
  readAll,
  readError,
  splitPrompts,
  splitRows,
  withoutRepeats,
} from "../input/adapters/read.test-data.ts";
import { openGroups } from "./open-run.ts";

warnIfAbsent("the lab's recordings in all containers, and the public pairs");

const CONTAINERS = ["npz", "pt", "packed", "jsonl"] as const;

async function findFile(container: string, step: string): Promise<string> {
  const names = await readdir(`${LAB}main/${container}`);
  return `${LAB}main/${container}/${names.find((name) => name.startsWith(`step_${step}.`))}`;
}

/** What all four containers hold in common. */
function common(batch: RecordBatch): unknown {
  return {
    length: batch.length,
    offsets: batch.offsets,
    mask: batch.responseMask,
    ids: batch.responseTokenIds,
    prompts: splitPrompts(batch),
    rollout: batch.rolloutLogprobs,
    trainer: batch.trainerLogprobs,
    reference: batch.policyLogprobs.reference,
    advantages: batch.advantages,
    steps: batch.steps,
    rewards: batch.rewards,
    groups: batch.groupIds,
  };
}

describe.skipIf(!hasSharedData)("the lab's recordings", () => {
  it.each(["0001", "0500", "1000"])(
    "step %s is the same record in every container, token by token",
    async (step) => {
      const batches: RecordBatch[] = [];
      for (const container of CONTAINERS) {
        const { batches: read, findings } = await readAll(await findFile(container, step));
        expect(withoutRepeats(findings)).toEqual([]);
        expect(read).toHaveLength(1);
        batches.push(read[0]!);
      }
      const [npz, ...others] = batches;
      expect(npz!.length).toBe(64);
      expect(npz!.rolloutLogprobs).toBeInstanceOf(Float32Array);
      for (const other of others) expect(common(other)).toEqual(common(npz!));
      const [, pt, packed, jsonl] = batches;
      for (const other of [pt!, jsonl!]) expect(other.entropies).toEqual(npz!.entropies);
      expect(pt!.topK).toEqual(npz!.topK);
      expect(pt!.positionIds).toEqual(npz!.positionIds);
      expect(packed!.positionIds).toEqual(npz!.positionIds);
      expect([...pt!.correctness]).toEqual([...npz!.correctness]);
      expect([...jsonl!.correctness]).toEqual([...npz!.correctness]);
    },
  );

  it("reads one container of a run that was written in four", async () => {
    const { run, batches, findings } = await readAll(`${LAB}main`);
    const steps = (await readdir(`${LAB}main/npz`)).length;
    expect(run.name).toBe("main");
    expect(new Set(run.sources.map(({ format }) => format))).toEqual(new Set(["npz"]));
    expect(run.sources.map(({ step }) => step)).toEqual(
      [...new Set(run.sources.map(({ step }) => step!))].sort((a, b) => a - b),
    );
    expect(run.sources).toHaveLength(steps);
    expect(batches.reduce((sum, { length }) => sum + length, 0)).toBe(64 * steps);
    expect(withoutRepeats(findings).map(({ code, count }) => [code, count])).toEqual([
      ["duplicate", steps],
      ["duplicate", 3],
      ["duplicate", 3],
    ]);
  });

  it("finds the copying error that stale weights made", async () => {
    const { batches } = await readAll(`${LAB}stale/npz/step_0030.npz`);
    const [batch] = batches;
    expect(splitRows(batch!, batch!.rolloutLogprobs)![48]![39]).toBeCloseTo(-0.02, 2);
    expect(splitRows(batch!, batch!.trainerLogprobs)![48]![39]).toBeCloseTo(-10.72, 2);
    expect(batch!.rows[48]).toBe(48);
  });

  it("keeps runs side by side apart, or pools them with a warning", async () => {
    const { groups } = await openGroups([LAB], {});
    expect(groups.map(({ name }) => name)).toEqual(["int8", "main", "stale"]);
    const { run, findings } = await readAll(LAB, { steps: (step) => step === 100 });
    expect(run.runs).toEqual(["int8", "main", "stale"]);
    expect(run.sources.map(({ step }) => step)).toEqual([100, 100, 100]);
    expect(findings.map(({ message }) => message)).toContain(
      "the files belong to 3 runs (int8, main, stale) but are read as one",
    );
  });
});

const MEGATRON = `${REAL}NVIDIA__Megatron-LM/tests/functional_tests/test_cases/gpt/`;
const golden = (name: string): string => `${MEGATRON}${name}/golden_values_dev_dgx_h100.json`;
const TGI = `${REAL}huggingface__text-generation-inference/integration-tests/models/__snapshots__/`;

function maxDelta(batch: RecordBatch, sequence: number): number {
  const rollout = splitRows(batch, batch.rolloutLogprobs)![sequence]!;
  const trainer = splitRows(batch, batch.trainerLogprobs)![sequence]!;
  return Math.max(...rollout.map((value, t) => Math.abs(trainer[t]! - value)));
}

describe.skipIf(!hasSharedData)("public files that scored the same tokens", () => {
  it("Megatron-LM, dynamic against offline inference", async () => {
    const { run, batches, findings } = await readAll([
      golden("gpt_dynamic_inference_tp1_pp1_583m_logitsmatch"),
      golden("gpt_offline_inference_sync_tp1_pp1_583m_logitsmatch"),
    ]);
    const [batch] = batches;
    expect(batch!.sampleIds).toEqual(["0", "32", "64", "96", "127"]);
    expect([...batch!.offsets]).toEqual([0, 69, 197, 325, 453, 581]);
    const deltas = [1, 2, 3, 4].map((i) => Number(maxDelta(batch!, i).toFixed(3)));
    expect(deltas).toEqual([0.068, 0.09, 0.024, 0.054]);
    expect(maxDelta(batch!, 2)).toBeCloseTo(0.0905, 4);
    expect(findings.map(({ message }) => message)).toEqual([
      "3 entries are not generations: throughput, mem-max-allocated-bytes, lifetime_prefill_token_count",
      "1 entry is not a generation: throughput",
      "59 tokens after the point where 1 of 5 sequences diverges",
      "5 sequences joined from the two sides: 5 by id",
    ]);
    // Both engines prefill alike: all 1,361 log-probs of the prompts are equal to the last bit.
    const prompts = pooledMetrics(run.promptSummary()!);
    expect([prompts.tokens, prompts.sequences, prompts.delta_abs_max]).toEqual([1361, 5, 0]);
  });

  it("Megatron-LM, with and without CUDA graphs: exactly equal", async () => {
    const { batches } = await readAll([
      golden("gpt_static_inference_tp1_pp1_583m_logitsmatch"),
      golden("gpt_static_inference_tp1_pp1_583m_cudagraphs"),
    ]);
    expect(batches[0]!.length).toBe(1);
    expect(batches[0]!.trainerLogprobs).toEqual(batches[0]!.rolloutLogprobs);
    expect(batches[0]!.offsets[1]).toBe(30);
  });

  it("text-generation-inference, one device against two", async () => {
    const { run, batches } = await readAll([
      `${TGI}test_bloom_560m/test_bloom_560m_load.json`,
      `${TGI}test_bloom_560m_sharded/test_bloom_560m_sharded_load.json`,
    ]);
    expect(batches[0]!.length).toBe(4);
    expect(maxDelta(batches[0]!, 0)).toBeCloseTo(0.0137, 4);
    const prompts = pooledMetrics(run.promptSummary()!);
    expect([prompts.tokens, prompts.sequences]).toEqual([40, 4]);
    expect(prompts.delta_abs_max).toBeCloseTo(0.2021, 3);
  });

  it("xtuner's rollout file has no log-probs, and that is said", async () => {
    const error = await readError(`${REAL}InternLM__xtuner/tests/rl/rollout_output.jsonl`);
    expect([error._tag, error.message]).toEqual([
      "MissingSideError",
      "xtuner's rollout file holds text only: neither policy's log-probs are in it",
    ]);
  });
});
