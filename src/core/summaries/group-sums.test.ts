import { describe, expect, it } from "vitest";
import { GroupSums } from "./group-sums.ts";
import { toBytes, travel } from "./travel.test-data.ts";

function filled(groups: number[], delta: number[]): GroupSums {
  const sums = new GroupSums();
  sums.addMany(
    Int32Array.from(groups),
    Float32Array.from(delta),
    Float32Array.from(delta, (d) => d * d),
    0,
    groups.length,
  );
  return sums;
}

describe("GroupSums", () => {
  it("sums by group and leaves negative groups out", () => {
    const rows = [...filled([3, 0, 3, -1], [1, -2, -3, 100]).rows()];
    expect(rows).toEqual([
      { group: 0, count: 1, delta: -2, deltaAbs: 2, k3: 4, deltaAbsMax: 2 },
      { group: 3, count: 2, delta: -2, deltaAbs: 4, k3: 10, deltaAbsMax: 3 },
    ]);
  });

  it("merges to the whole in either order, also as bytes", () => {
    const whole = filled([1, 70000, 1], [1, 2, -4]);
    const merged = filled([1], [-4]);
    merged.merge(travel(filled([1, 70000], [1, 2]), GroupSums.decode));
    expect(toBytes(merged)).toEqual(toBytes(whole));
    const reversed = filled([1, 70000], [1, 2]);
    reversed.merge(filled([1], [-4]));
    expect(toBytes(reversed)).toEqual(toBytes(whole));
  });
});
