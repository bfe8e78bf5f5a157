import { expect, it } from "vitest";
import { fillRow } from "./rows.ts";

const asked = { url: "http://localhost", id: "q" };
const entry = (id: number, logprob: unknown) => ({ id, logprob });

it("puts each entry in its column, in whatever order they come", () => {
  const row = fillRow([entry(2, -3), entry(0, -1), entry(1, -2), entry(2, -4)], 3, 7, asked);
  expect([...row]).toEqual([-1, -2, -4]);
});

it.each([2 ** 31 - 1, 2 ** 53])("takes no memory for columns that did not arrive, of %d", (vocabulary) => {
  const before = process.memoryUsage().arrayBuffers;
  expect(() => fillRow([entry(0, -1), entry(5, -2), entry(5, -2)], vocabulary, 7, asked)).toThrow(
    `the row for token 7 has 2 of ${vocabulary} columns`,
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20);
});

it.each([-1, 1.5, 3, 2 ** 53, Number.NaN])("refuses id %d of a vocabulary of 3", (id) => {
  expect(() => fillRow([entry(0, -1), entry(1, -1), entry(id, -1)], 3, 7, asked)).toThrow(
    `holds id ${id}, of a vocabulary of 3`,
  );
});

it("refuses columns that are not numbers", () => {
  expect(() => fillRow([entry(0, -1), entry(1, "NaN"), entry(2, null)], 3, 7, asked)).toThrow(
    "2 of 3 columns that are not numbers",
  );
});
