import { chmod, mkdir, mkdtemp, open, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { NotFoundError, UnsupportedError } from "../../core/base/errors.ts";
import { fileSystemError } from "../../core/base/file-system-errors.ts";
import { memorySource, openFile, openWith } from "./file-source.ts";
import { QuickCalls } from "./quick-calls.ts";

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

/** A system that has already kept the process waiting. */
function slowCalls(): QuickCalls {
  let time = 0;
  const calls = new QuickCalls(() => time);
  calls.run(() => {
    time += 1000;
  });
  return calls;
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

  it("gives the same bytes and messages whether the process waits for the system or other threads do", async () => {
    const small = await file("small", Uint8Array.of(1, 2, 3));
    const large = await file("large", new Uint8Array(2 ** 18 + 1).fill(7));
    const [empty, nowhere] = [await file("empty", new Uint8Array(0)), join(folder, "nowhere")];
    const see = async (calls: QuickCalls, path: string) => {
      try {
        const source = await openWith(calls, path);
        const bytes = await source.slice(0, source.byteLength);
        await source.close();
        return [source.name, source.byteLength, Buffer.from(bytes).toString("hex")];
      } catch (error) {
        return String(error);
      }
    };
    const [quick, slow] = [new QuickCalls(() => 0), slowCalls()];
    for (const path of [small, large, empty, nowhere, folder, "/dev/null"])
      expect(await see(quick, path), path).toEqual(await see(slow, path));
    expect([quick.areQuick, slow.areQuick]).toEqual([true, false]);
    expect(await see(slow, small)).toEqual([small, 3, "010203"]);
    const [waited, passed] = [vi.spyOn(quick, "run"), vi.spyOn(slow, "run")];
    for (const calls of [quick, slow]) await see(calls, small);
    expect([waited.mock.results.length, passed.mock.results.length]).toEqual([1, 0]);
    // It was read at once: nothing is left for another thread.
    expect(waited.mock.results[0]!.value).toMatchObject({ name: small, byteLength: 3 });
  });

  it.skipIf(process.platform !== "linux")("leaves no file open that it does not read", async () => {
    const countOpen = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
    const before = await countOpen();
    for (const path of ["/dev/null", folder, await file("nothing", new Uint8Array(0))])
      await openWith(new QuickCalls(), path).then(
        (source) => source.close(),
        () => {},
      );
    expect(await countOpen()).toBe(before);
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

  it("notices that a large file shrinks while it is read", async () => {
    const path = await file("shrinking", new Uint8Array(1_000_000));
    const source = await openFile(path);
    await truncate(path, 600_000);
    await expect(source.slice(500_000, 900_000)).rejects.toMatchObject({
      _tag: "FormatError",
      message: "the file ends at byte 600000; it had 1000000 bytes when it was opened",
      at: { file: path, offset: 600_000 },
    });
    await source.close();
    await expect(source.slice(0, 1)).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: expect.stringMatching(/^cannot read .*: (?:EBADF|file closed)/),
    });
  });

  it.each([
    ["a small file", 2 ** 18],
    ["a larger one", 2 ** 18 + 1],
  ])("reads any slice of %s, into memory that the caller lends too", async (_, size) => {
    const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);
    const source = await openFile(await file(`of ${size}`, bytes));
    const lent = new Uint8Array(new ArrayBuffer(100), 0, 100);
    const slice = await source.slice(size - 100, size, (length) => lent.subarray(0, length));
    expect(slice.buffer).toBe(lent.buffer);
    expect(slice).toEqual(bytes.subarray(size - 100));
    const own = await source.slice(0, size);
    expect([own.byteOffset, own.buffer.byteLength, own.constructor]).toEqual([0, size, Uint8Array]);
    expect(Buffer.compare(own, bytes)).toBe(0);
    // A slice belongs to its receiver: writing into it changes no other.
    own.fill(7);
    expect(await source.slice(3, 6)).toEqual(bytes.subarray(3, 6));
    await source.close();
  });

  it("keeps a small file as it was when it was opened, and holds nothing open for it", async () => {
    const path = await file("replaced", Uint8Array.of(1, 2, 3));
    const before = await countDescriptors();
    const source = await openFile(path);
    expect(await countDescriptors()).toBe(before);
    await truncate(path, 0);
    expect(await source.slice(1, 3)).toEqual(Uint8Array.of(2, 3));
  });
});

/** Descriptors open in this process; 0 where the system does not say. */
async function countDescriptors(): Promise<number> {
  return process.platform === "linux" ? (await readdir("/proc/self/fd")).length : 0;
}

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
