import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../../core/statistics/random.ts";
import { announcements } from "../first-error/announcements.ts";
import { answers } from "./answers.ts";
import { buildKlReport } from "./build-kl-report.ts";
import { firstErrorFigures } from "./first-error-tests.ts";
import { makeStudy, studyText } from "./report.test-data.ts";
import { viewStudy } from "./report-input.ts";

/** Results that a text announces, ten tokens apart: `so 1 + 1 = 2 and on we go`. */
interface Made {
  readonly results: number;
  /** The index of the wrong one. */
  readonly wrong: number;
  /** The indices of those that have a spike. */
  readonly spikes: readonly number[];
}

const STEP = ["so", " ", "1", " +", " 1", " =", " 2", " and", " on", " it"];
const SIGN = 5;

function studyFrom(given: readonly Made[]) {
  const texts = given.map(({ results, wrong }, i) =>
    studyText(`t${i}`, Array.from({ length: results }, () => STEP).flat(), {
      correct: false,
      errorToken: 10 * wrong + SIGN + 1,
    }),
  );
  const kl = given.map(({ results, spikes }) =>
    Array.from({ length: 10 * results }, (_, token) =>
      token % 10 === SIGN && spikes.includes(Math.floor(token / 10)) ? 2 : 0.1,
    ),
  );
  return makeStudy(texts, [{ name: "c", step: 1, kl }]);
}

const computeFigures = (given: readonly Made[]) => firstErrorFigures(viewStudy(studyFrom(given)))[0]!;
const findAnswer = (given: readonly Made[]) =>
  answers(buildKlReport({ ...studyFrom(given), cases: [] })).find(({ question }) =>
    question.startsWith("Is the KL concentrated"),
  )!;

test("results that a text announces: numbers behind an = of arithmetic, and its own", () => {
  const at = (tokens: readonly string[], mask?: Uint8Array) =>
    announcements(studyText("t", tokens, mask && { mask }));
  expect(at(STEP)).toEqual([SIGN]);
  expect(at(["x", " =", " 5"])).toEqual([]);
  expect(at(["3", "*", "4", "=", "12", "=", "$", "12"])).toEqual([3, 5]);
  expect(at(["(1", ")", " ", "=", " -", "2", " 2", "==", "2"])).toEqual([3]);
  expect(at(["1+1", "=", "2", "1+1", "=", "2"], Uint8Array.of(1, 1, 1, 1, 0, 1))).toEqual([1]);
  expect(at([])).toEqual([]);
});

test("one text by hand: its error is one of four results, of which two have a spike", () => {
  const figures = computeFigures([{ results: 4, wrong: 2, spikes: [2, 3] }]);
  expect(figures).toMatchObject({ texts: 1, tested: 1, window: 2, spike_at_error: 1, tested_at_error: 1 });
  expect(figures).toMatchObject({ expected: 0.5, p_value: 0.5, adjusted_p_value: 0.5, median_distance: -1 });
  expect(figures.kl_at_error).toBeCloseTo((2 + 4 * 0.1) / 5, 12);
});

test("spikes at every result, right or wrong, are not a sign of the error", () => {
  const given = Array.from({ length: 40 }, (_, i) => ({ results: 5, wrong: i % 5, spikes: [0, 1, 2, 3, 4] }));
  expect(computeFigures(given)).toMatchObject({ spike_at_error: 1, expected: 1, p_value: 1 });
  const { support, answer } = findAnswer(given);
  expect(support).toBe("no");
  expect(answer).toContain(
    "100 % of 40 wrong texts have a spike at their first known error. Of the 40 that also have other results, 100 % have one at the error; 100 % would if the error were a random one of their results, including right ones (p = 1.00)",
  );
});

test("spikes at the wrong result only are", () => {
  const given = Array.from({ length: 8 }, (_, i) => ({ results: 4, wrong: i % 4, spikes: [i % 4] }));
  const figures = computeFigures(given);
  expect(figures).toMatchObject({ tested_at_error: 1, expected: 0.25 });
  expect(figures.p_value).toBeCloseTo(0.25 ** 8, 12);
  expect(findAnswer(given).support).toBe("yes");
  // The same spikes at a right result: fewer than expected is not evidence either.
  const aside = given.map((made) => ({ ...made, spikes: [(made.wrong + 1) % 4] }));
  expect(computeFigures(aside)).toMatchObject({ tested_at_error: 0, p_value: 1 });
  expect(findAnswer(aside).support).toBe("no");
});

test("texts that announce nothing else are not tested; where none does, it cannot be told", () => {
  const alone = { results: 1, wrong: 0, spikes: [0] };
  const figures = computeFigures([alone, alone, { results: 2, wrong: 1, spikes: [1] }]);
  expect(figures).toMatchObject({ texts: 3, tested: 1, spike_at_error: 1, expected: 0.5, p_value: 0.5 });
  const none = computeFigures([alone, alone]);
  expect(none).toMatchObject({ tested: 0, tested_at_error: null, expected: null, p_value: null });
  const many = findAnswer(new Array(20).fill(alone));
  expect(many.support).toBe("not enough data");
  expect(many.answer).toContain("None of them has another result");
  const four = findAnswer(new Array(4).fill({ results: 9, wrong: 0, spikes: [0] }));
  expect(four.support).toBe("not enough data");
});

test("an error that is at no announced result has nothing to be compared with", () => {
  const text = studyText("t", [...STEP, ...STEP], { correct: false, errorToken: 0 });
  const kl = [[2, ...new Array<number>(19).fill(0.1)]];
  const [figures] = firstErrorFigures(viewStudy(makeStudy([text], [{ name: "c", step: 1, kl }])));
  expect(figures).toMatchObject({ texts: 1, tested: 0, spike_at_error: 1 });
});

test("errors at any result alike are called special in less than one run of twenty", () => {
  const random = seededRandom(6);
  let found = 0;
  for (let run = 0; run < 200; run++) {
    const given = Array.from({ length: 30 }, () => ({
      results: 4,
      wrong: Math.floor(4 * random()),
      spikes: [0, 1, 2, 3].filter(() => random() < 0.6),
    }));
    if (computeFigures(given).p_value! < 0.05) found++;
  }
  expect(found).toBeLessThan(20);
});

test("right texts are left out", () => {
  const texts = [studyText("a", ["x", "x"], { correct: true, errorToken: 1 })];
  const study = viewStudy(makeStudy(texts, [{ name: "c", kl: [[0, 2]] }]));
  expect(firstErrorFigures(study)).toEqual([]);
  expect(study.absentLines()).toContain(
    "no first errors against spikes: no wrong text has a known first error",
  );
});

test("p is what moving the error through every result of every text gives", () => {
  const text = fc.integer({ min: 2, max: 4 }).chain((results) =>
    fc.record({
      results: fc.constant(results),
      wrong: fc.integer({ min: 0, max: results - 1 }),
      spikes: fc.uniqueArray(fc.integer({ min: 0, max: results - 1 }), { maxLength: results }),
    }),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (given) => {
      const figures = computeFigures(given);
      const observed = given.filter(({ wrong, spikes }) => spikes.includes(wrong)).length;
      let totals = [0];
      for (const { results, spikes } of given)
        totals = totals.flatMap((total) =>
          Array.from({ length: results }, (_, moved) => total + (spikes.includes(moved) ? 1 : 0)),
        );
      const atLeast = totals.filter((total) => total >= observed).length;
      expect(figures.tested_at_error).toBeCloseTo(observed / given.length, 12);
      expect(figures.p_value).toBeCloseTo(atLeast / totals.length, 10);
    }),
    { numRuns: 60 },
  );
});
