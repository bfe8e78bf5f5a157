import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeDirectory } from "./make-directory.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "make-directory-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("makes a directory with those above it, and leaves one that is there", () => {
  const path = join(folder, "a/b/c");
  makeDirectory(path);
  makeDirectory(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

it("says that a part of the path is a file", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => makeDirectory(join(folder, "file/a/b"))).toThrow(/ENOTDIR/);
});

it.skipIf(!existsSync("/proc/self"))("comes back where the system has no such place", () => {
  expect(() => makeDirectory("/proc/none/of/it")).toThrow(
    /cannot make the directory .*no such file or directory/,
  );
});
