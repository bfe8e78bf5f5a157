import { expect, it } from "vitest";
import type { SequenceDraft } from "../../../core/schema/sequence-draft.ts";
import type { Allocate } from "../../io/byte-source.ts";
import type { Tensor, TreeValue } from "../../io/columns.ts";
import type { Field, FoundColumns } from "./fields.ts";
import { readPadded } from "./padded-tree.ts";

/** A `[2, 3]` array whose rows arrive when the test says so. */
function slowTensor(): {
  tensor: Tensor;
  arrive: () => void;
  fail: (error: Error) => void;
  asked: () => number;
} {
  let asked = 0;
  let settle: { resolve: (values: Float32Array) => void; reject: (error: Error) => void } | undefined;
  const tensor: Tensor = {
    kind: "tensor",
    dtype: "float32",
    shape: [2, 3],
    readRows: (_start, _end, _allocate?: Allocate) => {
      asked++;
      return new Promise((resolve, reject) => {
        settle = { resolve, reject };
      });
    },
  };
  return {
    tensor,
    arrive: () => settle!.resolve(Float32Array.of(-1, -2, -3, -4, -5, -6)),
    fail: (error) => settle!.reject(error),
    asked: () => asked,
  };
}

function read(columns: Partial<Record<Field, Tensor>>) {
  const found: FoundColumns<TreeValue> = new Map(
    Object.entries(columns).map(([field, value]) => [field as Field, { name: field, value }] as const),
  );
  return readPadded(found, { file: "batch.npz", blockTokens: 100 });
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

it("reads the arrays of a block together, and gives rows once all are there", async () => {
  const [rollout, trainer] = [slowTensor(), slowTensor()];
  const blocks = read({ rollout: rollout.tensor, trainer: trainer.tensor });
  const first = blocks.next();
  await settled();
  expect([rollout.asked(), trainer.asked()]).toEqual([1, 1]);
  trainer.arrive();
  rollout.arrive();
  const { value } = await first;
  expect((value as readonly SequenceDraft[]).map(({ rolloutLogprobs }) => [...rolloutLogprobs!])).toEqual([
    [-1, -2, -3],
    [-4, -5, -6],
  ]);
});

it("waits for all arrays where one fails, and throws the first error in their order", async () => {
  const [rollout, trainer] = [slowTensor(), slowTensor()];
  let ended = false;
  const failing = read({ rollout: rollout.tensor, trainer: trainer.tensor })
    .next()
    .finally(() => {
      ended = true;
    });
  failing.catch(() => {});
  await settled();
  trainer.fail(new Error("trainer is damaged"));
  await settled();
  expect(ended).toBe(false);
  rollout.fail(new Error("rollout is damaged"));
  await expect(failing).rejects.toThrow("rollout is damaged");
});
