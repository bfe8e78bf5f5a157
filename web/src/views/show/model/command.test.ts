import { expect, test } from "vitest";
import { commandFor } from "./command.ts";

test("the command is valid in a shell", () => {
  expect(commandFor(["it's.npz"], [], "s12.q3.t8", "my model")).toBe(
    "logratio show 'it'\\''s.npz' s12.q3.t8 --tokenizer 'my model'",
  );
  expect(commandFor(["run.npz"], [], "q3", null)).toBe("logratio show run.npz q3");
});

test("the command reads the run as the viewer did", () => {
  expect(commandFor(["a.json", "b.json"], ["--pair", "--mask", "loss mask"], "q0", null)).toBe(
    "logratio show a.json b.json q0 --pair --mask 'loss mask'",
  );
});
