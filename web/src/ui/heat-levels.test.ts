import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DARK_HEAT, LIGHT_HEAT } from "../../../src/render/charts/heat-levels.ts";

const css = readFileSync(new URL("./heat-levels.css", import.meta.url), "utf8");

it("has the report's colors, in light and in dark", () => {
  const found = [...css.matchAll(/--lr-([hi])(\d): light-dark\((#\w+), (#\w+)\);/g)];
  expect(found).toHaveLength(2 * LIGHT_HEAT.length);
  for (const [, part, level, light, dark] of found) {
    const side = part === "h" ? 0 : 1;
    expect([light, dark]).toEqual([LIGHT_HEAT[Number(level)]?.[side], DARK_HEAT[Number(level)]?.[side]]);
  }
});
