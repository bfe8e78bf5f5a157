import { describe, expect, it } from "vitest";
import { FormatError, formatPlace, isLogratioError } from "./errors.ts";
import { joinLines, putBefore, splitLines } from "./lines.ts";

const FORGED = "run\nerror: forged";

it("only a list is several lines", () => {
  expect(joinLines(FORGED)).toBe("run\\nerror: forged");
  expect(joinLines(["tables:", FORGED])).toBe("tables:\nrun\\nerror: forged");
  expect(splitLines(joinLines(["a", "b"]))).toEqual(["a", "b"]);
  expect(joinLines(putBefore(`${FORGED}: `, "a\nb"))).toBe("run\\nerror: forged: a\nb");
});

describe("an error", () => {
  it("writes out the line breaks of what it quotes, in each of its texts", () => {
    const error = new FormatError(`${FORGED} is not JSON`, { likely: FORGED, hint: ["look at:", FORGED] });
    expect(error.message).toBe("run\\nerror: forged is not JSON");
    expect(error.likely).toBe("run\\nerror: forged");
    expect(error.hint).toBe("look at:\nrun\\nerror: forged");
    expect(isLogratioError(error, "FormatError")).toBe(true);
  });

  it("keeps its place as it is, for programs", () => {
    expect(formatPlace(new FormatError("x", { at: { file: FORGED } }).at)).toBe(FORGED);
  });
});
