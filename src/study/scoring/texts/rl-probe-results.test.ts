import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, type Folder } from "./files.test-data.ts";
import { recognizeResults } from "./rl-probe-results.ts";

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(() => folder.remove());

const many = Object.fromEntries(
  Array.from({ length: 400 }, (_, i) => [`test/algebra, "${i}".json`, i % 2 === 0]),
);

test.each([
  ["kl", "RL-Probe's figures", { kl_analyses: [{ problem_id: "a", kl_forward: [0.1] }], spike_analyses: [] }],
  ["kl", "RL-Probe's figures of nothing yet", { kl_analyses: [], spike_analyses: [] }],
  ["outcomes", "solved problems", { a: true, b: false }],
  ["outcomes", "solved problems by checkpoint", { all_results: { step_1: { a: false }, step_2: {} } }],
  ["outcomes", "more solved problems than are looked at", many],
  ["outcomes", "correctness alone", { a: { correct: true }, b: { correct: false } }],
  [undefined, "a row that begins with its correctness", { correct: true, prompt: "a", response: "b" }],
  [undefined, "such a row with a long text", { correct: true, response: "x".repeat(9000) }],
  [undefined, "responses that begin with their correctness", { a: { correct: true, response: "true" } }],
  [undefined, "a list", [{ correct: true }]],
  [undefined, "an empty object", {}],
  [undefined, "objects without outcomes", { a: {} }],
  [undefined, "another format", "\x89PNG"],
  [undefined, "no text", ""],
])("%s: %s", async (kind, name, content) => {
  for (const indent of [0, 2]) {
    const text = typeof content === "string" ? content : JSON.stringify(content, undefined, indent);
    expect(await recognizeResults(await folder.write(`${name}.json`, text))).toBe(kind);
  }
});

test("heads of any length of a file are recognized alike", async () => {
  const whole = JSON.stringify({ all_results: { step_1: { a: true, b: false, c: true } } });
  for (let cut = whole.indexOf("true") + 4; cut <= whole.length; cut++)
    expect([cut, await recognizeResults(await folder.write("cut.json", whole.slice(0, cut)))]).toEqual([
      cut,
      "outcomes",
    ]);
});

test("a file that is not there is none of them", async () => {
  expect(await recognizeResults("gone.json")).toBeUndefined();
});
