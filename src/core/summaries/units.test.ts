import { describe, expect, it } from "vitest";
import { TEXT } from "../base/codec.ts";
import { contents } from "./layout/layout.ts";
import { addOutcome, emptyOutcomeSums, OUTCOME_UNITS } from "./outcome-sums.ts";
import { toBytes, travelInto } from "./travel.test-data.ts";
import { Units, unitKind } from "./units.ts";

/** Adding two texts is as sensitive to order as anything can be. */
const TEXTS = unitKind<{ text: string }>(
  () => ({ text: "" }),
  contents(
    TEXT,
    ({ text }) => text,
    (into, text) => {
      into.text += text;
    },
  ),
);

function fill(...units: readonly (readonly [name: string, text: string])[]): Units<{ text: string }> {
  const all = new Units(TEXTS);
  for (const [name, text] of units) all.get(name).text += text;
  return all;
}

describe("sums by unit", () => {
  it("are merged in the order of names, whenever each unit arrived", () => {
    expect(fill(["c", "3"], ["a", "1"], ["b", "2"]).fold().text).toBe("123");
    const merged = fill(["c", "3"]);
    merged.merge(fill(["b", "2"], ["a", "1"]));
    expect(merged.fold().text).toBe("123");
    expect(travelInto(fill(["a", "1"]), travelInto(fill(["b", "2"]), fill(["c", "3"]))).fold().text).toBe(
      "123",
    );
  });

  it("are written in that order, so that equal sums are equal bytes", () => {
    expect(toBytes(fill(["b", "2"], ["a", "1"]))).toEqual(toBytes(fill(["a", "1"], ["b", "2"])));
  });

  it("of a unit that is opened again go on where they were", () => {
    expect(fill(["a", "1"], ["b", "2"], ["a", "4"]).fold().text).toBe("142");
  });

  it("of a unit that both have are merged, also as bytes", () => {
    const merged = fill(["a", "1"], ["b", "2"]);
    merged.merge(fill(["a", "4"]));
    expect(merged.fold().text).toBe("142");
    expect(travelInto(fill(["a", "4"]), fill(["a", "1"], ["b", "2"])).fold().text).toBe("142");
  });

  it("are merged once, and again after something was added", () => {
    const units = fill(["a", "1"], ["b", "2"]);
    expect(units.fold()).toBe(units.fold());
    units.get("a").text += "4";
    expect(units.fold().text).toBe("142");
    units.fold();
    units.merge(fill(["c", "3"]));
    expect(units.fold().text).toBe("1423");
    expect(travelInto(fill(["d", "5"]), units).fold().text).toBe("14235");
  });

  it("of no unit are empty, and of one unit are that unit's", () => {
    expect(fill().fold().text).toBe("");
    const one = fill(["a", "1"]);
    one.fold().text += "2";
    expect(one.get("a").text).toBe("12");
  });

  it("hold outcomes of sequences, also as bytes", () => {
    const units = new Units(OUTCOME_UNITS);
    const sums = emptyOutcomeSums();
    const outcome = { responseTokens: 7, entropySum: 3, entropyTokens: 6, reward: 0.5, correct: 1 };
    for (const into of [units.get("a"), sums]) addOutcome(into, outcome);
    expect(travelInto(units, new Units(OUTCOME_UNITS)).fold()).toEqual(sums);
  });
});
