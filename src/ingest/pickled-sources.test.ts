import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAll } from "../input/adapters/read.test-data.ts";
import {
  assemble,
  float,
  type Piece,
  pickle,
  text,
  writeGlobal,
} from "../input/readers/shared/pickle-writer.test-data.ts";

const PICKLES = fileURLToPath(new URL("../../test/fixtures/adapters/verl/pickles/", import.meta.url));
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("directories of memory-mapped TensorDicts", () => {
  it("are different sources though their descriptions are equal", async () => {
    for (const name of ["a", "b"]) {
      await cp(join(PICKLES, "memmap/step_12"), join(folder, "maps", name), { recursive: true });
    }
    const path = join(folder, "maps/b/old_log_probs.memmap");
    const values = new Float32Array((await readFile(path)).buffer.slice(0, 96)).map((value) => value - 1);
    await writeFile(path, values);
    const { batches, findings } = await readAll(join(folder, "maps"));
    expect(batches.map(({ length }) => length)).toEqual([3, 3]);
    expect(batches[0]!.trainerLogprobs![0]! - batches[1]!.trainerLogprobs![0]!).toBeCloseTo(1, 5);
    expect(findings.map(({ code }) => code)).not.toContain("duplicate");
  });
});

describe("objects of classes that are not plain data", () => {
  it("are named with their place, and the rest is read", async () => {
    const object = (name: string): Uint8Array => assemble(writeGlobal("my.trainer", name), ")", 0x81);
    const entry = (name: string, ...value: Piece[]): Uint8Array => assemble(text(name), ...value);
    const floats = (...values: number[]): Uint8Array => assemble("](", ...values.map(float), "e");
    const rows = (...lists: Uint8Array[]): Uint8Array => assemble("](", ...lists, "e");
    const bytes = pickle(
      "}(",
      entry("rollout_log_probs", rows(floats(-0.5, -1), floats(-2, -3))),
      entry("old_log_probs", rows(floats(-0.75, -1), floats(-2, -3.5))),
      entry("responses", rows(floats(5, 6), floats(7, 8))),
      entry("timer", object("Timer")),
      entry("stages", "](", object("Stage"), object("Stage"), "e"),
      "u",
    );
    const path = join(folder, "step_3.pkl");
    await writeFile(path, bytes);
    const { run, batches } = await readAll(path);
    expect(Array.from(batches[0]!.trainerLogprobs!)).toEqual([-0.75, -1, -2, -3.5]);
    expect(run.sources[0]!.guessed.filter((line) => line.includes("my.trainer"))).toEqual([
      "timer: an object of my.trainer.Timer, kept by name and not built",
      "stages[0]: the first of 2 objects of my.trainer.Stage, kept by name and not built",
    ]);
  });
});
