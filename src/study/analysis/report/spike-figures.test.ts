import { describe, expect, test } from "vitest";
import type { TextSpike } from "../summary.ts";
import { growingStudy, lookedAt, makeStudy, makeSummary, studyText } from "./report.test-data.ts";
import { viewStudy } from "./report-input.ts";
import { formatTextHandle, largestSpikes, listSpikes, spikeFigures } from "./spike-figures.ts";

const { texts, checkpoints } = growingStudy();
const study = () => viewStudy({ ...makeStudy(texts, checkpoints), sizes: { context: 2 } });
const [place] = largestSpikes(study());
const tell = (change: Partial<TextSpike>, looked = false) => {
  const seen = study();
  const spike = { ...place!.spike, ...change };
  const [found] = lookedAt(texts, checkpoints, [place!.summary.index]);
  return { figures: spikeFigures(seen, { ...place!, spike }, looked ? found : undefined), seen };
};

describe("a spike", () => {
  test("is told with its words and the tokens around it", () => {
    expect(tell({}).figures).toEqual({
      handle: "q7.t4",
      text: "p7",
      problem: "p7",
      position: 4,
      region: "late",
      token: "7",
      category: "number",
      kl: place!.spike.value,
      zscore: 3,
      probability: 0.1,
      reference_probability: 0.9,
      before: " 3 =",
      after: ".",
      alternatives: [],
      reference_alternatives: [],
      depends_on: null,
      since: null,
    });
  });

  test("names what it depends on, where that is known", () => {
    const dependsOn = [{ position: 1, token: " *", share: 0.5 }] as unknown as NonNullable<
      TextSpike["dependsOn"]
    >;
    expect(tell({ dependsOn }).figures.depends_on).toBe(dependsOn);
  });

  test("has a z-score of 0 where it has none, which is noted", () => {
    const { figures, seen } = tell({ zscore: Number.POSITIVE_INFINITY });
    expect(figures.zscore).toBe(0);
    expect(seen.absentLines()).toEqual(["q7.t4: its z-score is not finite, 0 is given"]);
    expect(tell({}).seen.absentLines()).toEqual([]);
  });

  test("leaves out alternatives that have no probability", () => {
    const alternatives = [0.5, Number.NaN].map((probability, token_id) => ({
      token_id,
      token: "x",
      probability,
    }));
    const { figures } = tell({ alternatives, referenceAlternatives: [...alternatives].reverse() });
    expect(figures.alternatives).toEqual([alternatives[0]]);
    expect(figures.reference_alternatives).toEqual([alternatives[0]]);
    expect(tell({ probability: Number.NaN, referenceProbability: Number.NaN }).figures).toMatchObject({
      probability: null,
      reference_probability: null,
    });
  });

  test("is dated to the first checkpoint that keeps half of it", () => {
    expect(tell({}, true).figures.since).toBe("c20");
  });
});

test("spikes come by size, then by text and place", () => {
  const two = [studyText("b", ["x", "y", "z"]), studyText("a", ["x", "y"])];
  const summaries = [makeSummary(two[0]!, 0, [2, 2, 5]), makeSummary(two[1]!, 1, [2, 3])];
  expect(listSpikes(summaries).map(({ summary, spike }) => `${summary.text}${spike.position}`)).toEqual([
    "b2",
    "a1",
    "a0",
    "b0",
    "b1",
  ]);
});

test("handles are a text's number, and a token's", () => {
  expect([formatTextHandle(12), formatTextHandle(12, 0), formatTextHandle(0, 40)]).toEqual([
    "q12",
    "q12.t0",
    "q0.t40",
  ]);
});
