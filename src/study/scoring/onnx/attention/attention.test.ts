import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isLogratioError } from "../../../../core/base/errors.ts";
import { lengthDelimited } from "../../../../core/base/index.ts";
import { Unavailable } from "../../../../core/base/unavailable.ts";
import type { LogitBlock } from "../../../../core/kernels/logit-block.ts";
import { memorySource } from "../../../../input/io/file-source.ts";
import { EXPECTED, failure, furthest, IDS, MODELS, VOCABULARY, withPolicy } from "../fixtures.test-data.ts";
import { encodeNode } from "../model-file/messages.ts";
import { readModel } from "../model-file/read-model.ts";
import { widened } from "../widen.ts";
import { findAttention } from "./find-attention.ts";

const AMPLE = 2 ** 20;
/** Two rows in single precision. */
const TIGHT = 2 * VOCABULARY * 4;
const [FROM, TO] = EXPECTED.span;
const SPAN = { from: FROM, to: TO };
const TEXT = { id: "t", ids: IDS, promptLength: 4 };
/** Tokens after the span, two before its end, and one in the prompt. */
const TOKENS = [2, 8, 11, 12, 17, 21];

const perHead = EXPECTED.attention.flatMap((layer) =>
  layer.map((head) => TOKENS.map((token) => head[token - 1]!)),
);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

async function values(blocks: AsyncIterable<LogitBlock>): Promise<number[]> {
  const all: number[] = [];
  for await (const block of blocks) all.push(...widened(block));
  return all;
}

describe.each([
  ["plain", 1e-6, 3e-5],
  ["positions", 1e-6, 3e-5],
  ["cache", 1e-6, 3e-5],
  ["external", 1e-6, 3e-5],
  ["fp16", 1e-3, 0.3],
  ["cache-fp16", 1e-3, 0.3],
])("%s", (model, within, withinLogits) => {
  test.each([AMPLE, TIGHT])(
    "gives NumPy's attention and hides tokens as NumPy does, in %i bytes",
    async (bytes) => {
      const options = { maxBlockBytes: bytes, attention: true };
      await withPolicy(join(MODELS, model), options, async (policy) => {
        expect(policy.facts.attention).toEqual({ layers: 2, heads: 2, canHide: true });
        const spans = [SPAN, { from: 0, to: IDS.length }];
        const [toSpan, toAll] = await policy.attention!(TEXT, { spans, tokens: TOKENS });
        expect(
          furthest(
            toSpan!.shares,
            TOKENS.map((_, i) => mean(perHead.map((head) => head[i]!))),
          ),
        ).toBeLessThan(within);
        expect(furthest(toSpan!.heads, perHead.map(mean))).toBeLessThan(within);
        for (const share of [...toAll!.shares, ...toAll!.heads]) expect(share).toBeCloseTo(1, 2);
        const hidden = await values(policy.logitsWithout!(TEXT, SPAN));
        expect(furthest(hidden, EXPECTED.hidden.slice(TEXT.promptLength - 1).flat())).toBeLessThan(
          withinLogits,
        );
      });
    },
  );
});

test("reading attention leaves the policy's own logits bit by bit as they are", async () => {
  const logits = (attention: boolean): Promise<number[]> =>
    withPolicy(join(MODELS, "cache"), { attention }, (policy) => values(policy.logits(TEXT)));
  expect(await logits(true)).toEqual(await logits(false));
});

test("what is not asked for is not there", async () => {
  await withPolicy(join(MODELS, "plain"), {}, async (policy) => {
    expect(policy.attention).toBeUndefined();
    expect(policy.logitsWithout).toBeUndefined();
    expect(policy.facts).not.toHaveProperty("attention");
  });
});

test.each([
  ["merged", /cannot be read: it is inside branches/],
  ["unsplittable/model.onnx", /cannot be read: the graph has no Softmax/],
])("%s has none, and says why", async (model, why) => {
  await withPolicy(join(MODELS, model), { attention: true }, async (policy) => {
    expect(policy.attention).toBeUndefined();
    expect(policy.facts.attention).toBeNull();
    expect(policy.facts.notes.join(" ")).toMatch(why);
  });
});

test("a graph that sees the past in another way too can be read, but hides nothing", async () => {
  await withPolicy(join(MODELS, "mixed"), { attention: true }, async (policy) => {
    expect(policy.facts.attention).toEqual({ layers: 2, heads: 2, canHide: false });
    expect(policy.facts.notes.join(" ")).toMatch(/cannot be hidden from later ones: .* by \d/);
    expect(policy.logitsWithout).toBeUndefined();
    const [given] = await policy.attention!(TEXT, { spans: [SPAN], tokens: TOKENS });
    expect(furthest(given!.heads, perHead.map(mean))).toBeLessThan(1e-6);
  });
});

test.each([
  { from: 3, to: 3 },
  { from: -1, to: 2 },
  { from: 20, to: 23 },
])("tokens $from to $to are not a span of the text", async (span) => {
  await withPolicy(join(MODELS, "plain"), { attention: true }, async (policy) => {
    for (const asked of [
      policy.attention!(TEXT, { spans: [span], tokens: [5] }),
      values(policy.logitsWithout!(TEXT, span)),
    ])
      expect(isLogratioError(await failure(asked), "UsageError")).toBe(true);
  });
});

test("a text beyond the model's context is refused as for its logits", async () => {
  const ids = new Int32Array(41).fill(5);
  await withPolicy(join(MODELS, "plain"), { attention: true }, async (policy) => {
    const asked = policy.attention!({ ...TEXT, ids }, { spans: [SPAN], tokens: [12] });
    expect(await failure(asked)).toMatchObject({ reason: "context-length" });
  });
});

describe("where attention is looked for", () => {
  const found = async (...nodes: readonly [string, string[], string[]][]): Promise<unknown> => {
    const graph = nodes.map(([operator, inputs, outputs]) => encodeNode(operator, inputs, outputs));
    const bytes = lengthDelimited(7, Buffer.concat(graph));
    const layers = findAttention(await readModel(memorySource("m.onnx", bytes)));
    return layers instanceof Unavailable ? layers.why : layers.map(({ outputs }) => outputs[0]);
  };

  test("a Softmax that weighs values, with what exporters put between", async () => {
    expect(
      await found(
        ["Softmax", ["s0"], ["p0"]],
        ["MatMul", ["p0", "v0"], ["a0"]],
        ["Softmax", ["s1"], ["p1"]],
        ["IsNaN", ["p1"], ["n1"]],
        ["Where", ["n1", "zero", "p1"], ["w1"]],
        ["Cast", ["w1"], ["c1"]],
        ["MatMul", ["c1", "v1"], ["a1"]],
      ),
    ).toEqual(["p0", "p1"]);
  });

  test("not a router's Softmax, nor one that is weighed itself", async () => {
    expect(
      await found(
        ["Softmax", ["s"], ["routes"]],
        ["TopK", ["routes", "k"], ["best", "which"]],
        ["MatMul", ["w", "routes"], ["out"]],
      ),
    ).toMatch(/no Softmax/);
  });

  test("a fused operator is named", async () => {
    expect(await found(["GroupQueryAttention", ["q", "k", "v"], ["a"]])).toMatch(/GroupQueryAttention/);
  });
});
