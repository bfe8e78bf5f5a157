import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findModel } from "./find-model.ts";
import { readModelConfig } from "./model-config.ts";

let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "model-config-"));
});
afterAll(() => rm(home, { recursive: true }));

it("takes each fact from the first directory that has the file", async () => {
  await mkdir(join(home, "near"));
  await writeFile(join(home, "config.json"), '{"vocab_size":7}');
  await writeFile(join(home, "near", "generation_config.json"), '{"eos_token_id":2}');
  expect(await readModelConfig([join(home, "near"), join(home, "none"), home])).toEqual({
    vocabularySize: 7,
    contextLength: null,
    stopIds: [2],
    heads: null,
    headSize: null,
  });
});

it("does not take a file that cannot be read for one that is missing", async () => {
  const loop = join(home, "loop");
  await mkdir(loop);
  for (const name of ["config.json", "onnx"]) await symlink(join(loop, name), join(loop, name));
  const failed = { _tag: "FileSystemError", message: expect.stringContaining("ELOOP") };
  await expect(readModelConfig([loop, home])).rejects.toMatchObject(failed);
  await expect(findModel(loop)).rejects.toMatchObject(failed);
  await expect(findModel(join(loop, "onnx"))).rejects.toMatchObject(failed);
});
