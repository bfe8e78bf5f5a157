import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readStudy } from "./config/read-study.ts";
import { prepareTexts } from "./prepare-texts.ts";
import { createFolder, type Folder } from "./texts/files.test-data.ts";

let folder: Folder;
let texts: string;
let outcomes: string;
beforeAll(async () => {
  folder = await createFolder();
  const responses = { a: false, b: false, c: true, d: false, e: undefined };
  const rows = Object.entries(responses).map(([problem_id, correct]) =>
    JSON.stringify({ problem_id, source: "dpo", prompt_ids: [3, 4], response_ids: [5, 6, 7], correct }),
  );
  texts = await folder.write("texts.jsonl", rows.join("\n"));
  outcomes = await folder.write("rlvr.json", { a: true, b: false, c: true, e: true });
});
afterAll(() => folder.remove());

async function select(config: object): Promise<{ problems: string[]; findings: [string, string][] }> {
  const policies = { dpo: "onnx:dpo", rlvr: "onnx:rlvr" };
  const tokenizer = join(import.meta.dirname, "../../../examples/demo/tokenizer");
  const { spec } = await readStudy(
    { texts, tokenizer, policies, reference: "dpo", ...config },
    "out",
    undefined,
  );
  const prepared = await prepareTexts(spec, {});
  return {
    problems: prepared.texts.map(({ problem }) => problem),
    findings: prepared.findings.map(({ severity, message }) => [severity, message]),
  };
}

test("only_outcomes keeps problems by who solves them, and counts the others by reason", async () => {
  const selected = await select({
    outcomes: { rlvr: outcomes },
    only_outcomes: { dpo: "wrong", rlvr: "right" },
  });
  expect(selected).toEqual({
    problems: ["a"],
    findings: [
      ["info", "1 text whose problem rlvr does not solve was left out by --only-outcomes"],
      ["info", "1 text whose problem dpo solves was left out by --only-outcomes"],
      ["warning", "1 text without a known outcome of rlvr was left out by --only-outcomes"],
      ["warning", "1 text without a known outcome of dpo was left out by --only-outcomes"],
    ],
  });
});

test.each([
  ["outcomes of a policy that wrote none of the texts", { rlvr: "wrong" }, "rlvr", ["b"]],
  ["a file before the policy's own responses", { dpo: "right" }, "dpo", ["a", "c", "e"]],
  ["no policy", {}, "rlvr", ["a", "b", "c", "d", "e"]],
])("only_outcomes by %s", async (_, only_outcomes, policy, problems) => {
  expect(await select({ outcomes: { [policy]: outcomes }, only_outcomes })).toMatchObject({ problems });
});

test("where no text is left, the cause is what took most of them", async () => {
  const none = select({
    outcomes: { rlvr: outcomes },
    only_wrong: true,
    only_outcomes: { dpo: "right", rlvr: "wrong" },
  });
  await expect(none).rejects.toMatchObject({
    _tag: "EmptyInputError",
    likely: "3 texts whose problem dpo does not solve were left out by --only-outcomes",
  });
  const problems = await folder.write("problems.json", [{ unique_id: "z", problem: "1 + 1" }]);
  const other = { texts: undefined, problems, responses: { dpo: texts } };
  await expect(select(other)).rejects.toMatchObject({
    likely: expect.stringMatching(
      /^1 of 1 problems has no response in .*: the two files name problems differently$/,
    ),
  });
});

test("a policy without outcomes and an outcome of another name are refused", async () => {
  await expect(select({ only_outcomes: { dpo: "wrong", rlvr: "right" } })).rejects.toMatchObject({
    _tag: "UsageError",
    message: "--only-outcomes needs outcomes of rlvr, and there are none",
    likely: "there are outcomes of dpo",
    hint: "say which problems it solves: --outcomes rlvr=FILE",
  });
  await expect(select({ outcomes, only_outcomes: { dpo: "wrong", rlvr: "right" } })).rejects.toMatchObject({
    likely: "there are outcomes of dpo",
  });
  const rows = await folder.write("unknown.jsonl", '{"prompt_ids":[3],"response_ids":[5]}');
  await expect(select({ texts: rows, outcomes, only_outcomes: { rlvr: "right" } })).rejects.toMatchObject({
    likely: "the file of outcomes does not say whose they are",
  });
  await expect(select({ texts: rows, only_outcomes: { rlvr: "right" } })).rejects.toMatchObject({
    likely: "no file of outcomes was given, and the texts are not known to be right or wrong",
  });
  await expect(select({ only_outcomes: { dpo: "bad" } })).rejects.toThrow(
    'only_outcomes.dpo must be one of right, wrong, not "bad"',
  );
  await expect(select({ only_outcomes: { dpo: null } })).rejects.toThrow(
    "only_outcomes.dpo must be one of right, wrong, not null",
  );
});
