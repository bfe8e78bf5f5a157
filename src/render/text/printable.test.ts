import { describe, expect, it } from "vitest";
import { printable, visibleData } from "./printable.ts";

it("writes out what could move the cursor, reorder a line or hide", () => {
  expect(printable("a\nb\tc\r")).toBe("a\\nb\\tc\\r");
  expect(printable(`${String.fromCharCode(27)}[31mred`)).toBe("\\x1b[31mred");
  expect(printable("\u202efdp.exe\u2066\u200b\u2028")).toBe("\\u202efdp.exe\\u2066\\u200b\\u2028");
  expect(printable("\ud800x\u{e0001}")).toBe("\\ud800x\\u{e0001}");
});

it("leaves visible text alone", () => {
  for (const text of ["|Δ| ≤ 0.1", "数学", "naïve é", "🙂", ""]) expect(printable(text)).toBe(text);
});

describe("visibleData", () => {
  it("keeps lines, and writes what acts on a terminal as JSON writes it", () => {
    const esc = String.fromCharCode(27);
    expect(visibleData(`a,b\r\n"x\ty",${esc}[2J\r\n`)).toBe('a,b\r\n"x\ty",\\u001b[2J\r\n');
    expect(visibleData("over\rwritten\u009b31m\u007f\u202e\u2028\ud800\u{e0001}\n")).toBe(
      "over\\u000dwritten\\u009b31m\\u007f\\u202e\\u2028\\ud800\\udb40\\udc01\n",
    );
    expect(visibleData("|Δ| 数学 🙂 é\n")).toBe("|Δ| 数学 🙂 é\n");
  });

  it("leaves JSON the JSON that it is", () => {
    const value = { name: "\u202egpj.exe\u2066\u200b\u0085\u{e0001}", text: "a\tb\nc" };
    const shown = visibleData(JSON.stringify(value, null, 2));
    expect(shown).not.toMatch(/[\p{Cf}\u0080-\u009f]/u);
    expect(JSON.parse(shown)).toEqual(value);
  });
});
