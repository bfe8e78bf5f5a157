import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareTokenizers } from "./compare-tokenizers.ts";
import { openTokenizer } from "./open-tokenizer.ts";

const BYTE_LEVEL = fileURLToPath(
  new URL("../../../test/fixtures/tokenizer/byte-level/tokenizer.json", import.meta.url),
);

interface Definition {
  added_tokens: { id: number; content: string }[];
  model: { vocab: Record<string, number>; merges: unknown[] };
  post_processor: unknown;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-tokens-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A changed copy of the byte-level fixture, in a directory of its own. */
async function directory(
  name: string,
  change: (definition: Definition) => void,
  config?: object,
): Promise<string> {
  const definition = JSON.parse(await readFile(BYTE_LEVEL, "utf8")) as Definition;
  change(definition);
  const dir = join(folder, name);
  await mkdir(dir);
  await writeFile(join(dir, "tokenizer.json"), JSON.stringify(definition));
  if (config !== undefined) await writeFile(join(dir, "tokenizer_config.json"), JSON.stringify(config));
  return dir;
}

function template(...single: string[]): (definition: Definition) => void {
  return (definition) => {
    definition.post_processor = {
      type: "TemplateProcessing",
      single: single.map((id) =>
        id === "A" ? { Sequence: { id, type_id: 0 } } : { SpecialToken: { id, type_id: 0 } },
      ),
      pair: [],
      special_tokens: {},
    };
  };
}

describe("a text that begins a sequence", () => {
  const BOS = "<｜begin▁of▁text｜>";

  test("has the special tokens before it, not those behind it", async () => {
    const { encode, encodeStart, textOf } = await openTokenizer(
      await directory("bos-and-end", template(BOS, "A", "<|end|>")),
    );
    const ids = encodeStart("12 3");
    expect(ids.slice(1)).toEqual(encode("12 3"));
    expect(textOf(ids[0]!)).toBe(BOS);
    expect(encodeStart("")).toEqual([ids[0]]);
  });

  test("has none where the post-processor adds none", async () => {
    const { encode, encodeStart } = await openTokenizer(BYTE_LEVEL);
    expect(encodeStart("12 3")).toEqual(encode("12 3"));
    const behind = await openTokenizer(await directory("end-only", template("A", "<|end|>")));
    expect(behind.encodeStart("12 3")).toEqual(encode("12 3"));
  });

  test("that spells them out gets no second ones", async () => {
    const { encodeStart } = await openTokenizer(await directory("bos", template(BOS, "A")));
    expect(encodeStart(`${BOS}12`)).toEqual(encodeStart("12"));
  });

  test("the id that ends a text comes from the config", async () => {
    const same = (): void => {};
    const [plain, added, none] = await Promise.all([
      directory("eos", same, { eos_token: "<|end|>" }).then(openTokenizer),
      directory("eos-object", same, { eos_token: { content: "<|end|>", lstrip: false } }).then(openTokenizer),
      directory("no-eos", same, { eos_token: null }).then(openTokenizer),
    ]);
    expect(plain.textOf(plain.eosId!)).toBe("<|end|>");
    expect(added.eosId).toBe(plain.eosId);
    expect(none.eosId).toBeUndefined();
  });
});

describe("two tokenizers", () => {
  test("with the same tokens do not differ, however they split text", async () => {
    const other = await directory("other-merges", ({ model }) => model.merges.pop());
    expect(await compareTokenizers(BYTE_LEVEL, BYTE_LEVEL)).toBeUndefined();
    expect(await compareTokenizers(BYTE_LEVEL, other)).toBeUndefined();
  });

  test("with other tokens under the same ids are told apart by the first of them", async () => {
    const other = await directory("swapped", ({ model }) => {
      [model.vocab["1"], model.vocab["2"]] = [model.vocab["2"]!, model.vocab["1"]!];
    });
    const found = await compareTokenizers(BYTE_LEVEL, other);
    expect(found?.conflicts).toEqual({ count: 2, id: expect.any(Number), tokens: ["1", "2"] });
    expect(found?.onlyIn).toBeNull();
    expect(found?.message).toMatch(/^2 ids mean different tokens in .*: "1" and "2" \(266 and 266 ids\)$/);
  });

  test("of which one has tokens added are no conflict", async () => {
    const other = await directory("added", ({ added_tokens: tokens }) => {
      const last = tokens.at(-1)!;
      tokens.push({ ...last, id: last.id + 1, content: "<think>" });
    });
    const found = await compareTokenizers(BYTE_LEVEL, other);
    expect(found?.conflicts).toBeNull();
    expect(found?.onlyIn).toEqual({ which: "b", count: 1, id: found?.sizes[0], token: "<think>" });
    expect(found?.sizes[1]).toBe(found!.sizes[0] + 1);
    expect(found?.message).toMatch(/^1 id has a token in .*added only, first 266: "<think>"/);
    expect((await compareTokenizers(other, BYTE_LEVEL))?.onlyIn?.which).toBe("a");
  });
});
