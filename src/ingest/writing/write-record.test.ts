import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { Provenance, RecordBatch, Sampling, Sides } from "../../core/schema/record.ts";
import type { SequenceDraft } from "../../core/schema/sequence-draft.ts";
import { openRun } from "../open-run.ts";
import { writeRecord } from "./write-record.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "record-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const VERL: Provenance = { file: "a/step_1.npz", format: "npz", trainer: "verl", alignment: "token" };
const XTUNER: Provenance = { file: "b.pt", format: "torch", trainer: "xtuner", alignment: "next-token" };

function pack(
  drafts: readonly SequenceDraft[],
  provenance: Provenance = VERL,
  sampling: Sampling = {},
  sides?: Sides,
): RecordBatch {
  const builder = createRecordBuilder({ provenance, sampling, ...(sides && { sides }) });
  for (const draft of drafts) builder.push(draft);
  return builder.flush();
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function roundTrip(name: string, batches: readonly RecordBatch[]): Promise<RecordBatch[]> {
  const files = await writeRecord(join(folder, name, "run.parquet"), each(batches));
  const run = await openRun(files);
  const read: RecordBatch[] = [];
  for await (const batch of run.batches()) read.push(batch);
  return read;
}

const full: SequenceDraft = {
  length: 3,
  responseMask: Uint8Array.of(1, 0, 1),
  rolloutLogprobs: Float32Array.of(-0.1, Number.NaN, -Infinity),
  trainerLogprobs: Float64Array.of(-0.1234567890123, -2, Number.NaN),
  responseTokenIds: Int32Array.of(5, 151643, 0),
  policyLogprobs: {
    reference: Float32Array.of(-1, -2, -3),
    "rlvr step/100": Float32Array.of(-4, -5, Number.NaN),
  },
  entropies: { rollout: Float32Array.of(0, 1, 2), trainer: Float32Array.of(0.5, Number.NaN, 2) },
  topK: {
    trainer: {
      k: 2,
      ids: Int32Array.of(1, 2, 3, -1, 5, 6),
      logprobs: Float32Array.of(-1, -2, -3, Number.NaN, -5, -6),
    },
  },
  advantages: Float32Array.of(0.25, 0, -0.25),
  positionIds: Int32Array.of(4, 5, 6),
  keptMass: Float32Array.of(1, 0.5, Number.NaN),
  routeAgreement: Float32Array.of(0.25, 1, 0),
  trainerPromptTokenIds: Int32Array.of(1, 11, 12),
  finishReason: "length",
  engineId: "engine 3",
  cachedTokens: 1,
  weightVersions: Int32Array.of(7, 7, 8),
  promptTokenIds: Int32Array.of(1, 10),
  step: 12,
  rank: 3,
  row: 9,
  pack: 2,
  reward: 0.5,
  correctness: 1,
  sourceOffset: 2 ** 40,
  sampleId: "s",
  groupId: "grüße",
  environment: "maths",
  promptText: "",
  responseText: "a\n\0b 🙂",
};
const bare: SequenceDraft = {
  length: 1,
  responseMask: Uint8Array.of(1),
  rolloutLogprobs: Float32Array.of(-1),
  trainerLogprobs: Float32Array.of(-2),
};
const empty: SequenceDraft = {
  ...bare,
  length: 0,
  responseMask: new Uint8Array(0),
  rolloutLogprobs: new Float32Array(0),
  trainerLogprobs: new Float32Array(0),
};

describe("what is written is what is read", () => {
  it("with every column, with gaps, and with empty sequences", async () => {
    const batch = pack(
      [bare, full, empty, { ...bare, sampleId: "t", step: 1.5 }],
      VERL,
      {
        temperature: 0.9,
        topP: 0.95,
        topK: 20,
        minP: 0.05,
        repetitionPenalty: 1.1,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        logprobsMode: "raw_logprobs",
      },
      {
        rollout: { software: "vllm 0.11.0", weights: "ab", config: "cd", topology: "tp4" },
        trainer: { weights: "ef" },
      },
    );
    await mkFolder("all");
    expect(await roundTrip("all", [batch])).toEqual([batch]);
    expect(await readdir(join(folder, "all"))).toEqual(["run.parquet"]);
  });

  it("with as few columns as there are", async () => {
    await mkFolder("few");
    const batch = pack([bare, empty, bare]);
    const [read] = await roundTrip("few", [batch]);
    expect(read).toEqual(batch);
    expect(Object.keys(read!).sort()).toEqual(Object.keys(batch).sort());
  });

  it("from several sources: batches are as they were", async () => {
    await mkFolder("sources");
    const batches = [pack([bare, bare]), pack([{ ...bare, step: 2 }], XTUNER, { temperature: 1 })];
    expect(await roundTrip("sources", batches)).toEqual(batches);
  });

  it("in further files where the columns change", async () => {
    await mkFolder("parts");
    const batches = [
      pack([bare]),
      pack([bare, bare]),
      pack([{ ...bare, trainerLogprobs: Float64Array.of(-1.0000000001) }]),
      pack([full]),
    ];
    const read = await roundTrip("parts", batches);
    expect(await readdir(join(folder, "parts"))).toEqual(["run-1.parquet", "run-2.parquet", "run.parquet"]);
    // Batches of one source and one file come back as one.
    expect(read.map(({ length }) => length)).toEqual([3, 1, 1]);
    expect(read[2]).toEqual(batches[3]);
    expect(read[1]).toEqual(batches[2]);
  });

  it("tells of each batch with rows once its rows are written, in all files", async () => {
    await mkFolder("told");
    const exact = { ...bare, trainerLogprobs: Float64Array.of(-1.0000000001) };
    const batches = [pack([bare, bare]), pack([bare]), pack([exact]), pack([])];
    const asked: number[] = [];
    const written: number[] = [];
    async function* watched(): AsyncGenerator<RecordBatch> {
      for (const [i, batch] of batches.entries()) {
        // A row group holds more than all of these, so none is written before a file ends.
        asked.push(written.length);
        yield batch;
        expect(written).not.toContain(i);
      }
    }
    await writeRecord(join(folder, "told", "run.parquet"), watched(), {
      onWritten: (batch) => written.push(batches.indexOf(batch)),
    });
    expect(asked).toEqual([0, 0, 0, 2]);
    expect(written).toEqual([0, 1, 2]);
  });

  it("keeps nothing under the file's name when the batches fail", async () => {
    await mkFolder("fails");
    async function* failing(): AsyncGenerator<RecordBatch> {
      yield pack([bare]);
      throw new Error("disk gone");
    }
    await expect(writeRecord(join(folder, "fails", "run.parquet"), failing())).rejects.toThrow("disk gone");
    expect(await readdir(join(folder, "fails"))).toEqual([]);
  });
});

async function mkFolder(name: string): Promise<void> {
  const { mkdir } = await import("node:fs/promises");
  await mkdir(join(folder, name));
}
