import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Tensor, TreeDocument } from "../../input/io/columns.ts";
import { openFile } from "../../input/io/file-source.ts";
import { openDocument } from "../open-document.ts";
import { openRun } from "../open-run.ts";
import { type ArrayFormat, createCorrectedArrays, MASK_NAME, WEIGHTS_NAME } from "./corrected-arrays.ts";

const fixtures = fileURLToPath(new URL("../../../test/fixtures/adapters/", import.meta.url));

/**
 * Writes each token's rollout log-prob as its weight, so that what comes back can be looked up in the source. The
 * document is open until the test ends.
 */
async function roundTrip(fixture: string, format: ArrayFormat, batchTokens: number) {
  const folder = temporaryFolder("corrected-");
  const arrays = createCorrectedArrays(() => join(folder, `out.${format}`), format);
  const run = await openRun([join(fixtures, fixture)], { batchTokens });
  for await (const batch of run.batches()) {
    await arrays.add(batch, { weights: batch.rolloutLogprobs!, mask: batch.responseMask });
  }
  await arrays.finish();
  const [file] = arrays.files;
  expect(readdirSync(folder)).toEqual([`out.${format}`]);
  const document = (await openDocument(await openFile(file!))) as TreeDocument;
  onTestFinished(() => document.close());
  return document;
}

async function readValues(document: TreeDocument, name: string) {
  const tensor = document.root[name] as Tensor;
  const rows = await tensor.readRows(0, tensor.shape[0]!);
  return { shape: tensor.shape, dtype: tensor.dtype, values: [...rows] };
}

describe.each(["npz", "safetensors"] as const)("weights and masks as %s", (format) => {
  it.each([1, 4, 1000])("have the shape of a padded batch, read %i tokens at a time", async (batchTokens) => {
    const source = (await openDocument(await openFile(join(fixtures, "verl/batch.npz")))) as TreeDocument;
    const expected = await readValues(source, "rollout_log_probs");
    const mask = await readValues(source, "response_mask");
    const written = await roundTrip("verl/batch.npz", format, batchTokens);
    const weights = await readValues(written, WEIGHTS_NAME);
    expect([weights.shape, weights.dtype]).toEqual([expected.shape, "float32"]);
    // After the last response token there is padding, whatever the source holds there.
    const width = expected.shape[1]!;
    weights.values.forEach((value, at) => {
      const behind = mask.values.slice(at, Math.ceil((at + 1) / width) * width);
      if (value !== 0 || behind.some((bit) => bit !== 0)) expect(value).toBe(expected.values[at]);
    });
    expect(await readValues(written, MASK_NAME)).toMatchObject({ shape: mask.shape, values: mask.values });
    await source.close();
  });

  it("have the shape of a pack", async () => {
    const source = (await openDocument(await openFile(join(fixtures, "xtuner/bounds.npz")))) as TreeDocument;
    const lengths = Object.values(source.root).map((value) => (value as Tensor).shape?.at(-1) ?? 0);
    const weights = await readValues(await roundTrip("xtuner/bounds.npz", format, 3), WEIGHTS_NAME);
    expect(weights.shape).toEqual([Math.max(...lengths)]);
    await source.close();
  });

  it("are packed where the source has a list per sequence", async () => {
    const written = await roundTrip("verl/rows.jsonl", format, 4);
    const offsets = await readValues(written, "offsets");
    const weights = await readValues(written, WEIGHTS_NAME);
    expect(offsets.shape).toEqual([4]);
    expect(weights.shape).toEqual([offsets.values.at(-1)]);
  });
});

it("are what NumPy reads", async () => {
  const python = process.env.LOGRATIO_PYTHON;
  if (python === undefined) {
    console.warn("skipped: reading the npz with NumPy, because LOGRATIO_PYTHON names no Python that has it");
    return;
  }
  const folder = temporaryFolder("corrected-");
  const arrays = createCorrectedArrays(() => join(folder, "out.npz"), "npz");
  for await (const batch of (await openRun([join(fixtures, "verl/batch.npz")])).batches()) {
    await arrays.add(batch, { weights: batch.rolloutLogprobs!, mask: batch.responseMask });
  }
  await arrays.finish();
  const code = `import numpy as np; a = np.load(${JSON.stringify(join(folder, "out.npz"))}); print({k: (str(a[k].dtype), a[k].shape) for k in a})`;
  expect(execFileSync(python, ["-c", code], { encoding: "utf8" })).toContain("float32");
});
