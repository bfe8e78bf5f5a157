import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../core/statistics/index.ts";
import { SequenceSample } from "../../core/summaries/index.ts";
import { compareParts } from "../report/index.ts";
import { compareApart } from "./compare-parts.ts";
import { type Compiled, compile } from "./compile.test-data.ts";

/** Sequences of which the second turn, the last tenth and step 3 stand out. */
function drawSample(sequences: number): SequenceSample {
  const random = seededRandom(5);
  const sample = new SequenceSample();
  for (let i = 0; i < sequences; i++) {
    const step = i % 4;
    const level = (step === 3 ? 0.03 : 0.01) * (0.5 + random());
    sample.add(i, true, {
      handle: `s${step}.q${i}`,
      step,
      rank: i % 2,
      correct: i % 3 === 0 ? 1 : 0,
      environment: null,
      engine: i % 2 === 0 ? "vllm-0" : "vllm-1",
      finish: "stop",
      staleness: Number.NaN,
      turns: [100, 100 * level, 100, 200 * level],
      excess: [random() - 0.5, random() - 0.5],
      deciles: Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 20 : (at === 19 ? 60 : 20) * level)),
      jumps: 0,
    });
  }
  return sample;
}

describe("parts compared in a thread", () => {
  let compiled: Compiled;
  beforeAll(async () => {
    compiled = await compile();
  });
  afterAll(() => compiled.remove());

  it("are what the calling thread finds", async () => {
    const sample = drawSample(400);
    const url = compiled.findWorker("analyses/parallel/compare-worker");
    const here = compareParts(sample.list());
    expect(here.steps.map(({ key }) => key)).toEqual([3]);
    expect([here.turns.length, here.deciles.length]).toEqual([1, 1]);
    expect(await compareApart(sample, { small: 0, url })).toEqual(here);
  });

  it("are left to the calling thread where they are few, or no thread can be started", () => {
    const sample = drawSample(40);
    const url = new URL("file:///never-started.js");
    expect(compareApart(sample, { small: 40, url })).toBeUndefined();
    expect(compareApart(sample, { url })).toBeUndefined();
    expect(compareApart(sample, { small: 0, url: undefined })).toBeUndefined();
  });

  it("reject where their thread fails", async () => {
    const url = new URL("file:///not-there.js");
    await expect(compareApart(drawSample(40), { small: 0, url })).rejects.toThrow("not-there.js");
  });
});
