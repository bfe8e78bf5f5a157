import { expect, it } from "vitest";
import { ByteReader } from "../../../core/base/byte-reader.ts";
import { ByteWriter } from "../../../core/base/byte-writer.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { SetupsSeen } from "./setups-seen.ts";

const batch = (
  length: number,
  sampling: RecordBatch["sampling"],
  sides?: RecordBatch["sides"],
): RecordBatch => ({ length, sampling, ...(sides && { sides }) }) as unknown as RecordBatch;

function seen(...batches: readonly RecordBatch[]): SetupsSeen {
  const sums = new SetupsSeen();
  for (const each of batches) sums.add(each);
  return sums;
}

function bytes(sums: SetupsSeen): Uint8Array {
  const to = new ByteWriter();
  sums.encode(to);
  return to.finish();
}

const A = batch(3, { temperature: 0.7, topK: Number.NaN }, { rollout: { precision: "fp8" } });
const B = batch(2, { temperature: 1, logprobsMode: "raw_logprobs" });

it("counts the sequences by what is stated of them, and none of which nothing is", () => {
  const list = seen(A, B, batch(9, {}), A, batch(9, {}, { trainer: { software: "x" } })).list();
  expect(
    list.map(({ temperature, topK, logprobsMode, rolloutPrecision, sequences }) => [
      ...[temperature, topK, logprobsMode, rolloutPrecision, sequences],
    ]),
  ).toEqual([
    [0.7, null, null, "fp8", 6],
    [1, null, "raw_logprobs", null, 2],
  ]);
});

it("is the same in any order, merged and stored", () => {
  const whole = seen(A, B, A);
  const merged = seen(B);
  merged.merge(seen(A, A));
  expect(bytes(merged)).toEqual(bytes(whole));
  const read = new SetupsSeen();
  read.mergeFrom(new ByteReader(bytes(whole), "part"));
  expect(read.list()).toEqual(whole.list());
});

it("keeps a bounded number, the same whichever comes first", () => {
  const many = Array.from({ length: 200 }, (_, n) => batch(1, { temperature: 1 + n / 1000 }));
  const list = seen(...many).list();
  expect(list).toHaveLength(64);
  expect(seen(...many.reverse()).list()).toEqual(list);
});
