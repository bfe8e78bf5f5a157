import fc from "fast-check";
import { expect, it } from "vitest";
import { parseCorrection } from "../../trainers/neutral/text.ts";
import { unsweepable } from "./evaluate.ts";
import { correctionFigures } from "./figures.ts";
import { defaultGrid } from "./grid.ts";
import { nameByText } from "./named-correction.ts";
import { corrections, randomBatch } from "./random.test-data.ts";
import { Sweep } from "./sweep.ts";

const batch = randomBatch(7, 20, 1);

it("a row's text, pasted back, is the same row but for its name, whatever the correction", () => {
  fc.assert(
    fc.property(corrections, (correction) => {
      fc.pre(unsweepable(correction) === undefined);
      const first = new Sweep([{ name: "first", methods: [], correction }]);
      first.add(batch);
      // Words say how tokens are aggregated where that has no meaning; the text does not.
      const { name: _, rule: __, ...row } = correctionFigures(first, 1);
      const named = nameByText(parseCorrection(row.correction_text));
      expect(named.name).toBe(row.correction_text);
      // A correction that does nothing is the baseline itself.
      const again = new Sweep([named]);
      again.add(batch);
      const index = named.name === "none" ? 0 : 1;
      const { name: ___, rule: ____, ...pasted } = correctionFigures(again, index);
      expect(pasted).toEqual(row);
    }),
    { numRuns: 100 },
  );
});

it("every correction of the grid has a text of its own that says all of it", () => {
  const grid = defaultGrid();
  const texts = grid.map(({ correction }) => nameByText(correction).name);
  expect(new Set(texts).size).toBe(grid.length);
  expect(texts.map(parseCorrection)).toEqual(grid.map(({ correction }) => correction));
});
