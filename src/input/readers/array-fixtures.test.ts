import { basename, extname } from "node:path";
import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import type { ByteSource } from "../io/byte-source.ts";
import type { TreeDocument } from "../io/columns.ts";
import { openFile } from "../io/file-source.ts";
import { isNpy } from "./npz/npy-header.ts";
import { openNpy, openNpz } from "./npz/npz.ts";
import { isSafetensors, openSafetensors } from "./safetensors/safetensors.ts";
import { fixtures, type Opener, printRoot, type Slicing, withDocument } from "./shared/fixtures.test-data.ts";
import { isPickle, isZip, zipKind } from "./shared/sniff.ts";
import { openTorch } from "./torch/torch.ts";

const OPENERS: Readonly<Record<string, Opener>> = {
  ".npy": openNpy,
  ".npz": openNpz,
  ".safetensors": openSafetensors,
  ".pt": openTorch,
};

const SLICINGS: readonly Slicing[] = ["whole", "rows", [3, 1, 5, 2], [7]];

/** By content only, as for a file without a name. */
async function openByContent(source: ByteSource, options: object): Promise<TreeDocument> {
  const head = await source.slice(0, Math.min(16, source.byteLength));
  if (isNpy(head)) return openNpy(source, options);
  if (isSafetensors(head, source.byteLength)) return openSafetensors(source);
  if (isPickle(head)) return openTorch(source, options);
  if (!isZip(head)) throw new Error("no array format");
  return (await zipKind(source)) === "npz" ? openNpz(source, options) : openTorch(source, options);
}

describe.each(["npz", "safetensors", "torch"])("fixtures of %s", (folder) => {
  for (const { name, path, expected } of fixtures(folder)) {
    const open = OPENERS[extname(path)]!;
    const options = expected.options ?? {};

    it.each(SLICINGS.map((slicing) => ({ slicing })))(`reads ${name} ($slicing)`, async ({ slicing }) => {
      await withDocument(open(await openFile(path), options), async (document) => {
        expect(await printRoot(document, slicing)).toEqual(expected.root);
        expect(document.metadata).toEqual(expected.metadata);
        expect(document.file).toBe(path);
      });
    });

    it(`recognises ${name} by its content`, async () => {
      await withDocument(openByContent(await openFile(path), options), async (document) => {
        expect(await printRoot(document, "whole")).toEqual(expected.root);
      });
    });
  }
});

describe.each(["npz/refused", "safetensors/refused", "torch/refused"])("fixtures of %s", (folder) => {
  for (const { name, path, expected } of fixtures(folder)) {
    it(`refuses ${name}`, async () => {
      const source = await openFile(path);
      const error: unknown = await OPENERS[extname(path)]!(source).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      await source.close();
      if (!isLogratioError(error)) throw error ?? new Error(`${basename(path)} was read`);
      expect({ tag: error._tag, message: error.message }).toEqual({
        tag: expected.error?.tag,
        message: expected.error?.message,
      });
      expect(error.at.file).toBe(path);
      if (expected.error?.hint !== undefined) expect(error.hint).toBe(expected.error.hint);
    });
  }
});
