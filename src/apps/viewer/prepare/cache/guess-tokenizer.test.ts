import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO, DEMO_TOKENIZER, type Workspace, workspace } from "../made-run.test-data.ts";
import { guessTokenizer } from "./guess-tokenizer.ts";

let work: Workspace;
const write = async (name: string, text: string): Promise<void> => {
  await mkdir(dirname(work.path(name)), { recursive: true });
  await writeFile(work.path(name), text);
};
beforeAll(async () => {
  work = await workspace();
});
afterAll(() => work.remove());

it("finds a tokenizer beside a run, above it, and where a config says that the model came from", async () => {
  expect(await guessTokenizer([DEMO])).toBe(DEMO_TOKENIZER);
  await write("a/run/step_1.npz", "");
  await write("a/run/tokenizer.json", "{}");
  expect(await guessTokenizer([work.path("a/run/step_1.npz")])).toBe(work.path("a/run"));
  await write("b/run/step_1.npz", "");
  await write("b/checkpoints/config.json", JSON.stringify({ _name_or_path: "../../c/base" }));
  expect(await guessTokenizer([work.path("b/run")])).toBeUndefined();
  await write("c/base/tokenizer.json", "{}");
  expect(await guessTokenizer([work.path("b/run")])).toBe(work.path("c/base"));
});

it("guesses nothing of what is not there, not a model, or on another machine", async () => {
  await write("d/run/step_1.npz", "");
  await write("d/notes/tokenizer.json", "{}");
  await write("d/model/config.json", "not JSON");
  for (const path of [work.path("d/run"), work.path("nowhere"), "-", "s3://bucket/run"])
    expect(await guessTokenizer([path])).toBeUndefined();
  expect(await guessTokenizer([])).toBeUndefined();
});
