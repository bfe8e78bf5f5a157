import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import { writeParquet } from "../../../input/readers/parquet/index.ts";
import { openTokenizer } from "../../../input/tokens/open-tokenizer.ts";
import type { TokenDecoder } from "../../../input/tokens/token-decoder.ts";
import { createFolder, type Folder } from "./files.test-data.ts";
import { readPrompts } from "./read-prompts.ts";
import { type ReadTextsOptions, readStudyTexts, type StudyTexts } from "./read-study-texts.ts";
import { RL_PROBE_TEMPLATE } from "./template.ts";

let folder: Folder;
let tokenizer: TokenDecoder;
beforeAll(async () => {
  folder = await createFolder();
  tokenizer = await openTokenizer(folder.tokenizer);
});
afterAll(() => folder.remove());

async function read(files: readonly string[], options: ReadTextsOptions = {}): Promise<StudyTexts> {
  return readStudyTexts({ tokenizer, files, ...options });
}

async function readRows(rows: unknown, options: ReadTextsOptions = {}): Promise<StudyTexts> {
  return read([await folder.write("rows.json", rows)], options);
}

function found({ findings }: StudyTexts): unknown[] {
  return findings.map(({ code, severity, count, message }) => [code, severity, count, message]);
}

const PROBLEMS = [
  { problem: "7 + 5 =", unique_id: "q/1", answer: "12", level: "Level 3", subject: "Sums" },
  { problem: "1 + 1 =", unique_id: "q/2", answer: 2, level: 4, subject: "Sums" },
];

describe("problems and responses of RL-Probe", () => {
  test("objects, texts and lists of rollouts; only listed problems; names by source", async () => {
    const problems = await folder.write("filtered_problems.json", PROBLEMS);
    const dpo = await folder.write("dpo_responses.json", {
      "q/0": { response: " 0", correct: true },
      "q/1": { response: " 13", correct: false, ground_truth: "1" },
      "q/2": { response: " 2", correct: true },
    });
    const plain = await folder.write("texts.json", { "q/1": " 12" });
    const rollouts = await folder.write("all_rollouts.json", {
      "q/1": [
        { rollout: " 12", problem_text: "7 + 5 =", sample_idx: 0 },
        { rollout: " 1", problem_text: "7 + 5 =", sample_idx: 1 },
      ],
    });
    const study = await read([rollouts], { problems, responses: { dpo, plain } });
    expect(
      study.texts.map((text) => [text.id, text.problem, text.source, text.responseText, text.correct]),
    ).toEqual([
      ["dpo:q/1", "q/1", "dpo", " 13", false],
      ["dpo:q/2", "q/2", "dpo", " 2", true],
      ["plain:q/1", "q/1", "plain", " 12", undefined],
      ["q/1#0", "q/1", undefined, " 12", undefined],
      ["q/1#1", "q/1", undefined, " 1", undefined],
    ]);
    const [first, second] = study.texts;
    expect(first).toMatchObject({
      promptText: "7 + 5 =",
      level: 3,
      subject: "Sums",
      answer: "12",
      idsFrom: "tokenizer",
      at: { file: dpo, entry: "q/1" },
    });
    expect([second!.level, second!.answer]).toEqual([4, "2"]);
    expect([...first!.promptIds]).toEqual(tokenizer.encode("7 + 5 ="));
    expect([...first!.tokenIds]).toEqual(tokenizer.encode(" 13"));
    expect(first!.tokens.join("")).toBe(" 13");
    expect([...first!.mask]).toEqual(Array(first!.tokenIds.length).fill(1));
    expect(found(study)).toEqual([
      ["note", "info", 1, "1 response is to problems that are not in the list of problems"],
    ]);
  });

  test("problems without a response, and responses without a text, are counted", async () => {
    const problems = await folder.write("filtered_problems.json", [
      ...PROBLEMS,
      { problem: "2 + 2 =", unique_id: "q/3" },
      { problem: "again", unique_id: "q/1" },
      { level: 3 },
    ]);
    const dpo = await folder.write("dpo_responses.json", {
      "q/1": { response: " 13" },
      "q/2": { correct: true },
      "q/3": null,
    });
    const study = await read([], { problems, responses: { dpo } });
    expect(study.texts.map(({ id }) => id)).toEqual(["dpo:q/1"]);
    expect(found(study)).toEqual([
      ["duplicate", "skipped", 1, "1 problem has a repeated id; the first of each is kept"],
      ["bad-row", "skipped", 1, "1 problem has no id and no text"],
      ["no-response", "skipped", 2, "2 rows have no response"],
      ["no-response", "skipped", 2, `2 of 3 problems have no response in ${dpo}`],
    ]);
  });

  test("the original study's template", async () => {
    const problems = await folder.write("filtered_problems.json", PROBLEMS.slice(0, 1));
    const dpo = await folder.write("dpo_responses.json", { "q/1": "12" });
    const { texts } = await read([], { problems, responses: { dpo }, promptTemplate: RL_PROBE_TEMPLATE });
    expect(texts[0]!.promptText).toBe(
      "<|user|>\n7 + 5 =\n\nPlease solve this problem step by step and provide your final answer in LaTeX format using \\boxed{answer}.\n<|assistant|>\n",
    );
    expect(tokenizer.decode([...texts[0]!.promptIds])).toBe(texts[0]!.promptText);
  });

  test("prompts alone, to sample from", async () => {
    const problems = await folder.write("filtered_problems.json", [
      ...PROBLEMS,
      { unique_id: "q/3", problem: "" },
    ]);
    const { prompts, findings } = await readPrompts({ problems, tokenizer, promptTemplate: "{problem}" });
    expect(prompts.map(({ problem, promptIds }) => [problem, tokenizer.decode([...promptIds])])).toEqual([
      ["q/1", "7 + 5 ="],
      ["q/2", "1 + 1 ="],
    ]);
    expect(findings.map(({ message }) => message)).toEqual(["1 problem has a prompt without any token"]);
    expect((await readPrompts({ problems, tokenizer, limit: 1 })).prompts).toHaveLength(1);
  });
});

describe("rows", () => {
  const LINES = [
    '{"input":"1 + 1 =","output":" 2","score":1.0,"gts":"2","step":3}',
    '{"input":"1 + 1 =","output":" 3","score":-1,"gts":"2"}',
    '{"input":"1 + 2 =","output":" 4","score":0.5,"gts":"3"}',
    "",
  ].join("\n");

  test.each([
    ["dump.jsonl", LINES],
    ["dump.jsonl.gz", gzipSync(LINES)],
    ["dump.json", `[${LINES.trim().replaceAll("\n", ",")}]`],
  ])("%s: rows without ids are of one problem where they have one prompt", async (name, content) => {
    const { texts, findings } = await read([await folder.write(name, content)]);
    expect(texts.map(({ id, problem, correct, answer }) => [id, problem, correct, answer])).toEqual([
      ["row 0#0", "row 0", true, "2"],
      ["row 0#1", "row 0", false, "2"],
      ["row 2", "row 2", undefined, "3"],
    ]);
    expect(findings).toEqual([]);
  });

  test("in an object beside what is said about all of them", async () => {
    const file = await folder.write("study.json", {
      meta: { model: "m" },
      problems: [
        { unique_id: "a", prompt: "1 + 1 =", response: " 2" },
        { unique_id: "b", prompt: "1 + 2 =", response: " 3" },
      ],
    });
    const { texts, findings } = await read([file]);
    expect(texts.map(({ id, problem }) => [id, problem])).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]);
    expect(findings).toEqual([]);
  });

  test("Parquet, with token ids and masks", async () => {
    const file = await folder.write("texts.parquet", "");
    const [prompt, response] = [tokenizer.encode("7 1 ="), tokenizer.encode(" 12 a")];
    await writeParquet(
      file,
      [
        { name: "problem_id", type: "string" },
        { name: "prompt_token_ids", type: { list: "int32" } },
        { name: "response_token_ids", type: { list: "int32" } },
        { name: "response_mask", type: { list: "uint8" } },
        { name: "acc", type: "float32" },
      ],
      (async function* () {
        const all = [...response, ...response];
        yield {
          length: 2,
          columns: [
            { values: ["p", "p"] },
            {
              values: Int32Array.from([...prompt, ...prompt]),
              offsets: [0, prompt.length, 2 * prompt.length],
            },
            { values: Int32Array.from(all), offsets: [0, response.length, all.length] },
            {
              values: Uint8Array.from(all, (_, i) => (i === 0 ? 0 : 1)),
              offsets: [0, response.length, all.length],
            },
            { values: Float32Array.from([1, 0]) },
          ],
        };
      })(),
    );
    const { texts, findings } = await read([file]);
    expect(texts.map((text) => [text.id, text.correct, [...text.promptIds], [...text.tokenIds]])).toEqual([
      ["p#0", true, prompt, response],
      ["p#1", false, prompt, response],
    ]);
    expect(texts.map(({ mask }) => mask[0])).toEqual([0, 1]);
    expect(texts[0]!.responseText).toBe(" 12 a");
    expect(findings).toEqual([]);
  });

  test("columns under other names, also within objects", async () => {
    const rows = [
      { q: { text: "1 + 1 =" }, out: " 2", meta: { hardness: "Level 5", tag: "sums" }, error: 0 },
    ];
    const columns = {
      prompt: "q.text",
      response: "out",
      level: "meta.hardness",
      subject: "meta.tag",
      error_token: "error",
    };
    const { texts } = await readRows(rows, { columns });
    expect(texts).toMatchObject([
      { promptText: "1 + 1 =", responseText: " 2", level: 5, subject: "sums", errorToken: 0 },
    ]);
    await expect(readRows(rows, { columns: { ...columns, answer: "meta.truth" } })).rejects.toMatchObject({
      _tag: "SchemaError",
      message: expect.stringContaining('has a value under "meta.truth" (answer)'),
    });
    await expect(readRows(rows, { columns: { reward: "x" } })).rejects.toMatchObject({ _tag: "UsageError" });
  });

  test("ids of texts beside ids of problems; the same one twice is told", async () => {
    const row = (id: string, response: string): object => ({ id, problem_id: "p", prompt: "1 =", response });
    const study = await readRows([row("a", " 1"), row("b", " 2"), row("a", " 3")]);
    expect(study.texts.map(({ id, problem }) => [id, problem])).toEqual([
      ["a#0", "p"],
      ["b", "p"],
      ["a#1", "p"],
    ]);
    expect(found(study)).toEqual([
      ["duplicate", "warning", 1, "1 text has a repeated id (a); #0, #1, … is appended"],
    ]);
  });

  test("rows of two files that have no names are not one problem", async () => {
    const one = await folder.write("one.jsonl", '{"prompt":"1 =","response":" 1"}\n');
    const two = await folder.write(
      "two.jsonl",
      '{"prompt":"2 =","response":" 2"}\n{"prompt":"1 =","response":" 3"}\n',
    );
    const { texts } = await read([one, two]);
    expect(texts.map(({ id, problem }) => [id, problem])).toEqual([
      ["row 0#0", "row 0"],
      [`row 0 of ${two}`, `row 0 of ${two}`],
      ["row 0#1", "row 0"],
    ]);
  });

  test("a list of problems finds rows by their prompt", async () => {
    const problems = await folder.write("filtered_problems.json", PROBLEMS);
    const { texts } = await readRows([{ prompt: "1 + 1 =", response: " 2", id: 17 }], { problems });
    expect(texts.map(({ id, problem, level }) => [id, problem, level])).toEqual([["17", "q/2", 4]]);
  });

  test("no more than asked for", async () => {
    const rows = Array.from({ length: 5 }, (_, i) => ({ id: i, prompt: "1 =", response: ` ${i}` }));
    const study = await readRows(rows, { limit: 2 });
    expect(study.texts.map(({ id }) => id)).toEqual(["0", "1"]);
    expect(found(study)).toEqual([["note", "info", 3, "3 texts after the first 2 were left out by --limit"]]);
  });
});

describe("token ids", () => {
  test("of a prompt that changes when the response follows: both are encoded apart, and that is told", async () => {
    const study = await readRows([
      { id: "a", prompt: "x = 1", response: "2 a" },
      { id: "b", prompt: "x = 1", response: " 2" },
      { id: "c", prompt: "7 12", response: "3" },
      { id: "d", prompt: "x4", response: "5 a" },
    ]);
    for (const text of study.texts) {
      expect([...text.promptIds]).toEqual(tokenizer.encode(text.promptText!));
      expect([...text.tokenIds]).toEqual(tokenizer.encode(text.responseText));
    }
    const [index, alone] = [tokenizer.encode("x =").length, tokenizer.encode(" 1").at(-1)!];
    const joined = tokenizer.encode("x = 12")[index]!;
    expect(found(study)).toEqual([
      [
        "retokenised",
        "warning",
        3,
        `3 texts (first a): the prompt's tokens change when the response follows, the first at token ${index} of ${index + 1}: ${alone} " 1" becomes ${joined} ${JSON.stringify(tokenizer.textOf(joined))}; prompt and response were encoded separately`,
      ],
    ]);
  });

  test("that the file gives are used as they are, and held against the text", async () => {
    const ids = [...tokenizer.encode("1"), ...tokenizer.encode("2")];
    const end = tokenizer.eosId!;
    const study = await readRows([
      { id: "a", prompt_ids: [3, 4], response_ids: [...ids, end], response: "12", response_mask: [1, 0, 1] },
      { id: "b", prompt: "x =", response_ids: ids, response: "12<|end|>" },
      { id: "c", prompt: "x =", prompt_ids: [9], response_ids: ids },
      { id: "d", prompt: "x =", prompt_ids: tokenizer.encode("y x = "), response: "12" },
    ]);
    expect(
      study.texts.map((text) => [[...text.tokenIds], [...text.mask], text.idsFrom, text.responseText]),
    ).toEqual([
      [[...ids, end], [1, 0, 1], "file", "12"],
      [ids, [1, 1], "file", "12<|end|>"],
      [ids, [1, 1], "file", "12"],
      [tokenizer.encode("12"), [1], "tokenizer", "12"],
    ]);
    expect([...study.texts[0]!.promptIds]).toEqual([3, 4]);
    expect(study.texts[0]!.promptText).toBeUndefined();
    expect(found(study)).toEqual([
      [
        "text-differs",
        "warning",
        1,
        "1 text (b): the ids of the response decode to a different text from the one given, the first 2 ids",
      ],
      [
        "text-differs",
        "warning",
        1,
        "1 text (c): the ids of the prompt decode to a different text from the one given, the first 1 ids",
      ],
    ]);
  });

  test("end with the end of a text where that is asked for, once", async () => {
    const rows = [
      { id: "a", prompt: "x =", response: " 1" },
      { id: "b", prompt: "x =", response: " 1<|end|>" },
      { id: "c", prompt: "x =", response_ids: [5] },
    ];
    const { texts } = await readRows(rows, { appendEos: true });
    const ended = [...tokenizer.encode(" 1"), tokenizer.eosId];
    expect(texts.map(({ tokenIds }) => [...tokenIds])).toEqual([ended, ended, [5]]);
    await expect(
      readRows(rows, { appendEos: true, tokenizer: { ...tokenizer, eosId: undefined } }),
    ).rejects.toMatchObject({ _tag: "UsageError" });
  });
});

describe("what cannot be forced is left out and counted:", () => {
  const good = { id: "good", prompt: "x =", response: " 1" };
  test.each([
    ["an empty response", { response: "" }, "empty-text", "the response is empty"],
    ["an empty list of ids", { response: null, response_ids: [] }, "empty-text", "the response is empty"],
    ["an empty prompt", { prompt: "" }, "empty-text", "the prompt has no token"],
    ["no prompt", { prompt: null }, "empty-text", "the prompt has no token"],
    [
      "ids of padding",
      { response_ids: [4, -100] },
      "unknown-token",
      "outside the tokenizer's 266, the first -100 at token 1",
    ],
    [
      "ids of another tokenizer",
      { prompt_ids: [4, 5, 266] },
      "unknown-token",
      "the prompt has ids outside the tokenizer's 266, the first 266 at token 2",
    ],
    [
      "a mask of another length",
      { response_ids: [4, 5], response_mask: [1] },
      "length-mismatch",
      "the first 1 and 2 tokens",
    ],
    [
      "ids that are not numbers",
      { response_ids: ["a"] },
      "bad-row",
      "its response_ids is not a list of whole numbers",
    ],
    [
      "a fraction among ids",
      { response_ids: [1, 2.5] },
      "bad-row",
      "its response_ids is not a list of whole numbers",
    ],
    [
      "messages",
      { prompt: [{ role: "user", content: "x" }] },
      "bad-row",
      "its prompt is a list, not a text: render messages",
    ],
    ["a response that is a number", { response: 12 }, "bad-row", "its response is a number, not a text"],
  ])("%s", async (_, change, code, message) => {
    const study = await readRows([good, { ...good, id: "bad", ...change }]);
    expect(study.texts.map(({ id }) => id)).toEqual(["good"]);
    expect(found(study)).toEqual([[code, "skipped", 1, expect.stringContaining(message)]]);
    expect(study.findings[0]!.at).toMatchObject({ file: expect.stringContaining("rows.json"), row: 1 });
  });

  test("a row that is not JSON", async () => {
    const file = await folder.write(
      "broken.jsonl",
      `${JSON.stringify(good)}\n{"prompt": \n${JSON.stringify({ ...good, id: "c" })}\n`,
    );
    const study = await read([file]);
    expect(study.texts.map(({ id }) => id)).toEqual(["good", "c"]);
    expect(study.findings).toMatchObject([
      { code: "bad-row", severity: "skipped", count: 1, at: { file, line: 2 } },
    ]);
  });

  test("masks and errors that are odd are told", async () => {
    const study = await readRows([
      { ...good, response_ids: [4, 5], response_mask: [2, 0], error_token: 7, response: undefined },
      { ...good, id: "b", response_ids: [4, 5], response_mask: [0, 0], error_token: -1, response: undefined },
    ]);
    expect(study.texts.map(({ mask, errorToken }) => [[...mask], errorToken])).toEqual([
      [[1, 0], undefined],
      [[0, 0], undefined],
    ]);
    expect(study.findings.map(({ code }) => code)).toEqual([
      "non-binary-mask",
      "length-mismatch",
      "empty-mask",
    ]);
  });
});

describe("files that are not texts are refused:", () => {
  test.each([
    ["cut.json", '{"a": {"response": "x"', "FormatError", "no row can be read"],
    ["empty.json", "", "EmptyInputError", "0 bytes"],
    ["binary.bin", "\u0000\u0001", "FormatError", "neither JSON objects, JSONL nor Parquet"],
    ["strings.json", '["a", "b"]', "FormatError", "neither JSON objects, JSONL nor Parquet"],
    [
      "results.json",
      '{"a": true, "b": false}',
      "SchemaError",
      "the entry is true, neither an object with a response nor a text",
    ],
    [
      "other.json",
      '[{"a": 1, "b": 2}]',
      "SchemaError",
      "none of the 1 rows has a response (response, completion, output, rollout or response_ids); the first has a, b",
    ],
  ])("%s", async (name, content, tag, message) => {
    const file = await folder.write(name, content);
    const error = await read([file]).catch((thrown: unknown) => thrown);
    expect(isLogratioError(error) && [error._tag, error.message]).toEqual([
      tag,
      expect.stringContaining(message),
    ]);
    expect(isLogratioError(error) && error.at.file).toBe(file);
  });

  test("problems without ids or texts", async () => {
    const dpo = await folder.write("dpo_responses.json", { a: "x" });
    const lists = [
      [[{ level: 1 }], "none of the 1 problems has an id"],
      [[{ unique_id: "a" }], "none of the 1 problems has a text"],
    ] as const;
    for (const [list, message] of lists) {
      const problems = await folder.write("problems.json", list);
      await expect(read([], { problems, responses: { dpo } })).rejects.toMatchObject({
        _tag: "SchemaError",
        message: expect.stringContaining(message),
      });
    }
  });

  test("no files, no tokenizer, no place in the template", async () => {
    await expect(read([])).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringContaining("no file"),
    });
    const rows = [{ prompt: "x", response: "y" }];
    await expect(readRows(rows, { tokenizer: undefined })).rejects.toMatchObject({
      message: expect.stringContaining("without a tokenizer"),
    });
    await expect(readRows(rows, { promptTemplate: "Q: {question}" })).rejects.toMatchObject({
      message: expect.stringContaining("has no {problem}"),
    });
  });
});

describe("problems without ids", () => {
  test("are found by their text, and one text is one problem", async () => {
    const problems = await folder.write("no-ids.json", [
      { problem: "7 + 5 =", answer: "12" },
      { problem: "1 + 1 =", answer: "2" },
      { problem: "7 + 5 =", answer: "12" },
    ]);
    const responses = await folder.write("by-text.json", [
      { prompt: "1 + 1 =", response: " 2", correct: true },
      { prompt: "7 + 5 =", response: " 11", correct: false },
      { prompt: "9 + 9 =", response: " 18", correct: true },
    ]);
    const study = await readStudyTexts({ tokenizer, problems, responses: { dpo: responses } });
    expect(study.texts.map(({ id, problem, answer }) => [id, problem, answer])).toEqual([
      ["dpo:row 1", "row 1", "2"],
      ["dpo:row 0", "row 0", "12"],
    ]);
    expect(found(study)).toEqual([
      ["note", "info", 3, "3 problems have no id: responses to them are found by the problem's text"],
      ["duplicate", "info", 1, "1 problem has a repeated id; the first of each is kept"],
      ["note", "info", 1, "1 response is to problems that are not in the list of problems"],
    ]);
  });
});

test("a limit keeps the same problems of every author", async () => {
  const of = (text: string, ...ids: readonly string[]): object =>
    Object.fromEntries(ids.map((id) => [id, { response: text, prompt: `${id} =` }]));
  const responses = {
    dpo: await folder.write("dpo.json", of(" 1", "a", "b", "c", "d")),
    rlvr: await folder.write("rlvr.json", of(" 2", "d", "b", "c", "a")),
  };
  const study = await readStudyTexts({ tokenizer, responses, limit: 2 });
  expect(study.texts.map(({ id }) => id)).toEqual(["dpo:a", "dpo:b", "rlvr:b", "rlvr:a"]);
  expect(found(study)).toEqual([["note", "info", 4, "4 texts after the first 2 were left out by --limit"]]);
});
