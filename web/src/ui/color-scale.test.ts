import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import {
  chooseHeight,
  chooseShade,
  LAST,
  MEAN_NATS,
  NATS,
  PALETTES,
  paletteNamed,
  runScale,
  type Scale,
  SHADES,
  shadeClass,
  valueOfShade,
} from "./color-scale.ts";

/** A scale of one hue. */
const upTo = (domain: number): Scale => ({ floor: 0, domain, end: domain });

test("shades are symmetric and grow as the power 0.4", () => {
  expect(chooseShade(0, upTo(1))).toBe(0);
  expect(chooseShade(1, upTo(1))).toBe(10);
  expect(chooseShade(-1, upTo(1))).toBe(-10);
  expect(chooseShade(0.01, upTo(1))).toBe(2); // 0.01 ** 0.4 = 0.158
  expect(chooseShade(0.1, upTo(2))).toBe(-chooseShade(-0.1, upTo(2)));
});

test("missing, zero and non-finite values differ, and values beyond the scale are marked", () => {
  expect(shadeClass(Number.NaN, NATS)).toBe("missing");
  expect(shadeClass(-Infinity, NATS)).toBe("infinite");
  expect(shadeClass(0, upTo(1))).toBe("q0");
  expect(shadeClass(-1, upTo(1))).toBe("q-10");
  expect(shadeClass(30, upTo(1))).toBe("q10 over");
  expect(shadeClass(-16, NATS)).toBe("q-15");
  expect(shadeClass(-17, NATS)).toBe("q-15 over");
});

test("an unknown palette is the default one", () => {
  expect(paletteNamed("<script>")).toBe("blue-orange");
  expect(paletteNamed("prgn")).toBe("prgn");
});

describe("the scale of Δ", () => {
  it("has no color below 0.05 nats, and the second hue from 1 on", () => {
    expect([0, 0.01, -0.0499, 0.05].map((value) => chooseShade(value, NATS) + 0)).toEqual([0, 0, 0, 0]);
    expect([0.06, 0.258, 0.99, 1].map((value) => chooseShade(value, NATS))).toEqual([2, 5, 10, 10]);
    expect([1.001, 2, 10.7, -10.7].map((value) => chooseShade(value, NATS))).toEqual([11, 12, 15, -15]);
    expect(Math.abs(chooseShade(-0.05, NATS))).toBe(0);
  });

  it("gives values without color a height", () => {
    expect(chooseHeight(0.002, NATS)).toBeCloseTo(0.7 * 0.002 ** 0.4, 12);
    expect(chooseHeight(0.01, NATS)).toBeLessThan(chooseHeight(0.04, NATS));
  });

  it("is the run's own on request, from 0 to its p99.5 and its largest value", () => {
    expect(runScale(0.063, 10.7)).toEqual({ floor: 0, domain: 0.063, end: 10.7 });
    expect(runScale(3, 0.5)).toEqual(upTo(3));
    expect(runScale(3, null)).toEqual(upTo(3));
    for (const none of [0, null, Number.NaN]) expect(runScale(none, 1)).toBeUndefined();
  });
});

describe.each([NATS, MEAN_NATS, { floor: 0, domain: 0.37, end: 12.5 }])("%o", (scale) => {
  it("maps a shade's own value back to it, and larger values to no smaller shade", () => {
    for (let shade = -LAST; shade <= LAST; shade++)
      expect(chooseShade(valueOfShade(shade, scale), scale) + 0).toBe(shade + 0);
    expect(valueOfShade(LAST, scale)).toBeCloseTo(scale.end, 9);
    expect(valueOfShade(SHADES, scale)).toBe(scale.domain);
    expect(valueOfShade(0, scale)).toBe(0);
    const shades = Array.from({ length: 400 }, (_, at) => chooseShade(1e-4 * 1.03 ** at, scale));
    expect(shades).toEqual([...shades].sort((a, b) => a - b));
  });
});

describe("beyond the domain", () => {
  const scale: Scale = { floor: 0, domain: 0.1, end: 10 };

  it("shades are logarithmic", () => {
    // From 0.1 to 10 in five shades: each spans a factor of 10^0.4.
    expect([0.1, 0.1001, 0.25, 0.26, 1, 9.9, 10].map((value) => chooseShade(value, scale))).toEqual([
      10, 11, 11, 12, 13, 15, 15,
    ]);
    expect(chooseShade(-0.26, scale)).toBe(-12);
    expect(shadeClass(10, scale)).toBe("q15");
    expect(shadeClass(11, scale)).toBe("q15 over");
  });

  it("nothing changes within the domain", () => {
    for (const value of [-0.1, -0.03, 0, 0.001, 0.09])
      expect(chooseShade(value, scale)).toBe(chooseShade(value, upTo(0.1)));
  });

  it("heights have 70 % for the domain, and end with the scale", () => {
    expect(chooseHeight(0.1, scale)).toBeCloseTo(0.7, 12);
    expect(chooseHeight(1, scale)).toBeCloseTo(0.85, 12);
    expect(chooseHeight(-20, scale)).toBe(1);
    expect([chooseHeight(0.1, upTo(0.1)), chooseHeight(0.05, upTo(0.1))]).toEqual([1, 0.5 ** 0.4]);
  });
});

/** Colors of the style sheet, mixed as browsers mix them (CSS Color 4, OKLab). */
describe("the colors", () => {
  type Rgb = readonly [number, number, number];
  const css = readFileSync(new URL("./color-scale.css", import.meta.url), "utf8");
  const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const parse = (hex: string): Rgb => {
    const full = hex.length === 4 ? `#${[...hex.slice(1)].map((digit) => digit + digit).join("")}` : hex;
    return [1, 3, 5].map((at) => linear(Number.parseInt(full.slice(at, at + 2), 16) / 255)) as unknown as Rgb;
  };
  const apply = (rows: readonly Rgb[], [a, b, c]: Rgb): Rgb =>
    rows.map(([x, y, z]) => x * a + y * b + z * c) as unknown as Rgb;
  const map = (of: Rgb, change: (part: number) => number): Rgb => of.map(change) as unknown as Rgb;
  const toLab = (rgb: Rgb): Rgb =>
    apply(
      [
        [0.2104542553, 0.793617785, -0.0040720468],
        [1.9779984951, -2.428592205, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.808675766],
      ],
      map(
        apply(
          [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
          ],
          rgb,
        ),
        Math.cbrt,
      ),
    );
  const toRgb = (lab: Rgb): Rgb =>
    map(
      apply(
        [
          [4.0767416621, -3.3077115913, 0.2309699292],
          [-1.2684380046, 2.6097574011, -0.3413193965],
          [-0.0041960863, -0.7034186147, 1.707614701],
        ],
        map(
          apply(
            [
              [1, 0.3963377774, 0.2158037573],
              [1, -0.1055613458, -0.0638541728],
              [1, -0.0894841775, -1.291485548],
            ],
            lab,
          ),
          (part) => part ** 3,
        ),
      ),
      (part) => Math.min(1, Math.max(0, part)),
    );
  const luminance = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const contrast = (a: Rgb, b: Rgb): number => {
    const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };

  /** The colors that a palette's `--q…` resolve to in a theme (0 light, 1 dark). */
  function readShades(palette: string, theme: 0 | 1): Map<number, Rgb> {
    const own = new RegExp(`\\[data-palette="${palette}"\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? "";
    const named = (name: string): Rgb => {
      const found = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`);
      return parse((found.exec(own) ?? found.exec(css))![1 + theme]!);
    };
    const shades = [
      ...css.matchAll(/--q(-?\d+): color-mix\(in oklab, var\(--([\w-]+)\) (\d+)%, var\(--([\w-]+)\)\)/g),
    ];
    return new Map(
      shades.map(([, shade, a, share, b]) => {
        const [from, to] = [toLab(named(b!)), toLab(named(a!))];
        const mixed = from.map((part, i) => part + (Number(share) / 100) * (to[i]! - part));
        return [Number(shade), toRgb(mixed as unknown as Rgb)];
      }),
    );
  }

  it.each(PALETTES.flatMap((palette) => [[palette, 0] as const, [palette, 1] as const]))(
    "of %s in theme %i leave text readable, and their lightness is monotonic beyond the domain",
    (palette, theme) => {
      const shades = readShades(palette, theme);
      expect(shades.size).toBe(2 * LAST + 1);
      const ink = parse(["#1c1e22", "#e8eaee"][theme]!);
      const beyond = parse(["#ffffff", "#15171a"][theme]!);
      for (const [shade, color] of shades)
        expect(contrast(color, Math.abs(shade) > SHADES ? beyond : ink), `q${shade}`).toBeGreaterThanOrEqual(
          4.5,
        );
      for (const sign of [-1, 1])
        for (let shade = SHADES; shade < LAST; shade++) {
          const [here, next] = [shades.get(sign * shade)!, shades.get(sign * (shade + 1))!].map(luminance);
          expect(Math.sign(next! - here!), `q${sign * shade}`).toBe(theme === 0 ? -1 : 1);
        }
    },
  );
});
