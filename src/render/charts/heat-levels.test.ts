import { describe, expect, it } from "vitest";
import { DARK_HEAT, HEAT_LEVELS, heatBounds, heatLevel, LIGHT_HEAT } from "./heat-levels.ts";

/** Relative luminance, WCAG 2. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ["light", LIGHT_HEAT, -1],
  ["dark", DARK_HEAT, 1],
] as const)("%s heat", (_, colors, direction) => {
  it("has readable text on every level", () => {
    expect(colors).toHaveLength(HEAT_LEVELS);
    for (const [fill, ink] of colors) expect(contrast(fill, ink)).toBeGreaterThanOrEqual(4.5);
  });

  it("goes one way in lightness, so that it is read without color", () => {
    const steps = colors.map(([fill]) => luminance(fill));
    for (let level = 1; level < steps.length; level++)
      expect(Math.sign(steps[level]! - steps[level - 1]!)).toBe(direction);
  });
});

it("levels begin at their bounds", () => {
  const bounds = heatBounds(3.2);
  for (const [level, bound] of bounds.entries()) {
    expect(heatLevel(bound, 3.2)).toBe(level);
    if (level > 0) expect(heatLevel(bound * 0.999, 3.2)).toBe(level - 1);
  }
  expect(heatLevel(3.2, 3.2)).toBe(HEAT_LEVELS - 1);
  expect(heatLevel(9, 3.2)).toBe(HEAT_LEVELS - 1);
});

it("nothing, less than nothing and an empty scale are level 0", () => {
  for (const value of [0, -1e-9, Number.NaN]) expect(heatLevel(value, 1)).toBe(0);
  expect(heatLevel(1, 0)).toBe(0);
  expect(heatLevel(1e-8, 1)).toBe(0);
});
