import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLogratioError } from "../../../../core/base/errors.ts";
import { joinBytes, lengthDelimited, varintBytes, varintField } from "../../../../core/base/index.ts";
import { Unavailable } from "../../../../core/base/unavailable.ts";
import { memorySource } from "../../../../input/io/file-source.ts";
import { failure, MODELS } from "../fixtures.test-data.ts";
import { findHead } from "../head.ts";
import { readModel } from "./read-model.ts";
import { iterateFields, readIntegers } from "./wire.ts";

const readBytes = (path: string): Uint8Array => new Uint8Array(readFileSync(join(MODELS, path)));
const read = (bytes: Uint8Array): ReturnType<typeof readModel> => readModel(memorySource("m.onnx", bytes));

test("reads inputs, outputs, nodes and weights", async () => {
  const model = await read(readBytes("cache/model.onnx"));
  expect(model.inputs.map(({ name }) => name).slice(0, 4)).toEqual([
    "input_ids",
    "attention_mask",
    "position_ids",
    "past_key_values.0.key",
  ]);
  expect(model.inputs[3]).toMatchObject({ type: 1, shape: ["batch_size", 2, "past_length", 8] });
  expect(model.outputs[0]).toEqual({
    name: "logits",
    type: 1,
    shape: ["batch_size", "sequence_length", 48],
  });
  expect(model.weights.get("embed")).toMatchObject({ type: 1, shape: [48, 16], external: null });
  expect(model.nodes.at(-1)).toMatchObject({ operator: "MatMul", domain: "", outputs: ["logits"] });
});

test("reads where external weights lie", async () => {
  const { weights } = await read(readBytes("external/model.onnx"));
  expect(weights.get("embed")?.external).toMatchObject({ location: "model.onnx_data", length: 48 * 16 * 4 });
});

test("reads what branches take from outside", async () => {
  const { nodes } = await read(readBytes("merged/decoder_model_merged.onnx"));
  const [branches] = nodes;
  expect(branches?.operator).toBe("If");
  expect(branches?.captured).toEqual(
    expect.arrayContaining(["embed", "past_key_values.1.value", "input_ids"]),
  );
});

test.each([
  ["plain/model.onnx", { hidden: expect.stringMatching(/^Mul_/), nodes: 1 }],
  ["scaled/model.onnx", { hidden: expect.stringMatching(/^Mul_/), nodes: 6 }],
  ["merged/decoder_model_merged.onnx", new Unavailable("If comes after the last matrix multiplication")],
  ["unsplittable/model.onnx", new Unavailable("CumSum comes after the last matrix multiplication")],
  ["hidden/model.onnx", new Unavailable("no node produces logits")],
])("finds the head of %s", async (path, head) => {
  expect(findHead(await read(readBytes(path)))).toEqual(head);
});

describe("damaged models", () => {
  const whole = readBytes("external/model.onnx");

  test("cut off anywhere: a tagged error that says so", async () => {
    for (let length = 1; length < whole.length - 20; length += 61) {
      const error = await failure(read(whole.slice(0, length)));
      expect(error).toMatchObject({ _tag: "FormatError" });
    }
    const error = await failure(read(whole.slice(0, whole.length >> 1)));
    expect(error).toMatchObject({
      message: expect.stringMatching(/cut off: a field of \d+ bytes begins where \d+/),
    });
  });

  test("any bytes changed: a model or a tagged error", async () => {
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const bytes = whole.slice();
        for (const [at, value] of changes) bytes[at] = value;
        await read(bytes).catch((error: unknown) => {
          if (!isLogratioError(error)) throw error;
        });
      }),
      { numRuns: 300 },
    );
  });
});

test("numbers and bytes come back from the wire", () => {
  fc.assert(
    fc.property(fc.nat(2 ** 28), fc.maxSafeNat(), fc.uint8Array(), (number, value, bytes) => {
      const message = joinBytes([varintField(number + 1, value), lengthDelimited(number + 1, bytes)]);
      const [first, second] = iterateFields(message, "m");
      expect(first).toMatchObject({ number: number + 1, wire: 0, value });
      expect(message.subarray(second!.from, second!.to)).toEqual(bytes);
    }),
  );
});

test("packed integers are read as others, negative ones too", () => {
  const minusOne = Uint8Array.from([...new Array<number>(9).fill(255), 1]);
  const message = lengthDelimited(
    1,
    joinBytes([varintBytes(3), varintBytes(300), minusOne, varintBytes(2 ** 40)]),
  );
  const [field] = iterateFields(message, "m");
  expect(readIntegers(message, field!, "m")).toEqual([3, 300, -1, 2 ** 40]);
});
