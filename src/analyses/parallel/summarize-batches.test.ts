import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import { sized } from "../../../test/support/run-size.ts";
import { FormatError } from "../../core/base/errors.ts";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { verlParity } from "../../trainers/verl/mismatch-metrics.ts";
import { xtunerParity } from "../../trainers/xtuner/mismatch-metrics.ts";
import { answerRun } from "../evidence/answer.ts";
import { RunEvidence } from "../evidence/run-evidence.ts";
import { clusterKeys } from "../report/cluster-keys.ts";
import { type Compiled, compile } from "./compile.test-data.ts";
import { defaultThreads, type SummarizeOptions, summarizeBatches } from "./summarize-batches.ts";
import { SUMMARY_COLUMNS, summaryColumns, toBatch } from "./summary-columns.ts";
import { startThread } from "./thread.ts";

const threads = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;

it("starts no thread of its own accord where there are two processors, and at most four", () => {
  expect([1, 2, 3, 4, 16].map((processors) => defaultThreads(processors))).toEqual([1, 1, 3, 4, 4]);
});

async function* stream(batches: Iterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  yield* batches;
}

function plain(batches: Iterable<RecordBatch>): RunEvidence {
  const evidence = new RunEvidence();
  for (const batch of batches) evidence.add(batch);
  return evidence;
}

/** Every figure of a report; its sentences round figures, and may round those at a half either way. */
function figures(evidence: RunEvidence): object {
  const answer = answerRun({
    run: "drawn",
    paths: ["drawn"],
    evidence,
    parity: [verlParity, xtunerParity],
    findings: [],
    sources: ["a.npz", "b.npz"].map((file) => ({
      file,
      format: "npz",
      trainer: "verl",
      step: null,
      rank: null,
      run: "drawn",
      bytes: 1,
      found: [],
      guessed: [],
      missing: [],
    })),
  });
  const { verdict: _verdict, facts: _facts, next: _next, ...report } = answer.report;
  // In the order of ids: which of two equal k3 sums comes first hangs on their last bit.
  const perToken = [...report.per_token_id].sort((a, b) => a.token_id - b.token_id);
  return { ...report, per_token_id: perToken };
}

/** Equal but for the rounding of sums (and for what a root makes of rounding near 0). */
function expectClose(actual: unknown, expected: unknown, path = "report"): void {
  if (typeof expected === "number" && typeof actual === "number" && Number.isFinite(expected)) {
    expect(Math.abs(actual - expected), path).toBeLessThanOrEqual(1e-9 * Math.abs(expected) + 1e-6);
  } else if (typeof expected === "object" && expected !== null) {
    expect(Object.keys(actual as object), path).toEqual(Object.keys(expected));
    for (const [name, value] of Object.entries(expected))
      expectClose((actual as Record<string, unknown>)[name], value, `${path}.${name}`);
  } else expect(actual, path).toEqual(expected);
}

const delta = fc.integer({ min: -20, max: 20 }).map((eighths) => String(eighths / 8));
const sequence = fc.record({
  deltas: fc
    .array(fc.oneof({ weight: 8, arbitrary: delta }, { weight: 1, arbitrary: fc.constantFrom("|", "NaN") }), {
      minLength: 1,
      maxLength: 12,
    })
    .map((words) => words.join(" ")),
  step: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  rank: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
  environment: fc.constantFrom(undefined, "maths", "code"),
  correct: fc.constantFrom(undefined, 0, 1),
  rollout: fc.constantFrom(-0.25, -1, -6),
  pack: fc.integer({ min: 0, max: 2 }),
});
const run = fc.array(fc.array(sequence, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 9 });

/** The batches of a drawn run, made anew: a pool takes the arrays of those that it is given. */
function makeBatches(pictures: readonly (readonly object[])[]): RecordBatch[] {
  let row = 0;
  return pictures.map((batch, i) =>
    recordBatch(
      (batch as readonly SequencePicture[]).map((picture) => {
        const tokens = picture.deltas.split(" ").filter((word) => word !== "|").length;
        return {
          ...picture,
          row: row++,
          tokenIds: Array.from({ length: tokens }, (_, t) => (t * 7 + row) % 5),
        };
      }),
      i % 3 === 0 ? "a.npz" : "b.npz",
    ),
  );
}

const FIXED = Array.from({ length: 12 }, (_, i) => [
  {
    ...{ deltas: "0.5 -0.25 | 1 | 0.125 2", step: i % 4, rank: i % 2, environment: "maths", correct: 1 },
    ...{ engine: `e${i % 3}`, finish: "stop", versions: [0, 0, -1, i % 2, 1] },
  },
  { deltas: `-1 ${i / 8}`, step: i % 4, rank: i % 2, environment: "code", correct: 0 },
]);

/** Batches of a builder, one after the other: it may make each in memory that was given back. */
async function* build(batches: readonly number[], made: Set<ArrayBufferLike>): AsyncGenerator<RecordBatch> {
  const provenance = { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" } as const;
  const builder = createRecordBuilder({ provenance });
  for (const [i, length] of batches.entries()) {
    const rolloutLogprobs = Float32Array.from({ length }, (_, t) => -((t * 7 + i) % 11) / 8);
    const trainerLogprobs = rolloutLogprobs.map((logprob, t) => logprob - ((t + i) % 5) / 64);
    const ids = Int32Array.from({ length }, (_, t) => (t * i) % 97);
    const sides = { rolloutLogprobs, trainerLogprobs, responseTokenIds: ids, promptTokenIds: ids };
    builder.push({ length, responseMask: ids.map((id) => id % 3), ...sides, advantages: 1 - i, row: i });
    const batch = builder.flush();
    made.add(batch.rolloutLogprobs!.buffer);
    yield batch;
  }
}

it("gives the memory of each batch back with one thread, and keeps nothing in it", async () => {
  const lengths = [3000, 2500, 4000, 2000, 1500, 6000, 5500, 3000];
  const kept: RecordBatch[] = [];
  for await (const batch of build(lengths, new Set())) kept.push(batch);
  const made = new Set<ArrayBufferLike>();
  const summary = await summarizeBatches(build(lengths, made), { threads: 1 });
  expect(summary.toJSON()).toEqual(plain(kept).toJSON());
  expect(made.size).toBeLessThan(lengths.length);
});

describe("a run summary on threads", () => {
  let compiled: Compiled;
  let worker: URL;
  const summarize = (batches: AsyncIterable<RecordBatch>, options: SummarizeOptions) =>
    summarizeBatches(batches, options, { url: worker, start: startThread });
  beforeAll(async () => {
    compiled = await compile();
    worker = compiled.findWorker("analyses/parallel/summary-worker");
  });
  afterAll(() => compiled.remove());

  it.each([1, 2, 3])("with %i says what one pass says", async (count) => {
    await fc.assert(
      fc.asyncProperty(run, async (pictures) => {
        const summary = await summarize(stream(makeBatches(pictures)), {
          threads: count,
          smallTokens: 0,
        });
        expectClose(figures(summary), figures(plain(makeBatches(pictures))));
      }),
      { numRuns: sized(3, count === 1 ? 5 : 12) },
    );
  });

  it("is the same to the last bit every time, and does not start threads for little", async () => {
    const once = async (smallTokens: number) =>
      JSON.stringify(await summarize(stream(makeBatches(FIXED)), { threads: 3, smallTokens }));
    expect(await once(10)).toBe(await once(10));
    let most = 0;
    const watched = async function* () {
      for (const batch of makeBatches(FIXED)) {
        yield batch;
        most = Math.max(most, threads());
      }
    };
    const idle = threads();
    const summary = await summarize(watched(), { threads: 3, smallTokens: 1000 });
    expect(most).toBe(idle);
    expect(JSON.stringify(summary)).toBe(JSON.stringify(plain(makeBatches(FIXED))));
    await summarize(watched(), { threads: 3, smallTokens: 10 });
    expect(most).toBeGreaterThan(idle);
  });

  it("hands arrays over: nothing stays behind in the calling thread", async () => {
    const batches = makeBatches(FIXED);
    await summarize(stream(batches), { threads: 2, smallTokens: 0 });
    for (const { offsets, rolloutLogprobs } of batches) {
      expect(offsets).toHaveLength(0);
      expect(rolloutLogprobs).toHaveLength(0);
    }
  });

  it.each([1, 3])("with %i gives a batch's error as it was thrown, the first one", async (count) => {
    const before = threads();
    const batches = makeBatches(FIXED).map((batch, i) => {
      const { trainerLogprobs: _, ...rest } = batch;
      return i < 4 ? batch : { ...rest, provenance: { ...rest.provenance, file: `broken-${i}.npz` } };
    });
    const failing = summarize(stream(batches), { threads: count, smallTokens: 0 });
    await expect(failing).rejects.toMatchObject({
      _tag: "MissingSideError",
      name: "MissingSideError",
      message: "cannot compare policies: the trainer log-probs are missing",
      at: { file: "broken-4.npz" },
    });
    expect(threads()).toBe(before);
  });

  it.each([0, 1000])("ends its threads when reading fails (small input: %i tokens)", async (smallTokens) => {
    const before = threads();
    const cause = new FormatError("cut off", { at: { file: "a.npz", offset: 7 }, hint: "copy it again" });
    let closed = false;
    const failing = async function* (batches: readonly RecordBatch[]) {
      try {
        yield* batches;
        throw cause;
      } finally {
        closed = true;
      }
    };
    const whole = summarize(failing(makeBatches(FIXED)), { threads: 2, smallTokens });
    await expect(whole).rejects.toBe(cause);
    const { rolloutLogprobs: _, ...oneSided } = makeBatches(FIXED)[0]!;
    const earlier = summarize(failing([oneSided]), { threads: 2, smallTokens });
    await expect(earlier).rejects.toMatchObject({ _tag: "MissingSideError" });
    expect(closed).toBe(true);
    expect(threads()).toBe(before);
  });
});

describe("columns for evidence", () => {
  const whole: RecordBatch = {
    ...makeBatches(FIXED)[0]!,
    // A token that is not finite: only then does a summary ask what made it so.
    trainerLogprobs: Float64Array.of(-1, -1, -1, -2, -3, -4, Number.NaN),
    advantages: new Float32Array(7),
    promptTexts: ["a", "b"],
  };

  it("are all that adding a batch touches", () => {
    const touched = new Set<PropertyKey>();
    const watched = new Proxy(whole, {
      get(target, name) {
        touched.add(name);
        return Reflect.get(target, name) as unknown;
      },
    });
    // The thread that reads makes the keys, from groups that do not travel.
    new RunEvidence().add(watched, clusterKeys(whole));
    expect([...touched].sort()).toEqual([...SUMMARY_COLUMNS].sort());
    const columns = summaryColumns(whole);
    expect(columns).not.toHaveProperty("groupIds");
    const evidence = new RunEvidence();
    evidence.add(toBatch(columns), columns.clusters);
    expect(JSON.stringify(evidence)).toBe(JSON.stringify(plain([whole])));
  });
});
