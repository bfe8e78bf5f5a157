import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { seededRandom } from "../../core/statistics/random.ts";
import { buildReport, buildReportBeside } from "./build-report.ts";
import { RunSummary } from "./run-summary.ts";
import { type GatheredPlaces, testPlaces } from "./standouts/index.ts";

/** Sixty responses of two turns, the second ten times as far off. */
function drawInput() {
  const random = seededRandom(3);
  const draw = (scale: number): string =>
    Array.from({ length: 5 }, () => ((random() - 0.5) * scale).toFixed(4)).join(" ");
  const summary = new RunSummary();
  for (let row = 0; row < 60; row++)
    summary.add(
      recordBatch([{ deltas: `${draw(0.02)} | 0 | ${draw(0.2)}`, row, step: row % 3 }], `${row}.npz`),
    );
  return { run: "drawn", paths: [], summary, parity: [], findings: [], sources: [] };
}

describe("a report beside another thread", () => {
  it.each([
    // As moving them to a thread leaves it.
    [
      "answers",
      ({ toTest }: GatheredPlaces) => Promise.resolve(testPlaces(structuredClone(toTest, moved(toTest)))),
    ],
    ["is not worth it", () => undefined],
  ])("is that of one thread where the other one %s", async (_, testApart) => {
    const alone = buildReport(drawInput());
    expect(alone.facts.map(({ text }) => text).join("\n")).toMatch(/^Turn 1 stands out/m);
    expect(await buildReportBeside(drawInput(), { testApart })).toEqual(alone);
  });

  it("takes the other thread at its word", async () => {
    const none = { turns: Float64Array.of(1, 1), deciles: new Float64Array(10).fill(1) };
    const report = await buildReportBeside(drawInput(), { testApart: () => Promise.resolve(none) });
    expect(report.facts.map(({ text }) => text).join("\n")).not.toMatch(/^Turn 1 stands out/m);
  });

  it("fails as the other thread does", async () => {
    const failing = buildReportBeside(drawInput(), {
      testApart: () => Promise.reject(new Error("a worker thread ended")),
    });
    await expect(failing).rejects.toThrow("a worker thread ended");
  });
});

function moved({ turns, deciles }: GatheredPlaces["toTest"]): { transfer: ArrayBuffer[] } {
  const buffers = [turns, deciles].flatMap(({ values, groups, blocks }) => [values, groups, blocks!]);
  return { transfer: buffers.map(({ buffer }) => buffer as ArrayBuffer) };
}
