import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPresent, listIfPresent, readTextIfPresent, statIfPresent } from "./if-present.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-stat-"));
  writeFileSync(join(directory, "file"), "four");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("statIfPresent", () => {
  it("gives what is there", async () => {
    expect((await statIfPresent(join(directory, "file")))?.size).toBe(4);
    expect((await statIfPresent(directory))?.isDirectory()).toBe(true);
  });

  it("gives nothing where nothing is, below a file too", async () => {
    expect(await statIfPresent(join(directory, "none"))).toBeUndefined();
    expect(await statIfPresent(join(directory, "file", "below"))).toBeUndefined();
  });

  it("does not take for absent what cannot be looked at", async () => {
    symlinkSync("loop", join(directory, "loop"));
    await expect(statIfPresent(join(directory, "loop"))).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: expect.stringContaining("ELOOP"),
    });
  });

  it.skipIf(process.getuid?.() === 0)("nor what permissions hide (not as root, who sees all)", async () => {
    const locked = join(directory, "locked");
    mkdirSync(locked);
    chmodSync(locked, 0);
    await expect(statIfPresent(join(locked, "file"))).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: expect.stringContaining("EACCES"),
    });
  });
});

describe("readTextIfPresent, listIfPresent and isPresent", () => {
  it("give what is there, and nothing where nothing is", async () => {
    expect(await readTextIfPresent(join(directory, "file"))).toBe("four");
    expect(await listIfPresent(directory)).toContain("file");
    expect(isPresent(directory)).toBe(true);
    for (const nothing of [join(directory, "none"), join(directory, "file", "below")]) {
      expect(await readTextIfPresent(nothing)).toBeUndefined();
      expect(await listIfPresent(nothing)).toBeUndefined();
      expect(isPresent(nothing)).toBe(false);
    }
  });

  it("fail for what is there and cannot be read", async () => {
    const failed = { _tag: "FileSystemError" };
    const around = join(directory, "around");
    symlinkSync("around", around);
    await expect(readTextIfPresent(directory)).rejects.toMatchObject(failed);
    await expect(readTextIfPresent(around)).rejects.toMatchObject(failed);
    await expect(listIfPresent(around)).rejects.toMatchObject(failed);
    expect(() => isPresent(around)).toThrow("ELOOP");
  });
});
