import { expect, it } from "vitest";
import type { ConfigDocument } from "../shared/config-entry.ts";
import { DIALECTS } from "./dialects.ts";
import { misspeltKeys } from "./misspelt.ts";

/** One letter away from a setting of the section it stands in. */
const KEY = "algorithm.rollout_correction.rollout_iss";
const DOCUMENT: ConfigDocument = {
  ...{ format: "yaml", name: "document 1", line: 1 },
  entries: [{ key: KEY, path: KEY.split("."), line: 3, value: 1, text: "1", quoted: false }],
};

const VERL = DIALECTS.find(({ name }) => name === "verl")!;
const check = (...advised: readonly string[]) =>
  misspeltKeys(
    DOCUMENT,
    { dialect: { ...VERL, advised }, judged: { release: "0.9.1" }, findings: [] },
    ["rollout_is"],
    new Set(),
  ).map(({ code }) => code);

it("a key that the doctor advises is never called a slip, however near it is to another", () => {
  expect(check()).toEqual(["misspelt"]);
  expect(check(KEY)).toEqual([]);
  expect(check("rollout_correction.rollout-iss")).toEqual([]);
  expect(check("actor.rollout_iss")).toEqual(["misspelt"]);
});
