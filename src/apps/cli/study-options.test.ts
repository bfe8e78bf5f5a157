import { expect, test } from "vitest";
import type { StudyFlags } from "./study-flags.ts";
import { studyFromFlags } from "./study-options.ts";

const BASE: StudyFlags = { policy: ["dpo=onnx:a", "step_1=onnx:b"], reference: "dpo" };
const read = async (flags: StudyFlags) => (await studyFromFlags(["texts.jsonl"], { ...BASE, ...flags })).spec;

test("flags for what is sampled: how tokens are drawn is said once", async () => {
  const drawing = { temperature: "0.5", topP: "0.9", maxTokens: "12" };
  const drawn = { temperature: 0.5, topP: 0.9, maxTokens: 12 };
  const continued = await read({ continue: ["after_error", "0.5"], continueSamples: "2", ...drawing });
  expect(continued.continue).toEqual({ places: ["after_error", "0.5"], n: 2, ...drawn, seed: 42 });
  expect(continued.generate).toBeUndefined();
  const both = await read({ continue: ["start"], generate: "3", ...drawing });
  expect(both.continue).toMatchObject({ places: ["start"], n: 4, ...drawn });
  expect(both.generate).toMatchObject({ n: 3, from: "dpo", ...drawn });
  await expect(read(drawing)).rejects.toThrow(/generate.n must be the number of responses/);
});

test("gradients are asked for by a flag", async () => {
  expect((await read({ gradients: true })).gradients).toBe(true);
  expect(await read({})).toMatchObject({ gradients: false, continue: undefined });
});
