import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { ByteReader } from "../base/byte-reader.ts";
import { ByteWriter } from "../base/byte-writer.ts";
import { READ_AS_MISSING, type RecordBatch } from "../schema/record.ts";
import { NonFiniteSums } from "./non-finite-sums.ts";

const { NaN: LOST, POSITIVE_INFINITY: INFINITE } = Number;

interface Token {
  readonly rollout: number;
  readonly trainer: number;
  readonly mask: number;
  readonly read: number;
}
const token = (of: Partial<Token>): Token => ({ rollout: -1, trainer: -1, mask: 1, read: 0, ...of });

function batchOf(tokens: readonly Token[]): RecordBatch {
  return {
    ...recordBatch([{ deltas: "" }]),
    offsets: Int32Array.of(0, tokens.length),
    rolloutLogprobs: Float32Array.from(tokens, ({ rollout }) => rollout),
    trainerLogprobs: Float32Array.from(tokens, ({ trainer }) => trainer),
    responseMask: Uint8Array.from(tokens, ({ mask }) => mask),
    ...(tokens.some(({ read }) => read > 0) && {
      readAsMissing: Uint8Array.from(tokens, ({ read }) => read),
    }),
  };
}

function sum(tokens: readonly Token[], into = new NonFiniteSums(), step = 1): NonFiniteSums {
  into.add(step, batchOf(tokens), 0, tokens.length);
  return into;
}

const none = {
  rolloutNaN: 0,
  rolloutInfinite: 0,
  trainerNaN: 0,
  trainerInfinite: 0,
  tokens: 0,
  readAsMissing: 0,
};

describe("what is not finite", () => {
  it("is counted by side, and each token once", () => {
    const tokens = [
      token({}),
      token({ trainer: LOST, mask: 0 }),
      token({ trainer: LOST }),
      token({ trainer: -INFINITE }),
      token({ rollout: INFINITE, trainer: LOST }),
      token({ rollout: LOST }),
    ];
    expect(sum(tokens).at(1)).toEqual({
      ...none,
      ...{ rolloutNaN: 1, rolloutInfinite: 1, trainerNaN: 2, trainerInfinite: 1, tokens: 4 },
    });
    expect(sum(tokens).at(2)).toBeUndefined();
  });

  it("is not what reading made missing, unless the other side is not finite in the source", () => {
    const { rollout, trainer } = READ_AS_MISSING;
    const tokens = [
      token({ rollout: LOST, read: rollout }),
      token({ rollout: LOST, trainer: LOST, read: rollout | trainer }),
      token({ rollout: LOST, trainer: LOST, read: rollout }),
      token({ trainer: LOST, read: rollout }),
    ];
    expect(sum(tokens).at(1)).toEqual({ ...none, trainerNaN: 2, tokens: 2, readAsMissing: 2 });
  });

  it("comes to the same counts and bytes however it is parted, sent and merged", () => {
    const value = fc.constantFrom(-1, -0.5, LOST, INFINITE, -INFINITE);
    const drawn = fc.record({
      rollout: value,
      trainer: value,
      mask: fc.constantFrom(0, 1),
      read: fc.constantFrom(0, 0, 1, 2, 3),
    });
    const steps = fc.array(fc.tuple(fc.constantFrom(1, 2, 30, LOST), fc.array(drawn, { maxLength: 6 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(steps, fc.nat(), (rows, seed) => {
        const whole = new NonFiniteSums();
        for (const [step, tokens] of rows) sum(tokens, whole, step);
        const merged = new NonFiniteSums();
        const order = rows.map((_, at) => (at * 7 + seed) % 11);
        const shuffled = rows.map((row, at) => ({ row, key: order[at]! })).sort((a, b) => a.key - b.key);
        for (const [at, { row }] of shuffled.entries()) {
          const part = sum(row[1], new NonFiniteSums(), row[0]);
          if (at % 2 === 0) merged.merge(part);
          else merged.mergeFrom(new ByteReader(encode(part), "a part"));
        }
        expect(encode(merged)).toEqual(encode(whole));
      }),
    );
  });
});

function encode(sums: NonFiniteSums): Uint8Array {
  const to = new ByteWriter();
  sums.encode(to);
  return to.finish();
}
