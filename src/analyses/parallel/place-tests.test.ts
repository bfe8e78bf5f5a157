import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../core/statistics/random.ts";
import { SequenceSample } from "../../core/summaries/sequence-sample.ts";
import { gatherAllPlaces, testPlaces } from "../report/standouts/index.ts";
import { type Compiled, compile, RUNS_SOURCES } from "./compile.test-data.ts";
import { testApart } from "./place-tests.ts";

/** Sequences of two turns, of which the second and the last tenth stand out. */
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
      reward: Number.NaN,
      tokens: 10,
    });
  }
  return sample;
}

describe("turns and tenths tested in a thread", () => {
  let compiled: Compiled;
  beforeAll(async () => {
    compiled = await compile();
  });
  afterAll(() => compiled.remove());

  it("have the chances that the calling thread finds", async () => {
    const clusters = drawSample(400).list();
    const url = compiled.findWorker("analyses/parallel/place-tests-worker");
    const here = testPlaces(gatherAllPlaces(clusters).toTest);
    expect(here.turns[1]).toBeLessThan(0.01);
    expect(here.deciles).toHaveLength(10);
    expect(await testApart(gatherAllPlaces(clusters), { small: 0, url })).toEqual(here);
  });

  it("are left to the calling thread where they are few, or no thread can be started", () => {
    const places = gatherAllPlaces(drawSample(40).list());
    const url = new URL("file:///never-started.js");
    expect(testApart(places, { small: 40 * 12, url })).toBeUndefined();
    expect(testApart(places, { url })).toBeUndefined();
    if (!RUNS_SOURCES) expect(testApart(places, { small: 0, url: undefined })).toBeUndefined();
  });

  it("reject where their thread fails", async () => {
    const url = new URL("file:///not-there.js");
    const places = gatherAllPlaces(drawSample(40).list());
    await expect(testApart(places, { small: 40 * 12 - 1, url })).rejects.toThrow("not-there.js");
  });
});
