import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type DropLimits, DroppedFiles } from "./dropped-files.ts";

const opened: DroppedFiles[] = [];
afterEach(async () => {
  for (const files of opened.splice(0)) await files.remove();
});

async function open(limits?: DropLimits): Promise<DroppedFiles> {
  const files = await DroppedFiles.open(limits);
  opened.push(files);
  return files;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe("dropped files", () => {
  it("are put together from their pieces, in a directory that nobody else may enter", async () => {
    const files = await open();
    await files.append("/run/step_10.jsonl", 0, bytes("one "));
    await files.append("/run/step_10.jsonl", 4, bytes("two"));
    await files.append("/run/sub/empty.json", 0, bytes(""));
    expect(await readFile(join(files.directory, "run/step_10.jsonl"), "utf8")).toBe("one two");
    expect([files.count, files.name]).toEqual([2, "run"]);
    expect((await stat(files.directory)).mode & 0o077).toBe(0);
    await files.append("more.npz", 0, bytes("x"));
    expect(files.name).toBe("run and 1 more");
    await files.remove();
    expect(existsSync(files.directory)).toBe(false);
  });

  it("never lie outside of it, whatever they are called", async () => {
    const files = await open();
    for (const name of [
      "../up.json",
      "a/../../up.json",
      "..\\up.json",
      ".hidden",
      "a/.git/config",
      "",
      "/",
      "1/2/3/4/5/6/7/8/9",
    ])
      await expect(files.append(name, 0, bytes("x")), name).rejects.toThrow("cannot be named");
    for (const name of ["C:\\x\\a?.json", "/etc/passwd", "a\u0000b\u202e.json", `${"long".repeat(100)}.json`])
      await files.append(name, 0, bytes("x"));
    const all = await readdir(files.directory, { recursive: true });
    expect(all.filter((name) => !/^(?:C_|etc)$/.test(name)).sort()).toEqual([
      "C_/x",
      "C_/x/a_.json",
      "a_b_.json",
      "etc/passwd",
      expect.stringMatching(/^.{115}\.json$/),
    ]);
  });

  it("are refused where a piece is missing or comes twice, or where there is too much", async () => {
    const files = await open({ bytes: 10, files: 2 });
    await files.append("a", 0, bytes("1234"));
    for (const at of [0, 3, 5, Number.NaN])
      await expect(files.append("a", at, bytes("x"))).rejects.toThrow("expected the piece from byte 4");
    await files.append("b", 0, bytes("1234"));
    await expect(files.append("a", 4, bytes("123"))).rejects.toMatchObject({
      _tag: "LimitError",
      message: "more than 10 bytes were dropped",
      hint: expect.stringContaining("--compare PATH"),
    });
    await expect(files.append("c", 0, bytes("1"))).rejects.toThrow("more than 2 files were dropped");
  });

  it("take a piece again after it could not be written, and count it once", async () => {
    const files = await open({ bytes: 8, files: 2 });
    await files.append("run/a", 0, bytes("1234"));
    // A directory stands where the file should be: writing fails as on a disk that is full for a while.
    const [file, aside] = [join(files.directory, "run/a"), join(files.directory, "aside")];
    await rename(file, aside);
    await mkdir(file);
    await expect(files.append("run/a", 4, bytes("5678"))).rejects.toMatchObject({ _tag: "FileSystemError" });
    await rmdir(file);
    await rename(aside, file);
    // A part of the piece had come.
    await appendFile(file, "5");
    await files.append("run/a", 4, bytes("5678"));
    expect(await readFile(file, "utf8")).toBe("12345678");
    await expect(files.append("run/a", 8, bytes("9"))).rejects.toMatchObject({ _tag: "LimitError" });
  });

  it("do not count a file whose first piece could not be written", async () => {
    const files = await open({ bytes: 4, files: 1 });
    await writeFile(join(files.directory, "run"), "");
    await expect(files.append("run/a", 0, bytes("1234"))).rejects.toMatchObject({ _tag: "FileSystemError" });
    expect(files.count).toBe(0);
    await rm(join(files.directory, "run"));
    await files.append("run/a", 0, bytes("1234"));
    expect(await readFile(join(files.directory, "run/a"), "utf8")).toBe("1234");
  });

  it("keep a file whose name another one has on this file system", async () => {
    const files = await open();
    // As a file system that ignores case shows it: the second name is a file already.
    await writeFile(join(files.directory, "B"), "first");
    await expect(files.append("B", 0, bytes("second"))).rejects.toThrow(
      "two of the files have the same name",
    );
    expect(await readFile(join(files.directory, "B"), "utf8")).toBe("first");
  });
});
