import { expect, it } from "vitest";
import { SEQUENCE_COLUMNS, SEQUENCE_TEXTS } from "../../../src/results/metrics/sequence-columns.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";
import { type PaletteItem, searchItems } from "./palette-items.ts";

const steps = [10, 10, 20];
const rows = [0, 1, 0];
const table: SequenceTable = {
  length: 3,
  columns: Object.fromEntries(
    SEQUENCE_COLUMNS.map((name) => [
      name,
      Float64Array.from(
        name === "step" ? steps : name === "row" ? rows : [Number.NaN, Number.NaN, Number.NaN],
      ),
    ]),
  ) as SequenceTable["columns"],
  texts: Object.fromEntries(
    SEQUENCE_TEXTS.map((name) => [
      name,
      name === "group"
        ? { values: ["calc/one", "calc/two"], codes: Int32Array.of(0, 0, 1) }
        : {
            values: name === "sample" ? ["abc"] : [],
            codes: Int32Array.of(name === "sample" ? 0 : -1, -1, -1),
          },
    ]),
  ) as unknown as SequenceTable["texts"],
};
const fixed: PaletteItem[] = [
  { key: "o", kind: "view", label: "Steps", hint: "", move: { view: "steps" } },
  { key: "10", kind: "step", label: "step 10", hint: "", move: { view: "sequences" } },
];
const labels = (query: string): string[] => searchItems(query, fixed, table).map(({ label }) => label);

it("finds sequences by handle, sample and group, and tokens by handle", () => {
  expect(labels("s10.q1")).toEqual(["s10.q1"]);
  expect(labels("abc")).toEqual(["s10.q0"]);
  expect(labels("two")).toEqual(["calc/two"]);
  expect(searchItems("s20.q0.t7", fixed, table)[0]).toMatchObject({
    kind: "token",
    move: { view: "sequence", sequence: 2, token: 7 },
  });
});

it("finds views and steps even before the table is loaded", () => {
  expect(labels("ste")).toEqual(["Steps", "step 10"]);
  expect(searchItems("s10", fixed, undefined).map(({ label }) => label)).toEqual(["step 10"]);
  expect(labels("")).toEqual(["Steps", "step 10"]);
});

it("finds items by their further words", () => {
  const doctor: PaletteItem = { key: "d", kind: "view", label: "Cause", hint: "", words: "why doctor" };
  expect(searchItems("why", [...fixed, doctor], table).map(({ label }) => label)).toEqual(["Cause"]);
});

it("filters by group", () => {
  expect(searchItems("one", fixed, table)[0]?.move?.params?.filter).toBe("group=calc/one");
});
