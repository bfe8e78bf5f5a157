import { readFileSync } from "node:fs";
import { extname } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import { memorySource } from "../io/file-source.ts";
import { openZip } from "../io/zip.ts";
import { readMember } from "../io/zip-member.ts";
import { openNpy, openNpz } from "./npz/npz.ts";
import { openSafetensors } from "./safetensors/safetensors.ts";
import { fixtures, type Opener, printRoot, withDocument } from "./shared/fixtures.test-data.ts";
import { readPickle } from "./shared/pickle.ts";
import { createBudget, resolveStorage, type TorchArchive } from "./torch/storage.ts";
import { openTorch } from "./torch/torch.ts";
import { TORCH_NAMES } from "./torch/torch-dtypes.ts";
import { torchBuilders } from "./torch/torch-tensor.ts";

// Whatever happens to a file, it is read, or the error says what is wrong: never a TypeError, never a hang.

const OPENERS: Readonly<Record<string, Opener>> = {
  ".npy": openNpy,
  ".npz": openNpz,
  ".safetensors": openSafetensors,
  ".pt": openTorch,
};

/** New values at some places (fractions of the length), and how much of the file is left. */
const damage = fc.record({
  changes: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 255 })), {
    maxLength: 4,
  }),
  left: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
});

type Damage = typeof damage extends fc.Arbitrary<infer D> ? D : never;

function spoil(bytes: Uint8Array, { changes, left }: Damage): Uint8Array {
  const copy = bytes.slice(0, Math.floor(bytes.length * left));
  for (const [place, value] of changes)
    if (copy.length > 0) copy[Math.floor(place * (copy.length - 1))] = value;
  return copy;
}

async function readOrExplain(read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    expect(error.message).not.toMatch(/undefined|NaN|\[object/);
    expect(error.at.file).toBe("x");
  }
}

describe.each(["npz", "safetensors", "torch"])("damaged files of %s", (folder) => {
  for (const { name, path, expected } of fixtures(folder)) {
    const bytes = new Uint8Array(readFileSync(path));
    it(`${name} is read, or says what is wrong`, async () => {
      const open = OPENERS[extname(path)]!;
      const property = fc.asyncProperty(damage, (change) =>
        readOrExplain(() =>
          withDocument(open(memorySource("x", spoil(bytes, change)), expected.options), (document) =>
            printRoot(document, [7]),
          ),
        ),
      );
      await fc.assert(property, { seed: 5, numRuns: bytes.length > 20_000 ? 20 : 80 });
    });
  }
});

describe("damaged pickles", () => {
  it.each(["tree2.pt", "tree4.pt", "tree5.pt", "views.pt", "objects.pt"])(
    "%s is read, or says what is wrong",
    async (name) => {
      const { path } = fixtures("torch").find((fixture) => fixture.name === name)!;
      const zip = await openZip(memorySource("x", new Uint8Array(readFileSync(path))));
      const entry = [...zip.members.keys()].find((member) => member.endsWith("/data.pkl"))!;
      const archive: TorchArchive = {
        zip,
        prefix: entry.slice(0, -"data.pkl".length),
        littleEndian: true,
        opened: new Map(),
      };
      const pickle = await readMember(zip, zip.members.get(entry)!);
      const source = {
        file: "x",
        builders: torchBuilders(createBudget()),
        names: TORCH_NAMES,
        persistent: (id: Parameters<typeof resolveStorage>[1], at: object) => resolveStorage(archive, id, at),
      };
      const property = fc.asyncProperty(
        damage,
        fc.constantFrom("refuse", "record"),
        (change, unknownClasses) =>
          readOrExplain(async () =>
            readPickle(spoil(pickle, { ...change, left: 1 }), source, { unknownClasses }),
          ),
      );
      await fc.assert(property, { seed: 6, numRuns: 1000 });
    },
  );
});
