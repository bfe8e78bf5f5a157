import { expect, it } from "vitest";
import { sharedPath } from "./shared-path.ts";

it.each([
  [[], "."],
  [["a/b.npz"], "a/b.npz"],
  [["a/b.npz", "a/c.npz"], "a"],
  [["a/b/1.npz", "a/c/1.npz"], "a"],
  [["/b.npz", "/c.npz"], "/"],
  [["b.npz", "c/b.npz"], "."],
  [["a/b.npz", "a/b.npz"], "a"],
])("%j is in %s", (files, folder) => {
  expect(sharedPath(files)).toBe(folder);
});
