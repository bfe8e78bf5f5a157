import { expect, test } from "vitest";
import { commandFor } from "./command.ts";

test("a command that a shell takes", () => {
  expect(commandFor("it's.npz", "s12.q3.t8", "my model")).toBe(
    "logratio show 'it'\\''s.npz' s12.q3.t8 --tokenizer 'my model'",
  );
  expect(commandFor("run.npz", "q3", null)).toBe("logratio show run.npz q3");
});
