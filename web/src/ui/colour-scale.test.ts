import { expect, test } from "vitest";
import { chooseShade, paletteNamed, shadeClass, valueOfShade } from "./colour-scale.ts";

test("shades are symmetric and grow as the power 0.4", () => {
  expect(chooseShade(0, 1)).toBe(0);
  expect(chooseShade(1, 1)).toBe(10);
  expect(chooseShade(-1, 1)).toBe(-10);
  expect(chooseShade(0.01, 1)).toBe(2); // 0.01 ** 0.4 = 0.158
  expect(chooseShade(0.1, 2)).toBe(-chooseShade(-0.1, 2));
});

test("a shade's own value has that shade", () => {
  for (let shade = -10; shade <= 10; shade++)
    expect(chooseShade(valueOfShade(shade, 0.37), 0.37) + 0).toBe(shade + 0);
});

test("missing is not zero, non-finite is neither, and what is beyond the scale is marked", () => {
  expect(shadeClass(Number.NaN, 1)).toBe("missing");
  expect(shadeClass(-Infinity, 1)).toBe("infinite");
  expect(shadeClass(0, 1)).toBe("q0");
  expect(shadeClass(-1, 1)).toBe("q-10");
  expect(shadeClass(30, 1)).toBe("q10 over");
});

test("an unknown palette is the default one", () => {
  expect(paletteNamed("<script>")).toBe("blue-orange");
  expect(paletteNamed("prgn")).toBe("prgn");
});
