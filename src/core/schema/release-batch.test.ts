import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createRecordBuilder } from "./builder.ts";
import type { RecordBatch } from "./record.ts";
import { releaseBatch } from "./release-batch.ts";

const provenance = { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" } as const;

/** A batch whose every value is `value`, of one sequence. */
function fill(length: number, value: number, isDouble: boolean): RecordBatch {
  const builder = createRecordBuilder({ provenance });
  const of = (make: Float32ArrayConstructor | Float64ArrayConstructor | Int32ArrayConstructor) =>
    new make(length).fill(value);
  const floats = of(isDouble ? Float64Array : Float32Array);
  builder.push({
    length,
    responseMask: new Uint8Array(length).fill(value % 2),
    rolloutLogprobs: isDouble ? floats.map((all) => all + 1 / 3) : floats,
    trainerLogprobs: floats,
    responseTokenIds: of(Int32Array),
    promptTokenIds: of(Int32Array),
    advantages: value,
    policyLogprobs: { base: floats },
    topK: { rollout: { k: 1, ids: of(Int32Array), logprobs: of(Float32Array) } },
  });
  return builder.flush();
}

const length = fc.integer({ min: 1, max: 5000 });
const step = fc.record({
  length,
  isDouble: fc.boolean(),
  releases: fc.option(fc.nat(9), { nil: undefined }),
});

it("leaves all batches as they are that were not given back", () => {
  let reused = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 14 }), (steps) => {
      const held: { readonly batch: RecordBatch; readonly copy: RecordBatch }[] = [];
      const buffers = new Set<ArrayBufferLike>();
      for (const [i, { length, isDouble, releases }] of steps.entries()) {
        const batch = fill(length, i + 1, isDouble);
        if (buffers.has(batch.responseMask.buffer)) reused++;
        held.push({ batch, copy: structuredClone(batch) });
        const [gone] = releases === undefined ? [] : held.splice(releases, 1);
        if (gone === undefined) continue;
        buffers.add(gone.batch.responseMask.buffer);
        releaseBatch(gone.batch);
        releaseBatch(gone.batch);
      }
      for (const { batch, copy } of held) expect(isDeepStrictEqual(structuredClone(batch), copy)).toBe(true);
      for (const { batch } of held) expect(batch.rolloutLogprobs).toHaveLength(batch.offsets[1]!);
    }),
    { numRuns: 60 },
  );
  expect(reused).toBeGreaterThan(0);
});
