import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { lacks } from "../../../../test/support/platform.ts";
import {
  allRows,
  EXPECTED,
  failure,
  furthest,
  IDS,
  MODELS,
  VOCABULARY,
  withPolicy,
} from "./fixtures.test-data.ts";
import { openOnnxPolicy } from "./open-policy.ts";

const linkTest = test.skipIf(lacks("links", "weights behind symbolic links"));

const scratch = mkdtempSync(join(tmpdir(), "onnx-test-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const AMPLE = 2 ** 20;
/** Two rows in single precision. */
const TIGHT = 2 * VOCABULARY * 4;
const PROMPT = 6;
const ROWS = IDS.length - PROMPT + 1;
const expected = EXPECTED.logits.slice(PROMPT - 1).flat();
const expectedScaled = EXPECTED.scaled.slice(PROMPT - 1).flat();

describe.each([
  {
    model: "plain",
    way: ["whole text", "runs separately"],
    values: expected,
    within: 2e-5,
    format: "float32",
  },
  {
    model: "positions",
    way: ["whole text", "runs separately"],
    values: expected,
    within: 2e-5,
    format: "float32",
  },
  {
    model: "scaled",
    way: ["whole text", "runs separately"],
    values: expectedScaled,
    within: 2e-5,
    format: "float32",
  },
  {
    model: "external",
    way: ["whole text", "runs separately"],
    values: expected,
    within: 2e-5,
    format: "float32",
  },
  { model: "cache", way: ["up to 512", "up to 2"], values: expected, within: 2e-5, format: "float32" },
  { model: "merged", way: ["one by one", "one by one"], values: expected, within: 2e-5, format: "float32" },
  { model: "fp16", way: ["whole text", "runs separately"], values: expected, within: 0.2, format: "float16" },
  { model: "cache-fp16", way: ["up to 512", "up to 4"], values: expected, within: 0.2, format: "float16" },
])("$model", ({ model, way, values, within, format }) => {
  test("gives NumPy's logits for the response and one row more, within the bound", async () => {
    const inOneBlock = await withPolicy(join(MODELS, model), { maxBlockBytes: AMPLE }, async (policy) => {
      expect(policy.facts.notes.join(" ")).toContain(way[0]);
      expect(policy.facts).toMatchObject({ backend: "onnx", vocabularySize: VOCABULARY, contextLength: 40 });
      return allRows(policy, IDS, PROMPT);
    });
    expect([...inOneBlock.formats]).toEqual([format]);
    expect(furthest(inOneBlock.values, values)).toBeLessThan(within);

    const inPieces = await withPolicy(join(MODELS, model), { maxBlockBytes: TIGHT }, async (policy) => {
      expect(policy.facts.notes.join(" ")).toContain(way[1]);
      return allRows(policy, IDS, PROMPT);
    });
    expect(Math.max(...inPieces.blocks)).toBeLessThanOrEqual(format === "float32" ? 2 : 4);
    expect(inPieces.blocks.reduce((total, rows) => total + rows, 0)).toBe(ROWS);
    expect(furthest(inPieces.values, inOneBlock.values)).toBeLessThan(format === "float32" ? 1e-5 : 0.05);
  });
});

test("a cache, a whole text and a head apart give the same logits", async () => {
  const [cache, whole, split] = await Promise.all(
    [
      ["cache", TIGHT],
      ["plain", AMPLE],
      ["plain", TIGHT],
    ].map(([model, maxBlockBytes]) =>
      withPolicy(join(MODELS, model as string), { maxBlockBytes: maxBlockBytes as number }, (policy) =>
        allRows(policy, IDS, 1),
      ),
    ),
  );
  expect(furthest(split!.values, whole!.values)).toBeLessThan(1e-5);
  expect(furthest(cache!.values, whole!.values)).toBeLessThan(1e-5);
  expect(cache!.values).toHaveLength(IDS.length * VOCABULARY);
});

test("an empty response has the row that follows it", () =>
  withPolicy(join(MODELS, "plain"), {}, async (policy) => {
    const { values } = await allRows(policy, IDS, IDS.length);
    expect(furthest(values, EXPECTED.logits.at(-1)!)).toBeLessThan(2e-5);
  }));

test("facts name the file under what was given", async () => {
  const of = (path: string): Promise<string | null> =>
    withPolicy(path, {}, async (policy) => {
      expect(policy.facts.location).toBe(path);
      expect(policy.facts.contextLength).toBe(40);
      return policy.facts.model;
    });
  expect(await of(join(MODELS, "fp16"))).toBe("onnx/model_fp16.onnx");
  expect(await of(join(MODELS, "fp16", "onnx", "model_fp16.onnx"))).toBe("model_fp16.onnx");
});

linkTest("weights beside the model are found through symbolic links, whole and apart", async () => {
  const linked = join(scratch, "linked");
  mkdirSync(linked);
  for (const name of ["model.onnx", "model.onnx_data", "config.json"])
    symlinkSync(join(MODELS, "external", name), join(linked, name));
  for (const maxBlockBytes of [AMPLE, TIGHT]) {
    const { values } = await withPolicy(linked, { maxBlockBytes }, (policy) => allRows(policy, IDS, PROMPT));
    expect(furthest(values, expected)).toBeLessThan(2e-5);
  }
});

linkTest("weights linked from another directory are refused with the way out", async () => {
  const model = join(scratch, "away");
  const elsewhere = join(scratch, "elsewhere");
  cpSync(join(MODELS, "external", "model.onnx"), join(model, "model.onnx"));
  cpSync(join(MODELS, "external", "config.json"), join(model, "config.json"));
  cpSync(join(MODELS, "external", "model.onnx_data"), join(elsewhere, "weights"));
  symlinkSync(join(elsewhere, "weights"), join(model, "model.onnx_data"));
  expect(await failure(openOnnxPolicy("p", model))).toMatchObject({
    _tag: "UnsupportedError",
    hint: expect.stringContaining("cp -L"),
  });
});

test("without config.json the context is not known, and that is said", async () => {
  const bare = join(scratch, "bare");
  cpSync(join(MODELS, "plain", "model.onnx"), join(bare, "other-name.onnx"));
  await withPolicy(bare, {}, async (policy) => {
    expect(policy.facts).toMatchObject({ contextLength: null, model: "other-name.onnx" });
    expect(policy.facts.notes.join(" ")).toContain("runs separately");
    const beyond = await failure(allRows(policy, new Int32Array(41).fill(3), 1));
    expect(beyond).toMatchObject({
      _tag: "TextRefusedError",
      likely: expect.stringContaining("longer than"),
    });
  });
});

describe("a text is refused", () => {
  const refusal = (model: string, ids: number[], promptLength = 1, maxBlockBytes = AMPLE): Promise<unknown> =>
    withPolicy(join(MODELS, model), { maxBlockBytes }, (policy) =>
      failure(allRows(policy, Int32Array.from(ids), promptLength)),
    );

  test("when it is longer than the context", async () => {
    const message = expect.stringMatching(/41 tokens; the model's limit is 40/);
    expect(await refusal("plain", new Array(41).fill(3))).toMatchObject({
      reason: "context-length",
      message,
    });
  });

  test.each([VOCABULARY, -1])("when the vocabulary has no token %i", async (id) => {
    const message = expect.stringContaining(`token ${id} at position 2; the model's ids are 0 to 47`);
    expect(await refusal("cache", [1, 2, id])).toMatchObject({ reason: "unknown-token", message });
  });

  test("when its logits do not fit and the head cannot run apart", async () => {
    const message = expect.stringMatching(/448 bytes .* 7 tokens .* limit is 400/);
    expect(await refusal("unsplittable", [1, 2, 3, 4, 5, 6, 7], 1, 400)).toMatchObject({
      reason: "too-large",
      message,
      hint: expect.stringContaining("maxBlockBytes to 448"),
    });
  });

  test.each([0, 4])("when its prompt has %i of 3 tokens", async (promptLength) => {
    expect(await refusal("plain", [1, 2, 3], promptLength)).toMatchObject({ _tag: "TextRefusedError" });
  });
});

test("a head that cannot run apart still gives texts that fit", () =>
  withPolicy(join(MODELS, "unsplittable"), { maxBlockBytes: IDS.length * 16 * 4 }, async (policy) => {
    const { values } = await allRows(
      policy,
      IDS.map((id) => id % 16),
      1,
    );
    expect(furthest(values, EXPECTED.unsplittable.flat())).toBeLessThan(2e-5);
    expect(policy.facts.notes.join(" ")).toContain("CumSum comes after");
  }));

test("a signal stops between runs", () =>
  withPolicy(join(MODELS, "cache"), { maxBlockBytes: TIGHT }, async (policy) => {
    const controller = new AbortController();
    const blocks = policy.logits({ id: "t", ids: IDS, promptLength: 1 }, controller.signal);
    let seen = 0;
    const all = async (): Promise<void> => {
      for await (const { rows } of blocks) {
        seen += rows;
        controller.abort();
      }
    };
    expect(await failure(all())).toMatchObject({ name: "AbortError" });
    expect(seen).toBe(2);
  }));

test("a closed policy refuses, and closes twice", async () => {
  const policy = await openOnnxPolicy("gone", join(MODELS, "plain"));
  await policy.close();
  await policy.close();
  const message = "the policy gone is closed";
  expect(await failure(allRows(policy, IDS, 1))).toMatchObject({ _tag: "UsageError", message });
});

test("options that cannot be met are refused", async () => {
  const refusal = (options: object): Promise<unknown> =>
    failure(openOnnxPolicy("p", join(MODELS, "plain"), options));
  expect(await refusal({ maxBlockBytes: 191 })).toMatchObject({
    _tag: "UsageError",
    message: expect.stringMatching(/192 bytes \(48 columns\), maxBlockBytes is 191/),
  });
  expect(await refusal({ threads: 0 })).toMatchObject({ _tag: "UsageError" });
  expect(await refusal({ provider: "abacus" })).toMatchObject({
    _tag: "UnsupportedError",
    message: expect.stringContaining("execution provider abacus"),
  });
});

describe("files that are not models", () => {
  let count = 0;
  const holding = (files: Readonly<Record<string, string | Uint8Array>>): string => {
    const folder = join(scratch, `bad-${count++}`);
    mkdirSync(folder);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return folder;
  };
  const opening = (path: string): Promise<unknown> => failure(openOnnxPolicy("p", path));

  test.each([
    ["nothing there", () => join(scratch, "nowhere"), "NotFoundError", /does not exist/],
    ["an empty directory", () => holding({}), "NotFoundError", /holds no \.onnx file/],
    [
      "two models",
      () => holding({ "a.onnx": "x", "b.onnx": "y" }),
      "NotFoundError",
      /2 \.onnx files .* a\.onnx, b\.onnx/,
    ],
    ["an empty file", () => holding({ "model.onnx": "" }), "EmptyInputError", /is empty/],
    [
      "a Git LFS pointer",
      () =>
        holding({ "model.onnx": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3487351\n" }),
      "FormatError",
      /Git LFS pointer/,
    ],
    [
      "a web page",
      () => holding({ "model.onnx": "<!DOCTYPE html><html></html>" }),
      "FormatError",
      /not an ONNX/,
    ],
    [
      "no JSON as config.json",
      () => holding({ "model.onnx": "x", "config.json": '{"vocab_size": 4' }),
      "FormatError",
      /config\.json is not a JSON object/,
    ],
  ])("%s", async (_, path, tag, message) => {
    const error = await opening(path());
    expect(error).toMatchObject({ _tag: tag, message: expect.stringMatching(message) });
    expect(error).toHaveProperty("hint", expect.any(String));
  });

  test("weights that were not copied, or are cut off", async () => {
    const folder = holding({});
    cpSync(join(MODELS, "external", "model.onnx"), join(folder, "model.onnx"));
    expect(await opening(folder)).toMatchObject({
      _tag: "NotFoundError",
      message: expect.stringMatching(/weights are in .*model\.onnx_data, which does not exist/),
    });
    writeFileSync(join(folder, "model.onnx_data"), new Uint8Array(300));
    expect(await opening(folder)).toMatchObject({
      _tag: "FormatError",
      message: expect.stringMatching(/extend to byte \d+, but the file has 300/),
    });
  });

  test.each([
    ["encoder", /logits at a token change by up to .* when later tokens change/],
    [
      "hidden",
      /no output logits\. Its inputs are input_ids: int64 .* last_hidden_state: float32 .*Expected: input_ids/,
    ],
    ["bfloat16", /logits is bfloat16/],
  ])("a model of another kind: %s", async (model, message) => {
    const error = await opening(join(MODELS, model));
    expect(error).toMatchObject({ _tag: "UnsupportedError", message: expect.stringMatching(message) });
    expect(error).toHaveProperty("hint", expect.stringMatching(/export/i));
  });

  test("a classifier of tokens, by its config", async () => {
    const folder = holding({ "config.json": '{"vocab_size": 30522}' });
    cpSync(join(MODELS, "plain", "model.onnx"), join(folder, "model.onnx"));
    const message = expect.stringMatching(/48 columns, but config\.json declares .* 30522/);
    expect(await opening(folder)).toMatchObject({ _tag: "UnsupportedError", message });
  });
});
