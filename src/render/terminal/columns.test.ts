import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, clipMiddle, displayWidth, pad } from "./columns.ts";

const RED = `${String.fromCharCode(27)}[31m`;
const RESET = `${String.fromCharCode(27)}[0m`;

describe("displayWidth", () => {
  it.each([
    ["abc", 3],
    ["", 0],
    ["|Δ| ≤ ▁█", 8],
    ["数学", 4],
    ["ﬀ한글", 5],
    ["é", 1],
    ["🙂", 2],
    ["ｆｕｌｌ", 8],
    [`${RED}abc${RESET}`, 3],
  ])("counts %s as %i", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it("is the same beside a wide character, whose text is not measured as a whole", () => {
    const odd = Array.from({ length: 0x2fff - 0x20 }, (_, i) => String.fromCodePoint(0x20 + i)).filter(
      (character) => displayWidth(`${character}学`) !== displayWidth(character) + 2,
    );
    expect(odd).toEqual([]);
  });
});

describe("pad", () => {
  it("aligns by columns, not by characters", () => {
    expect(pad("数", 4)).toBe("数  ");
    expect(pad("数", 4, "right")).toBe("  数");
    expect(pad(`${RED}a${RESET}`, 3)).toBe(`${RED}a${RESET}  `);
    expect(pad("too long", 3)).toBe("too long");
  });
});

describe("clip", () => {
  it("marks the cut, keeps styles whole, and never splits a wide character", () => {
    expect(clip("abcdef", 4, "…")).toBe("abc…");
    expect(clip("数学数学", 4, "…")).toBe("数…");
    expect(clip(`${RED}abcdef${RESET}`, 4, "…")).toBe(`${RED}abc…${RESET}`);
    expect(clip("abc", 3, "…")).toBe("abc");
    expect(clipMiddle("runs/very-long-name/step_0010.npz", 15, "…")).toBe("runs/ve…010.npz");
  });

  it("fits any width", () => {
    const text = fc
      .string({ unit: "binary", maxLength: 30 })
      .map((plain) => plain.replaceAll(String.fromCharCode(27), ""));
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom("…", ".."),
        (plain, width, ellipsis) => {
          expect(displayWidth(clip(plain, width, ellipsis))).toBeLessThanOrEqual(width);
          expect(displayWidth(clipMiddle(plain, width, ellipsis))).toBeLessThanOrEqual(width);
          expect(displayWidth(clip(RED + plain + RESET, width, ellipsis))).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
