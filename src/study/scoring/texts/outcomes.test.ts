import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, type Folder } from "./files.test-data.ts";
import { readOutcomes } from "./outcomes.ts";

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(() => folder.remove());

async function outcomes(name: string, content: unknown): Promise<unknown> {
  const found = await readOutcomes(await folder.write(name, content));
  return Object.fromEntries([...found].map(([checkpoint, of]) => [checkpoint, Object.fromEntries(of)]));
}

test.each([
  ["ids", "results.json", { a: true, b: false, c: null }, { "": { a: true, b: false } }],
  [
    "RL-Probe's checkpoints",
    "all.json",
    { all_results: { step_1: { a: true }, step_2: { a: false, b: true } }, first_correct: { a: "step_1" } },
    { step_1: { a: true }, step_2: { a: false, b: true } },
  ],
  ["checkpoints alone", "all.json", { step_1: { a: true } }, { step_1: { a: true } }],
  [
    "responses",
    "responses.json",
    { a: { response: "x", correct: true, ground_truth: "1" }, b: { response: "y", correct: false } },
    { "": { a: true, b: false } },
  ],
  [
    "several responses, of which more than half must be right",
    "rollouts.json",
    {
      a: [{ correct: true }, { correct: true }, { correct: false }],
      b: [{ correct: true }, { correct: false }],
    },
    { "": { a: true, b: false } },
  ],
  [
    "rows that name checkpoints",
    "rows.jsonl",
    '{"checkpoint":"s1","unique_id":"a","acc":1}\n{"checkpoint":"s2","unique_id":"a","acc":0}\n{"id":7,"score":0.5}\n',
    { s1: { a: true }, s2: { a: false } },
  ],
])("outcomes by %s", async (_, name, content, expected) => {
  expect(await outcomes(name, content)).toEqual(expected);
});

test.each([
  [
    "nothing.json",
    { a: { response: "x" } },
    "SchemaError",
    "does not say of any problem whether it was solved",
  ],
  ["cut.json", '{"a": true', "FormatError", "row 0 cannot be read"],
  [
    "cut.jsonl",
    '{"id":"a","acc":1}\n{"id":"b",\n{"id":"c","acc":1}\n',
    "FormatError",
    "row 1 cannot be read",
  ],
])("%s is refused", async (name, content, _tag, message) => {
  await expect(outcomes(name, content)).rejects.toMatchObject({
    _tag,
    message: expect.stringContaining(message),
  });
});
