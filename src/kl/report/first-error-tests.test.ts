import fc from "fast-check";
import { expect, test } from "vitest";
import { firstErrorFigures } from "./first-error-tests.ts";
import { studyOf, studyText } from "./report.test-data.ts";
import { viewStudy } from "./report-input.ts";

/** Texts of which each has spikes at some tokens and an error at one. */
function figuresOf(
  given: readonly { readonly length: number; readonly spikes: number[]; readonly error: number }[],
) {
  const texts = given.map(({ length, error }, i) =>
    studyText(`t${i}`, new Array<string>(length).fill("x"), { correct: false, errorToken: error }),
  );
  const kl = given.map(({ length, spikes }) =>
    Array.from({ length }, (_, token) => (spikes.includes(token) ? 2 : 0.1)),
  );
  return firstErrorFigures(viewStudy(studyOf(texts, [{ name: "c", step: 1, kl }])))[0]!;
}

test("one text by hand: 5 of 10 shifts put its spike at the error", () => {
  const figures = figuresOf([{ length: 10, spikes: [5], error: 4 }]);
  expect(figures).toMatchObject({
    texts: 1,
    window: 2,
    spike_at_error: 1,
    median_distance: 1,
    spikes_after: 1,
  });
  expect(figures.expected).toBeCloseTo(0.5, 12);
  expect(figures.p_value).toBeCloseTo(0.5, 12);
  expect(figures.kl_at_error).toBeCloseTo((2 + 4 * 0.1) / 5, 12);
  expect(figures.kl_elsewhere).toBeCloseTo(0.1, 12);
});

test("texts without a spike count, and never at their error", () => {
  const figures = figuresOf([
    { length: 10, spikes: [], error: 4 },
    { length: 10, spikes: [1], error: 8 },
  ]);
  expect(figures).toMatchObject({ spike_at_error: 0, p_value: 1, median_distance: -7, spikes_after: 0 });
  expect(figures.expected).toBeCloseTo(0.2, 12);
});

test("right texts are left out", () => {
  const texts = [studyText("a", ["x", "x"], { correct: true, errorToken: 1 })];
  const study = viewStudy(studyOf(texts, [{ name: "c", kl: [[0, 2]] }]));
  expect(firstErrorFigures(study)).toEqual([]);
  expect(study.absentLines()).toContain(
    "no first errors against spikes: no wrong text has a known first error",
  );
});

test("p is what going through every shift of every text gives", () => {
  const text = fc.integer({ min: 1, max: 7 }).chain((length) =>
    fc.record({
      length: fc.constant(length),
      spikes: fc.uniqueArray(fc.integer({ min: 0, max: length - 1 }), { maxLength: length }),
      error: fc.integer({ min: 0, max: length - 1 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (given) => {
      const figures = figuresOf(given);
      const hit = (spikes: readonly number[], error: number): number =>
        spikes.some((spike) => Math.abs(spike - error) <= 2) ? 1 : 0;
      const observed = given.reduce((sum, { spikes, error }) => sum + hit(spikes, error), 0);
      // All combinations of one shift per text.
      let totals = [0];
      for (const { length, spikes, error } of given) {
        const shifted = Array.from({ length }, (_, by) =>
          hit(
            spikes.map((one) => (one + by) % length),
            error,
          ),
        );
        totals = totals.flatMap((total) => shifted.map((one) => total + one));
      }
      expect(figures.spike_at_error).toBeCloseTo(observed / given.length, 12);
      const atLeast = totals.filter((total) => total >= observed).length;
      expect(figures.p_value).toBeCloseTo(atLeast / totals.length, 10);
    }),
  );
});
