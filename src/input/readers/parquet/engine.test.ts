import { resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { duckdbError, duckdbWriteError, literalPath, openEngine, quoteName } from "./engine.ts";

describe("names in SQL", () => {
  it("are quoted, and paths are no patterns", () => {
    expect(quoteName('a "b" ""')).toBe('"a ""b"" """""');
    expect(literalPath("/x/[a]*?.parquet")).toBe("/x/[[]a][*][?].parquet");
    expect(literalPath("a.parquet")).toBe(resolve("a.parquet"));
  });
});

describe("an engine", () => {
  it("is closed once, however often that is asked for, while others use the same instance", async () => {
    const [first, second] = [await openEngine({ threads: 2 }), await openEngine({ threads: 2 })];
    first.close();
    first.close();
    const result = await second.connection.run("SELECT 40 + 2");
    expect(await result.getRowsJson()).toEqual([[42]]);
    second.close();
  });

  it("keeps its instance for the next file, and gives it up when none comes", async () => {
    const ask = async (sql: string): Promise<unknown> => {
      const { connection, close } = await openEngine({ threads: 3 });
      try {
        return await (await connection.run(sql)).getRowsJson();
      } finally {
        close();
      }
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await ask("CREATE TABLE kept AS SELECT 7");
      vi.advanceTimersByTime(600);
      expect(await ask("FROM kept")).toEqual([[7]]);
      vi.advanceTimersByTime(600);
      expect(await ask("FROM kept")).toEqual([[7]]);
      vi.advanceTimersByTime(1100);
      await expect(ask("FROM kept")).rejects.toThrow("kept");
    } finally {
      vi.useRealTimers();
    }
  });

  it("has the threads and the memory that it is given, and no more than 2^40 bytes", async () => {
    for (const [options, memory] of [
      [{ threads: 2, memoryLimit: 2 ** 28 }, "256.0 MiB"],
      [{ threads: 1, memoryLimit: Number.POSITIVE_INFINITY }, "1.0 TiB"],
      [{}, "1.0 GiB"],
    ] as const) {
      const engine = await openEngine(options);
      const asked = "SELECT current_setting('threads'), current_setting('memory_limit')";
      const [row] = await (await engine.connection.run(asked)).getRowsJson();
      expect(row).toEqual([String("threads" in options ? options.threads : 1), memory]);
      engine.close();
    }
  });

  it("loads nothing from the network, and spills nowhere", async () => {
    const { connection, close } = await openEngine();
    for (const [name, value] of [
      ["autoinstall_known_extensions", false],
      ["autoload_known_extensions", false],
      ["allow_community_extensions", false],
      ["enable_external_file_cache", false],
      ["temp_directory", ""],
      ["lock_configuration", true],
    ]) {
      const [row] = await (await connection.run(`SELECT current_setting('${name}')`)).getRowsJson();
      expect([name, row![0]]).toEqual([name, value]);
    }
    await expect(connection.run("SET threads = 4")).rejects.toThrow();
    close();
  });
});

describe("what DuckDB complains about", () => {
  it.each([
    [
      "Out of Memory Error: could not allocate block\nmore",
      "LimitError",
      "reading parquet needs more memory than its limit: could not allocate block",
    ],
    ["Not implemented Error: codec 9", "UnsupportedError", "unsupported parquet feature: codec 9"],
    ["Invalid Input Error: bad page", "FormatError", "parquet data cannot be decoded: bad page"],
    ["something else: at all", "FormatError", "parquet data cannot be decoded: something else: at all"],
    ["IO Error: x\nIO Error: y", "FormatError", "parquet data cannot be decoded: x"],
  ])("when it reads, %j, is a %s", (text, tag, message) => {
    for (const cause of [new Error(text), text])
      expect(duckdbError(cause, "a.parquet")).toMatchObject({
        _tag: tag,
        message,
        at: { file: "a.parquet" },
        cause,
      });
  });

  it.each([
    ["No space left on device", "ENOSPC"],
    ["Disk quota exceeded", "EDQUOT"],
    ["Read-only file system", "EROFS"],
    ["Permission denied", "EACCES"],
    ["Input/output error", "EIO"],
    ["Too many open files", "EMFILE"],
    ["File too large", "EFBIG"],
  ])("when it writes, %j, is the system's %s", (words, code) => {
    const error = duckdbWriteError(new Error(`IO Error: Could not write: ${words}`), "a.parquet");
    expect(error).toMatchObject({ _tag: "FileSystemError", at: { file: "a.parquet" } });
    expect((error.cause as { code?: string } | undefined)?.code ?? (error as { code?: string }).code).toBe(
      code,
    );
  });

  it("when it writes and the system said nothing known, is told in its own words", () => {
    const error = duckdbWriteError(new Error("IO Error: odd\nsecond line"), "a.parquet");
    expect(error).toMatchObject({
      _tag: "FileSystemError",
      message: "cannot write a.parquet: IO Error: odd",
    });
    expect(duckdbWriteError("Binder Error: IO Error", "a.parquet")).toMatchObject({
      _tag: "FormatError",
      message: "parquet data cannot be decoded: IO Error",
    });
  });
});
