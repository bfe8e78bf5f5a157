import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { brokenChecksum, CHECKSUM, fillChecksum } from "./checksum.ts";
import { writeParquet } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "checksum-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "a.parquet");

const KEY = "logratio.sha256";
const ZEROS = "0".repeat(64);

/** As much of a Parquet file as a checksum needs: data, a footer with the pair, its length, and the end. */
function assemble(data: Buffer, pair: string, behind = ""): Buffer {
  const footer = Buffer.from(`${pair}${behind}`, "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from("PAR1"), data, footer, length, Buffer.from("PAR1")]);
}

const PAIR = `\x15${KEY}\x18\x40${ZEROS}`;

async function fill(bytes: Buffer): Promise<Buffer> {
  writeFileSync(path, bytes);
  const file = await open(path, "r+");
  try {
    await fillChecksum(file);
  } finally {
    await file.close();
  }
  return readFile(path);
}

const isBroken = (bytes: Uint8Array): Promise<string | undefined> => {
  writeFileSync(path, bytes);
  return brokenChecksum(path);
};

describe("the checksum of a Parquet file", () => {
  it("is the SHA-256 of all its bytes, with zeros where it stands itself", async () => {
    // The file is hashed in pieces of 2^20 bytes: the checksum lies before, across and after the end of one.
    for (const size of [0, 100, 2 ** 20 - 130, 2 ** 20 - 90, 2 ** 20 - 60, 2 ** 20, 2 ** 21 + 5]) {
      const plain = assemble(Buffer.alloc(size, "data"), PAIR, "more of the footer");
      const filled = await fill(plain);
      const wanted = createHash("sha256").update(plain).digest("hex");
      expect(filled.toString("latin1")).toBe(plain.toString("latin1").replace(ZEROS, wanted));
      expect(await brokenChecksum(path)).toBeUndefined();
    }
  });

  it("tells a file in which any byte is another", async () => {
    const good = await fill(assemble(Buffer.from("some data"), PAIR, "more"));
    for (let at = 0; at < good.length; at++) {
      const bytes = Buffer.from(good);
      bytes[at]! ^= 1;
      const reason = await isBroken(bytes);
      const isKey = at >= 14 && at < 14 + KEY.length;
      // Without its key there is no checksum, and no error.
      if (!isKey) expect(reason, `byte ${at}`).toMatch(/^it (has other bytes than were written|is cut off)$/);
    }
  });

  it("is not there in a file without one", async () => {
    expect(await isBroken(assemble(Buffer.from("data"), "another footer"))).toBeUndefined();
    expect(await isBroken(assemble(Buffer.from("data"), `${KEY}\x18\x40${ZEROS.slice(1)}`))).toBeUndefined();
    await expect(fill(assemble(Buffer.from("data"), "another footer"))).rejects.toThrow("no room");
    await expect(fill(Buffer.from("PAR1 cut"))).rejects.toThrow("no room");
  });

  it("is not looked for in what is no whole file", async () => {
    const good = await fill(assemble(Buffer.from("data"), PAIR));
    expect(await isBroken(Buffer.alloc(0))).toBe("it is empty");
    for (const length of [1, 11, good.length - 1])
      expect(await isBroken(good.subarray(0, length))).toBe("it is cut off");
    // A footer that would begin before the start of the file.
    const long = Buffer.from(good);
    long.writeUInt32LE(good.length - 8 - 3, good.length - 8);
    expect(await isBroken(long)).toBe("it is cut off");
    expect(await isBroken(assemble(Buffer.alloc(0), ""))).toBeUndefined();
    expect(await brokenChecksum(folder)).toBe("it is a directory");
    await expect(brokenChecksum(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is written on request only", async () => {
    async function* rows() {
      yield { length: 1, columns: [{ values: Int32Array.of(7) }] };
    }
    for (const checksum of [true, false]) {
      await writeParquet(path, [{ name: "a", type: "int32" }], rows(), { checksum, metadata: { b: "c" } });
      const bytes = await readFile(path);
      expect(bytes.includes(Object.keys(CHECKSUM)[0]!)).toBe(checksum);
      expect(await brokenChecksum(path)).toBeUndefined();
      bytes[6]! ^= 1;
      expect(await isBroken(bytes)).toBe(checksum ? "it has other bytes than were written" : undefined);
    }
  });
});
