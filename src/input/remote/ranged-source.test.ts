import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rangedSource } from "./ranged-source.ts";
import { type RemoteFile, type RemoteStore, StoreFailure } from "./remote-file.ts";
import { RETRY } from "./retry.ts";

let files = 0;

/** A store that holds one file and records the ranges requested of it. */
function holdBytes(length: number): {
  store: RemoteStore;
  file: RemoteFile;
  bytes: Uint8Array;
  asked: string[];
} {
  const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) % 251);
  const asked: string[] = [];
  const file = { name: `s3://bucket/${files++}`, byteLength: length, version: "1", isStream: false };
  const store: RemoteStore = {
    name: file.name,
    list: async () => ({ isFile: true, files: [file] }),
    async read(_file, { start, end }) {
      asked.push(`${start}-${end}`);
      return bytes.slice(start, end);
    },
  };
  return { store, file, bytes, asked };
}

const quick = { ...RETRY, delayMs: 0 };

describe("rangedSource", () => {
  it("gives the bytes of any slices in any order, and asks for no block twice", async () => {
    const slices = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1000),
        fc.integer({ min: 1, max: 300 }),
        slices,
        async (length, blockBytes, cuts) => {
          const { store, file, bytes, asked } = holdBytes(length);
          const source = rangedSource(store, file, { blockBytes });
          for (const cut of cuts) {
            const [start, end] = cut.map((at) => Math.min(at, length)).sort((a, b) => a - b) as [
              number,
              number,
            ];
            expect(await source.slice(start, end)).toEqual(bytes.slice(start, end));
          }
          expect(new Set(asked).size).toBe(asked.length);
        },
      ),
    );
  });

  it("hands out memory of its own, aligned for any element type", async () => {
    const { store, file } = holdBytes(100);
    const source = rangedSource(store, file, { blockBytes: 64 });
    const slice = await source.slice(3, 19);
    expect([slice.byteOffset, slice.buffer.byteLength]).toEqual([0, 16]);
    slice.fill(0);
    expect((await source.slice(3, 4))[0]).toBe(21);
  });

  it("asks for the next block while reading goes from front to back, and not otherwise", async () => {
    const forward = holdBytes(1000);
    const source = rangedSource(forward.store, forward.file, { blockBytes: 100 });
    await source.slice(0, 10);
    await source.slice(50, 60);
    expect(forward.asked).toEqual(["0-100"]);
    await source.slice(100, 120);
    expect(forward.asked).toEqual(["0-100", "100-200", "200-300"]);
    const backward = holdBytes(1000);
    const other = rangedSource(backward.store, backward.file, { blockBytes: 100 });
    await other.slice(950, 1000);
    await other.slice(400, 410);
    expect(backward.asked).toEqual(["900-1000", "400-500"]);
  });

  it("shares what it keeps with whoever opens the same version again", async () => {
    const { store, file, asked } = holdBytes(50);
    await rangedSource(store, file).slice(0, 10);
    await rangedSource(store, file).slice(10, 20);
    expect(asked).toHaveLength(1);
    await rangedSource(store, { ...file, version: "2" }).slice(0, 10);
    expect(asked).toHaveLength(2);
  });

  it("asks again after a passing failure, and forgets a block that failed for good", async () => {
    const { store, file, bytes } = holdBytes(50);
    let failures = 2;
    const failing: RemoteStore = {
      ...store,
      async read(...args) {
        if (failures-- > 0) throw new StoreFailure("slow down", { status: 503, isPassing: true });
        return store.read(...args);
      },
    };
    const source = rangedSource(failing, file, { retry: quick });
    expect(await source.slice(0, 50)).toEqual(bytes);
    failures = RETRY.attempts;
    const renewed = rangedSource(failing, { ...file, version: "2" }, { retry: quick });
    await expect(renewed.slice(0, 5)).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: `the store failed to return ${file.name}: slow down (503), 5 times`,
      likely: "the store is overloaded or failing",
      hint: "try again later, or copy the file here first",
    });
    expect(await renewed.slice(0, 5)).toEqual(bytes.slice(0, 5));
  });

  it("gives up at once what asking again cannot change", async () => {
    const { store, file } = holdBytes(50);
    let asked = 0;
    const read = async (): Promise<never> => {
      asked++;
      throw new StoreFailure("no", { status: 400, isPassing: false });
    };
    await expect(rangedSource({ ...store, read }, file, { retry: quick }).slice(0, 1)).rejects.toThrow(
      "no (400)",
    );
    expect(asked).toBe(1);
  });

  it("limits the time of an attempt", async () => {
    const { store, file } = holdBytes(50);
    const read: RemoteStore["read"] = (_file, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const retry = { attempts: 2, delayMs: 0, timeoutMs: 5 };
    await expect(rangedSource({ ...store, read }, file, { retry }).slice(0, 1)).rejects.toThrow(
      "no complete answer within 0.005 s, 2 times",
    );
  });

  it("refuses slices outside the file", async () => {
    const { store, file } = holdBytes(10);
    await expect(rangedSource(store, file).slice(4, 11)).rejects.toThrow(
      "bytes 4 to 11 were requested, but the file has 10",
    );
  });
});
