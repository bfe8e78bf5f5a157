import { expect, it } from "vitest";
import { printable } from "./printable.ts";

it("writes out what could move the cursor, reorder a line or hide", () => {
  expect(printable("a\nb\tc\r")).toBe("a\\nb\\tc\\r");
  expect(printable(`${String.fromCharCode(27)}[31mred`)).toBe("\\x1b[31mred");
  expect(printable("\u202efdp.exe\u2066\u200b\u2028")).toBe("\\u202efdp.exe\\u2066\\u200b\\u2028");
  expect(printable("\ud800x\u{e0001}")).toBe("\\ud800x\\u{e0001}");
});

it("leaves visible text alone", () => {
  for (const text of ["|Δ| ≤ 0.1", "数学", "naïve é", "🙂", ""]) expect(printable(text)).toBe(text);
});
