import { expect, it } from "vitest";
import { matchKeys } from "./key-chords.ts";

const BOUND = ["j", "g o", "g s", "g g", "?"];

it("finds keys and chords, and waits in the middle of one", () => {
  expect(matchKeys(["j"], BOUND)).toEqual({ kind: "bound", keys: "j" });
  expect(matchKeys(["g"], BOUND)).toEqual({ kind: "begun" });
  expect(matchKeys(["g", "s"], BOUND)).toEqual({ kind: "bound", keys: "g s" });
  expect(matchKeys(["x"], BOUND)).toEqual({ kind: "free" });
});

it("restarts with the last key of a failed chord", () => {
  expect(matchKeys(["g", "j"], BOUND)).toEqual({ kind: "bound", keys: "j" });
  expect(matchKeys(["g", "x"], BOUND)).toEqual({ kind: "free" });
  expect(matchKeys(["x", "g"], BOUND)).toEqual({ kind: "begun" });
});
