import { expect, it } from "vitest";
import { textParts } from "./linked-text.ts";

it("finds steps and handles in the report's sentences", () => {
  expect(textParts("Step 30 is the worst: mean |Δ| 0.0172, 9.5 times the median step")).toEqual([
    { kind: "steps", text: "Step 30", from: 30, to: 30 },
    { kind: "text", text: " is the worst: mean |Δ| 0.0172, 9.5 times the median step" },
  ]);
  expect(textParts("One token, s30.r1.q48.t39 (Δ -10.7)")).toEqual([
    { kind: "text", text: "One token, " },
    { kind: "handle", text: "s30.r1.q48.t39" },
    { kind: "text", text: " (Δ -10.7)" },
  ]);
  expect(textParts("Step -1: s-1.q0")).toEqual([
    { kind: "steps", text: "Step -1", from: -1, to: -1 },
    { kind: "text", text: ": " },
    { kind: "handle", text: "s-1.q0" },
  ]);
  expect(textParts("In steps 10–30; normal since step 50")).toEqual([
    { kind: "text", text: "In " },
    { kind: "steps", text: "steps 10–30", from: 10, to: 30 },
    { kind: "text", text: "; normal since " },
    { kind: "steps", text: "step 50", from: 50, to: 50 },
  ]);
  expect(textParts("Turn 3 is twice as far off as turn 1")).toEqual([
    { kind: "turn", text: "Turn 3", turn: 3 },
    { kind: "text", text: " is twice as far off as " },
    { kind: "turn", text: "turn 1", turn: 1 },
  ]);
  expect(textParts("27 of 54,897 tokens differ")).toEqual([
    { kind: "text", text: "27 of 54,897 tokens differ" },
  ]);
});
