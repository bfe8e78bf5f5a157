import { expect, test } from "vitest";
import {
  FIGURE_FLAGS,
  type FlagTable,
  flagOf,
  JUDGING_FLAGS,
  REPORT_FLAGS,
  SCORING_FLAGS,
} from "../../flags.ts";
import { configFromFlags } from "./config-from-flags.ts";
import { mergeConfigs } from "./merge-configs.ts";
import { readStudy } from "./read-study.ts";

const ALL: FlagTable = { ...SCORING_FLAGS, ...JUDGING_FLAGS, ...REPORT_FLAGS, ...FIGURE_FLAGS };
const GIVEN = { switch: true, text: "a", texts: ["a"], named: "a=b", count: "2", number: "2" };
const BASE = { texts: "t.jsonl", policies: ["a=onnx:a", "b=onnx:b"], reference: "a", generate: { n: 1 } };

test.each(Object.entries(ALL).filter(([, { key }]) => key !== undefined))(
  "%s sets a key that a config has",
  async (name, { as, key }) => {
    const config = configFromFlags(ALL, { [name]: GIVEN[as], other: "left out" });
    expect(Object.keys(config)).toEqual([key!.split(".")[0]]);
    const said = await readStudy(mergeConfigs(BASE, config), "out", undefined).then(
      () => "",
      ({ message }: Error) => message,
    );
    // A value may be none of the key's, and then the message names the key.
    expect(said).not.toContain("unknown option");
  },
);

test("flags of one object of a config are set together", () => {
  expect(
    configFromFlags(ALL, { spikes: "adaptive", spikeThreshold: 1.5, topK: "1_000", pair: "a:b" }),
  ).toEqual({
    spikes: { method: "adaptive", threshold: 1.5 },
    top_k: 1000,
    pairs: ["a:b"],
  });
});

test.each([
  [{ topK: "0" }, '--top-k must be a positive integer, not "0"'],
  [{ alpha: "" }, '--alpha must be a number, not ""'],
  [{ column: ["prompt"] }, '--column must have the form name=value, not "prompt"'],
])("%o is refused by its flag", (options, message) => {
  expect(() => configFromFlags(ALL, options)).toThrow(message);
});

test("only switches take no value", () => {
  for (const [name, { as, takes }] of Object.entries(ALL))
    expect([flagOf(name), takes === undefined]).toEqual([flagOf(name), as === "switch"]);
});
