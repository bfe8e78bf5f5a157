import { expect, it } from "vitest";
import { z } from "zod";
import { sweep } from "../cli/verbs/sweep.ts";
import { flagMeaning } from "../cli/verbs/verb.ts";
import { TOOLS } from "./tools.ts";

const commandOf = (name: string, input: Record<string, unknown>): unknown => {
  const tool = TOOLS.find((one) => one.name === name)!;
  return tool.command(z.strictObject(tool.input).parse(input) as never);
};

it.each([
  [
    "report",
    { paths: ["a", "b"], steps: "1..3", filter: "abs>0.5", columns: { rollout: "lp", promptText: "p" } },
    {
      flags: ["report", "--steps=1..3", "--rollout=lp", "--prompt-text=p", "--filter=abs>0.5"],
      reads: ["a", "b"],
    },
  ],
  ["doctor", { paths: ["a"], trainer: "verl" }, { flags: ["doctor", "--for=verl"], reads: ["a"] }],
  [
    "compare",
    { a: "x", b: "y", within: 0, column: "trainer" },
    { flags: ["compare", "--no-digests", "--column=trainer", "--within=0"], reads: ["x", "y"] },
  ],
  ["compare", { a: "x" }, { flags: ["compare", "--no-digests"], reads: ["x"] }],
  [
    "show",
    { paths: ["a"], handle: "s1.q2", tokenizer: "m" },
    { flags: ["show"], reads: ["a"], after: ["s1.q2"], readsByFlag: { tokenizer: "m" } },
  ],
  [
    "sweep",
    { paths: ["a"], trainers: ["verl", "trl"] },
    { flags: ["sweep", "--for=verl,trl"], reads: ["a"] },
  ],
  [
    "digits",
    { paths: ["a"], digit_ids: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
    { flags: ["digits", "--digit-ids=0,1,2,3,4,5,6,7,8,9"], reads: ["a"] },
  ],
  ["analyze", { paths: ["log.jsonl"] }, { flags: ["analyze"], reads: ["log.jsonl"] }],
  ["sql", { query: "select 1", paths: ["a"] }, { flags: ["sql"], before: ["select 1"], reads: ["a"] }],
  ["lint", { config: "c.yaml" }, { flags: ["correct"], reads: [], readsByFlag: { lint: "c.yaml" } }],
  [
    "lint",
    { config: "c.yaml", trainer_version: "0.11.1" },
    { flags: ["correct", "--trainer-version=0.11.1"], reads: [], readsByFlag: { lint: "c.yaml" } },
  ],
])("%s: %o", (name, input, command) => {
  expect(commandOf(name, input)).toEqual(command);
});

it("says of a tool and its arguments what the command line says of the verb and its flags", () => {
  const { title, input } = TOOLS.find(({ name }) => name === "sweep")!;
  expect(title).toBe("Which correction suits this run, as a config");
  expect(z.toJSONSchema(z.strictObject(input)).properties).toMatchObject({
    steps: { description: "read only these steps: 30, 100..200, 10,20,30" },
    trainers: { description: "print the config for these trainers only: verl,xtuner" },
  });
  expect(() => flagMeaning(sweep, "--none")).toThrow("sweep has no --none");
});

it("takes nothing that it does not know: a misspelt argument must not widen a question", () => {
  expect(() => commandOf("report", { paths: ["a"], step: "3" })).toThrow(/step/);
  expect(() => commandOf("report", { paths: [] })).toThrow();
  expect(() => commandOf("report", { paths: ["a"], columns: { rolout: "x" } })).toThrow();
});
