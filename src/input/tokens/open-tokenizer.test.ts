import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import { openTokenizer } from "./open-tokenizer.ts";

const FIXTURES = fileURLToPath(new URL("../../../test/fixtures/tokenizer", import.meta.url));

interface Expected {
  readonly vocabulary_size: number;
  readonly encode: readonly { readonly text: string; readonly ids: readonly number[] }[];
  readonly decode: readonly { readonly text: string; readonly ids: readonly number[] }[];
  readonly text_of: readonly string[];
}
const EXPECTED = JSON.parse(readFileSync(join(FIXTURES, "expected.json"), "utf8")) as Record<
  string,
  Expected
>;

describe.each(Object.entries(EXPECTED))("%s tokenizer", (name, expected) => {
  const tokenizer = openTokenizer(join(FIXTURES, name));

  test("has the same vocabulary", async () => {
    const { vocabularySize, specialIds, textOf } = await tokenizer;
    expect(vocabularySize).toBe(expected.vocabulary_size);
    expect([...specialIds].map(textOf)).toContain("<|end|>");
    expect([...specialIds].map(textOf)).not.toContain("<keep>");
  });

  test("encodes as the Rust library does", async () => {
    const { encode } = await tokenizer;
    for (const { text, ids } of expected.encode) expect([text, encode(text)]).toEqual([text, ids]);
  });

  test("decodes runs of ids as the Rust library does", async () => {
    const { decode } = await tokenizer;
    for (const { text, ids } of expected.decode) expect([ids, decode(ids)]).toEqual([ids, text]);
  });

  test("decodes every single token as the Rust library does", async () => {
    const { textOf } = await tokenizer;
    expect(expected.text_of.map((_, id) => textOf(id))).toEqual(expected.text_of);
  });
});

test("takes the file as well as its directory", async () => {
  const { encode } = await openTokenizer(join(FIXTURES, "byte-level", "tokenizer.json"));
  expect(encode("a")).toEqual((await openTokenizer(join(FIXTURES, "byte-level"))).encode("a"));
});

test("a character over several tokens is put together, its parts alone are U+FFFD", async () => {
  const { encode, decode, textOf } = await openTokenizer(join(FIXTURES, "byte-fallback"));
  const ids = encode("日");
  expect(ids.slice(-3).map(textOf)).toEqual(["\uFFFD", "\uFFFD", "\uFFFD"]);
  expect(decode(ids)).toBe("日");
});

describe("what is not a tokenizer", () => {
  const refused = async (files: Readonly<Record<string, string>>): Promise<unknown> => {
    const directory = await mkdtemp(join(tmpdir(), "logratio-tokenizer-"));
    try {
      await mkdir(directory, { recursive: true });
      for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
      return await openTokenizer(directory).then(
        () => undefined,
        (error: unknown) => error,
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  };

  test.each([
    ["an empty directory", {}, "NotFoundError", "has no tokenizer.json"],
    ["another form", { "tokenizer.model": "x" }, "UnsupportedError", "only tokenizer.model"],
    ["a cut file", { "tokenizer.json": '{"model":' }, "FormatError", "is not JSON"],
    ["a list", { "tokenizer.json": "[]" }, "FormatError", "does not hold a JSON object"],
    ["another JSON file", { "tokenizer.json": '{"a":1}' }, "FormatError", 'has no "model"'],
    [
      "an unknown model",
      {
        "tokenizer.json":
          '{"pre_tokenizer":{"type":"Quantum"},"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}',
      },
      "UnsupportedError",
      "Quantum",
    ],
    [
      "a broken model",
      { "tokenizer.json": '{"model":{"type":"BPE","vocab":{"a":0}}}' },
      "FormatError",
      "cannot be built",
    ],
    [
      "an empty vocabulary",
      { "tokenizer.json": '{"model":{"type":"BPE","vocab":{},"merges":[]}}' },
      "FormatError",
      "empty vocabulary",
    ],
  ])("%s is refused", async (_, files, tag, message) => {
    const error = await refused(files);
    expect(isLogratioError(error) && [error._tag, error.message]).toEqual([
      tag,
      expect.stringContaining(message),
    ]);
  });

  test("a path that does not exist is refused with what to give", async () => {
    const error = await openTokenizer("/nonexistent/model").catch((thrown: unknown) => thrown);
    expect(isLogratioError(error, "NotFoundError") && error.hint).toContain("tokenizer.json");
  });
});

test.each([
  ["an id at the end of int32", { model: { vocab: { a: 2 ** 31 - 1 } } }, 'the id of "a" is 2147483647'],
  ["an id just beyond a vocabulary's", { model: { vocab: { a: 2 ** 24 + 1 } } }, 'the id of "a" is 16777217'],
  ["a negative id", { model: { vocab: { a: -1 } } }, 'the id of "a" is -1'],
  ["an id that is text", { model: { vocab: { a: "1" } } }, 'the id of "a" is "1"'],
  ["an added id", { added_tokens: [{ id: 2 ** 53, content: "a" }] }, "added token 0 is 9007199254740992"],
  [
    "an added token that is no text",
    { added_tokens: [{ id: 0, content: 5 }] },
    "the text of added token 0 is 5",
  ],
  ["an added token that is null", { added_tokens: [null] }, "added token 0 is not an object"],
  [
    "an entry that is no text",
    { model: { type: "Unigram", vocab: [[5, 0]] } },
    "entry 0 of its vocabulary is [5,0]",
  ],
])("refuses a vocabulary with %s before tables are made of it", async (_, change, message) => {
  const folder = await mkdtemp(join(tmpdir(), "logratio-vocabulary-"));
  try {
    const file = join(folder, "tokenizer.json");
    const sound = { model: { type: "BPE", vocab: { a: 0 }, merges: [] }, added_tokens: [] };
    const model = { ...sound.model, ...("model" in change ? change.model : {}) };
    await writeFile(file, JSON.stringify({ ...sound, ...change, model }));
    await expect(openTokenizer(folder)).rejects.toMatchObject({
      _tag: "FormatError",
      message: expect.stringContaining(message),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
