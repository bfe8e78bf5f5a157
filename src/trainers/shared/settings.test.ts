import { describe, expect, it } from "vitest";
import { xtuner } from "../xtuner/preset.ts";
import type { Parameter, Setting, Settings } from "./preset.ts";
import { completeSettings, parseSetting } from "./settings.ts";

it.each([
  ["inf", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["+INF", Number.POSITIVE_INFINITY],
  ["inf,0.5", [Number.POSITIVE_INFINITY, 0.5]],
  ["2.5e1", 25],
  ["info", "info"],
  ["none", null],
])("reads name=%s", (text, value) => {
  expect(parseSetting(`name=${text}`)).toEqual(["name", value]);
});

it("takes a bound of inf for one that does not bind", () => {
  const [name, value] = parseSetting("rollout_is_threshold=(inf, 0.5)");
  const correction = xtuner.correction(completeSettings(xtuner, { [name]: value }));
  expect(correction.steps).toEqual([{ action: "truncate", lower: 0.5, upper: Number.POSITIVE_INFINITY }]);
});

describe("settings that a preset completes", () => {
  const parameter = (name: string, kind: Parameter["kind"], fallback: Setting): Parameter => ({
    name,
    kind,
    fallback,
    meaning: "",
  });
  const preset = {
    ...xtuner,
    name: "toy",
    parameters: [
      parameter("cap", "number", 2),
      parameter("on", "boolean", false),
      { ...parameter("level", "text", "token"), choices: ["token", "sequence", "3"] },
      parameter("pair", "pair", null),
      parameter("bounds", "text", null),
      parameter("threshold", "number or text", 5),
    ],
  };
  const complete = (given: Settings) => completeSettings(preset, given);

  it("have the preset's own values where none is given, and are refused under names that it lacks", () => {
    const own = { cap: 2, on: false, level: "token", pair: null, bounds: null, threshold: 5 };
    expect(complete({})).toEqual(own);
    expect(complete({ cap: 3, on: true })).toEqual({ ...own, cap: 3, on: true });
    expect(() => complete({ caps: 3 })).toThrow("toy has no setting caps");
  });

  it("may all be None", () => {
    const nulls = { cap: null, on: null, level: null, pair: null, bounds: null, threshold: null };
    expect(complete(nulls)).toEqual(nulls);
  });

  it.each<[name: string, value: Setting, wanted: string]>([
    ["cap", "2", "a number"],
    ["cap", true, "a number"],
    ["on", 1, "true or false"],
    ["level", "turn", "one of token, sequence, 3"],
    ["pair", 2, "two numbers"],
    ["pair", [1], "two numbers"],
    ["pair", [1, 2, 3], "two numbers"],
    ["pair", "12", "two numbers"],
  ])("refuse %s=%j", (name, value, wanted) => {
    expect(() => complete({ [name]: value })).toThrow(`${name} is ${wanted}, not ${JSON.stringify(value)}`);
  });

  it.each<[name: string, value: Setting, expected: Setting]>([
    ["pair", [0.5, 2], [0.5, 2]],
    ["level", 3, "3"],
    ["bounds", [0.5, 2], "0.5,2"],
    ["bounds", 2, "2"],
    ["threshold", 2, 2],
    ["threshold", [0.5, 2], "0.5,2"],
    ["threshold", "0.5_2", "0.5_2"],
  ])("take %s=%j as %j", (name, value, expected) => {
    expect(complete({ [name]: value })[name]).toEqual(expected);
  });
});

it.each<[text: string, value: Setting]>([
  ["a=b=c", "b=c"],
  [" a = TRUE ", true],
  ["a=False", false],
  ["a=NULL", null],
  ["a=-.5", -0.5],
  ["a=1e-3", 0.001],
  ["a=12.25", 12.25],
  ["a=1e12", 1e12],
  ["a=.125", 0.125],
  ["a=+inf", Number.POSITIVE_INFINITY],
  ["a=[0.5, 2]", [0.5, 2]],
  ["a=(0.5,2)", [0.5, 2]],
  ["a=1,x", "1,x"],
  ["a=1x", "1x"],
  ["a=x1", "x1"],
  ["a=truest", "truest"],
  ["a=untrue", "untrue"],
  ["a=[2]", "[2]"],
  ["a=", ""],
])("reads %j", (text, value) => {
  expect(parseSetting(text)).toEqual(["a", value]);
});

it.each(["a", "=1", ""])("refuses %j, which sets nothing", (text) => {
  expect(() => parseSetting(text)).toThrow("has no value");
});
