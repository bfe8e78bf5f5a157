import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import { decodeRow } from "../../../core/kernels/distribution/decode.ts";
import { writeZip } from "../../../input/io/zip-writer.test-data.ts";
import type { LogitsPolicy } from "../policy.ts";
import {
  type LogitsOptions,
  logitsPolicyNames,
  openLogitsPolicy,
  readLogitsTexts,
} from "./open-logits-policy.ts";

const FIXTURES = fileURLToPath(new URL("../../../../test/fixtures/logits/", import.meta.url));
const TEXTS = [
  { ids: [1, 4, 2, 3, 2], promptLength: 2 },
  { ids: [1, 3, 3], promptLength: 1 },
  { ids: [1, 2, 4, 4], promptLength: 2 },
];
const [WIDTH, VOCABULARY] = [6, 5];

const opened: LogitsPolicy[] = [];
afterEach(async () => {
  for (const policy of opened.splice(0)) await policy.close();
});

async function open(file: string, options: LogitsOptions = {}, name = "dpo"): Promise<LogitsPolicy> {
  const policy = await openLogitsPolicy(name, FIXTURES + file, options);
  opened.push(policy);
  return policy;
}

/** The logit that the script put into the files. */
function logit(text: number, column: number, token: number): number {
  return (((31 * text + 7 * column + 3 * token) % 17) - 8) / 4;
}

/** Rows for the tokens `promptLength … ids.length` of text n, whose first token stands in `column`. */
function expected(n: number, column: number): number[] {
  const { ids, promptLength } = TEXTS[n]!;
  const rows: number[] = [];
  for (let t = promptLength - 1; t < ids.length; t++)
    for (let v = 0; v < VOCABULARY; v++) rows.push(logit(n, column + t, v));
  return rows;
}

async function read(policy: LogitsPolicy, n: number): Promise<{ values: number[]; blocks: number }> {
  const { ids, promptLength } = TEXTS[n]!;
  const values: number[] = [];
  let blocks = 0;
  for await (const block of policy.logits({ id: `text ${n}`, ids: Int32Array.from(ids), promptLength })) {
    expect([block.format, block.vocabulary, block.values.length]).toEqual([
      savedFormat(policy),
      VOCABULARY,
      VOCABULARY * block.rows,
    ]);
    // Gives other work a turn, so that an overwritten block would show.
    await new Promise((resolve) => setTimeout(resolve, 2));
    for (let row = 0; row < block.rows; row++) values.push(...decodeRow(block, row));
    blocks++;
  }
  return { values, blocks };
}

/** Half precision is kept as saved. */
function savedFormat({ facts }: LogitsPolicy): string {
  return /b?float16/.exec(facts.notes.join())?.[0] ?? "float32";
}

const left = (n: number): number => WIDTH - TEXTS[n]!.ids.length;
const right = (): number => 0;

describe.each([
  ["left_f16.npz", left],
  ["left_deflated.npz", left],
  ["fortran.npz", left],
  ["right_bf16.safetensors", right],
  ["unmarked.pt", right],
  ["named.pt", right],
])("%s", (file, column) => {
  test.each([
    ["one row at a time", 1],
    ["two rows at a time, or four of half precision", 2 * 2 * VOCABULARY * 4],
    ["at once", 2 ** 20],
  ])("gives the rows that predict each response token and what follows, %s", async (_, maxBlockBytes) => {
    const policy = await open(file, { maxBlockBytes });
    // Backwards and again: order does not matter.
    for (const n of [2, 0, 1, 0]) {
      const { values, blocks } = await read(policy, n);
      expect(values).toEqual(expected(n, column(n)));
      const rows = values.length / VOCABULARY;
      const itemBytes = savedFormat(policy) === "float32" ? 4 : 2;
      expect(blocks).toBe(
        Math.ceil(rows / Math.max(1, Math.floor(maxBlockBytes / (2 * itemBytes * VOCABULARY)))),
      );
    }
    expect(policy.facts).toMatchObject({ backend: "logits", vocabularySize: VOCABULARY, temperature: 1 });
  });

  test("gives the same to readers that interleave", async () => {
    const policy = await open(file, { maxBlockBytes: 1 });
    const all = await Promise.all([0, 1, 2, 0].map((n) => read(policy, n)));
    expect(all.map(({ values }) => values)).toEqual([0, 1, 2, 0].map((n) => expected(n, column(n))));
  });
});

test("rows that are not compressed are read again rather than kept", async () => {
  const ids = Int32Array.of(1, 2, 3, 4);
  const npy = (descr: string, shape: string, data: Uint8Array): Uint8Array => {
    const head = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`.padEnd(117);
    return Buffer.concat([
      Buffer.from("\x93NUMPY\x01\x00\x76\x00", "latin1"),
      Buffer.from(`${head}\n`),
      data,
    ]);
  };
  const folder = await mkdtemp(join(tmpdir(), "logits-"));
  try {
    for (const deflate of [false, true]) {
      const path = join(folder, `${deflate}.npz`);
      const members = [
        { name: "input_ids.npy", bytes: npy("<i4", "4,", Buffer.from(ids.buffer)), deflate },
        { name: "logits.npy", bytes: npy("<f4", "4, 1000", new Uint8Array(16_000)), deflate },
        // The other content of the file says nothing about them.
        { name: "hidden.npy", bytes: npy("<f4", "9000,", new Uint8Array(36_000)), deflate: !deflate },
      ];
      await writeFile(path, writeZip(members));
      const policy = await openLogitsPolicy("dpo", path);
      opened.push(policy);
      expect(policy.stored).toBe(!deflate);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("one text without a name; doubles become singles", async () => {
  const policy = await open("one.npz");
  expect((await read(policy, 0)).values).toEqual(expected(0, 0));
  expect(policy.facts.notes).toEqual(["logits of 1 text, saved as float64"]);
});

test("a policy under another name than its own", async () => {
  const policy = await open("named.pt", { policy: "step_10" }, "rlvr_final");
  expect((await read(policy, 1)).values).toEqual(expected(1, 0).map((x) => 2 * x));
  expect([policy.name, policy.facts.model]).toEqual(["rlvr_final", "step_10"]);
  expect(await logitsPolicyNames(`${FIXTURES}named.pt`)).toEqual(["dpo", "step_10"]);
  expect(await logitsPolicyNames(`${FIXTURES}one.npz`)).toEqual([]);
});

describe("texts of a file", () => {
  test("lose their padding", async () => {
    const texts = await readLogitsTexts(`${FIXTURES}left_f16.npz`);
    expect(texts.map(({ ids, promptLength }) => ({ ids: [...ids], promptLength }))).toEqual(TEXTS);
    expect(texts.map(({ key, mask }) => [key, mask])).toEqual([
      ["row 0", undefined],
      ["row 1", undefined],
      ["row 2", undefined],
    ]);
  });

  test("have a mask where the file has one, which tells where the response begins", async () => {
    const texts = await readLogitsTexts(`${FIXTURES}right_bf16.safetensors`);
    expect(texts.map(({ promptLength, mask }) => [promptLength, [...mask!]])).toEqual([
      [2, [1, 0, 1]],
      [1, [1, 1]],
      [2, [1, 1]],
    ]);
  });

  test("have names where each has arrays of its own", async () => {
    const texts = await readLogitsTexts(`${FIXTURES}named.pt`);
    expect(texts.map(({ key, ids, promptLength }) => [key, [...ids], promptLength])).toEqual(
      TEXTS.map(({ ids, promptLength }, n) => [`q${n}`, ids, promptLength]),
    );
  });
});

describe("what does not fit is refused with both numbers:", () => {
  test.each([
    [
      "alone.npy",
      undefined,
      "SchemaError",
      "no input_ids to tell which texts they belong to; the arrays are value",
      undefined,
    ],
    [
      "shifted.npz",
      undefined,
      "LengthMismatchError",
      "logits have 4 rows, input_ids has 5 columns",
      "logits",
    ],
    ["integers.npz", undefined, "UnsupportedError", "logits are of type int8", "logits"],
    ["other_texts.npz", undefined, "LengthMismatchError", "logits cover 2 texts, input_ids 3", "logits"],
    ["misfits.npz", "logprobs", "SchemaError", "the shape [5]", "a.logprobs"],
    ["misfits.npz", "wide", "SchemaError", "logits have 5 columns, those of a.wide have 10", "b.wide"],
    ["misfits.npz", "rlvr", "UsageError", "no logits of rlvr; it has those of dpo, wide", undefined],
    ["one.npz", "rlvr", "UsageError", "a single unnamed policy's logits, but rlvr was requested", undefined],
    [
      "short_mask.npz",
      undefined,
      "LengthMismatchError",
      "attention_mask has 5 columns, input_ids has 6",
      "input_ids",
    ],
    ["long_prompt.npz", undefined, "SchemaError", "the prompt has 9 tokens, the whole text 5", "input_ids"],
    ["../tokenizer/expected.json", undefined, "UnsupportedError", "unsupported file type", undefined],
    ["absent.npz", undefined, "NotFoundError", "does not exist", undefined],
  ])("%s#%s", async (file, policy, tag, message, entry) => {
    const error = await open(file, policy === undefined ? {} : { policy }).catch((thrown: unknown) => thrown);
    expect(isLogratioError(error) && [error._tag, error.message, error.at.entry]).toEqual([
      tag,
      expect.stringContaining(message),
      entry,
    ]);
    expect(isLogratioError(error) && error.at.file).toContain(file);
  });

  test.each([
    [
      "another response",
      [1, 4, 2, 2],
      2,
      "no-logits",
      "none of the 3 texts in the file has its 4 token ids; the closest is q0, whose first 3 of 5 are the same",
    ],
    ["an id beyond the columns", [1, 4, 2, 3, 9], 2, "no-logits", "whose first 4 of 5 are the same"],
    ["no prompt", [1, 4, 2, 3, 2], 0, "other", "the text has no prompt"],
  ])("a text with %s", async (_, ids, promptLength, reason, message) => {
    const policy = await open("named.pt");
    const rows = policy.logits({ id: "q", ids: Int32Array.from(ids), promptLength });
    const error = await rows[Symbol.asyncIterator]()
      .next()
      .catch((thrown: unknown) => thrown);
    expect(isLogratioError(error, "TextRefusedError") && [error.reason, error.message]).toEqual([
      reason,
      expect.stringContaining(message),
    ]);
  });
});

test("stops when it is told to", async () => {
  const policy = await open("named.pt", { maxBlockBytes: 1 });
  const stop = new AbortController();
  const [{ ids, promptLength }] = TEXTS as [(typeof TEXTS)[number]];
  const rows = policy.logits({ id: "q", ids: Int32Array.from(ids), promptLength }, stop.signal);
  const iterator = rows[Symbol.asyncIterator]();
  await iterator.next();
  stop.abort();
  await expect(iterator.next()).rejects.toThrow(/abort/i);
});
