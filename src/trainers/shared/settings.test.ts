import { expect, it } from "vitest";
import { xtuner } from "../xtuner/index.ts";
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
