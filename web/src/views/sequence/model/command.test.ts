import { expect, test } from "vitest";
import { commandFor } from "./command.ts";

test("a command that a shell takes", () => {
  expect(commandFor({ file: "it's.npz", step: 12 })).toBe(
    "logratio divergence 'it'\\''s.npz' --steps 12 --threshold 0 --top-k 20",
  );
  expect(commandFor({ file: "run.npz", step: null })).toBe(
    "logratio divergence run.npz --threshold 0 --top-k 20",
  );
});
