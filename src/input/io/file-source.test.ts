import { chmod, mkdir, mkdtemp, open, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotFoundError, UnsupportedError } from "../../core/base/errors.ts";
import { fileSystemError } from "../../core/base/index.ts";
import { memorySource, openFile } from "./file-source.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describe("openFile", () => {
  it("reads slices into memory of their own, aligned for any element type", async () => {
    const path = await file(
      "bytes",
      Uint8Array.from({ length: 100 }, (_, i) => i),
    );
    const source = await openFile(path);
    expect(source.name).toBe(path);
    expect(source.byteLength).toBe(100);
    const slice = await source.slice(3, 19);
    expect(Array.from(slice)).toEqual(Array.from({ length: 16 }, (_, i) => i + 3));
    expect([slice.byteOffset, slice.buffer.byteLength, slice.constructor]).toEqual([0, 16, Uint8Array]);
    expect((await source.slice(100, 100)).length).toBe(0);
    await source.close();
    await source.close();
  });

  it("says that a path does not exist", async () => {
    const path = join(folder, "nowhere", "step_1.npz");
    const error = await openFile(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({
      message: `${path} does not exist`,
      at: { file: path },
      hint: "check the path; relative paths start at the current directory",
    });
  });

  it("says that a path is a directory", async () => {
    const path = join(folder, "run");
    await mkdir(path);
    await expect(openFile(path)).rejects.toMatchObject({
      _tag: "NotFoundError",
      message: `${path} is a directory, not a file`,
      hint: "name one of the files in it",
    });
  });

  it.skipIf(process.getuid?.() === 0)("says that a file may not be read", async () => {
    const path = await file("secret", new Uint8Array(3));
    await chmod(path, 0);
    await expect(openFile(path)).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: `cannot read ${path}: permission denied (EACCES)`,
    });
  });

  it.skipIf(process.platform === "win32")("refuses devices", async () => {
    await expect(openFile("/dev/null")).rejects.toThrow(UnsupportedError);
  });

  it("refuses ranges outside the file", async () => {
    const source = await openFile(await file("short", new Uint8Array(10)));
    await expect(source.slice(4, 11)).rejects.toMatchObject({
      _tag: "FormatError",
      message: "bytes 4 to 11 were requested, but the file has 10",
    });
    await expect(source.slice(-1, 2)).rejects.toThrow("bytes -1 to 2 were requested, but the file has 10");
    await source.close();
  });

  it.skipIf(process.platform !== "linux")("says that the device fails in the middle of a file", async () => {
    // The first page of a process's memory is not mapped, and reading it is an input/output error.
    const source = await openFile("/proc/self/mem");
    expect(source.byteLength).toBe(0);
    await source.close();
    const handle = await open("/proc/self/mem");
    const cause: unknown = await handle.read(Buffer.alloc(1), 0, 1, 0).catch((error: unknown) => error);
    await handle.close();
    expect(fileSystemError(cause, "read", { file: "/proc/self/mem", offset: 0 })).toMatchObject({
      _tag: "FileSystemError",
      message: "cannot read /proc/self/mem: the device reports an input/output error (EIO)",
      likely: "the disk or the network file system is failing",
    });
  });

  it("notices that a file shrinks while it is read", async () => {
    const path = await file("shrinking", new Uint8Array(1000));
    const source = await openFile(path);
    await truncate(path, 600);
    await expect(source.slice(500, 900)).rejects.toMatchObject({
      _tag: "FormatError",
      message: "the file ends at byte 600; it had 1000 bytes when it was opened",
      at: { file: path, offset: 600 },
    });
    await source.close();
    await expect(source.slice(0, 1)).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: expect.stringMatching(/^cannot read .*: (?:EBADF|file closed)/),
    });
  });
});

describe("memorySource", () => {
  it("hands out views, without the methods of Buffer", async () => {
    const bytes = Buffer.from([1, 2, 3, 4]);
    const slice = await memorySource("-", bytes).slice(1, 3);
    expect(slice).toEqual(Uint8Array.of(2, 3));
    expect(slice.constructor).toBe(Uint8Array);
    bytes[1] = 9;
    expect(slice[0]).toBe(9);
    await expect(memorySource("-", bytes).slice(0, 5)).rejects.toThrow(
      "bytes 0 to 5 were requested, but the file has 4",
    );
  });
});
