import { expect, it } from "vitest";
import { runningText, runningToken, shortToken } from "./token-text.ts";

const HOSTILE = "\u202e<img src=x>\u0007";

it("shows invisible characters", () => {
  expect(shortToken(" =")).toBe("·=");
  expect(shortToken("a b ")).toBe("a b·");
  expect(shortToken("\n\t")).toBe("⏎⇥");
  expect(shortToken(HOSTILE)).toBe("\\u202e<img src=x>\\x07");
  expect(shortToken("abcdef", 4)).toBe("abc…");
});

it("keeps the lines of running text", () => {
  expect(runningToken("a\nb\tc")).toBe("a⏎\nb⇥\tc");
  expect(runningToken(HOSTILE)).not.toContain("\u202e");
  expect(runningText("one\ntwo\r")).toBe("one\ntwo\\r");
});
