import { describe, expect, it } from "vitest";
import type { Finding } from "../../core/schema/findings.ts";
import type { LeftOut } from "../../results/report.ts";
import { droppedShares, inputWasSkipped, listLeftOut } from "./left-out.ts";

const finding = (more: Partial<Finding>): Finding => ({
  code: "bad-row",
  severity: "warning",
  message: "3 rows are no JSON",
  count: 3,
  at: {},
  ...more,
});

describe("inputWasSkipped", () => {
  it("is so for a skipped input only, wherever it is among the findings", () => {
    expect(inputWasSkipped([])).toBe(false);
    expect(inputWasSkipped([finding({ severity: "info" }), finding({})])).toBe(false);
    expect(inputWasSkipped([finding({}), finding({ severity: "skipped" })])).toBe(true);
  });
});

describe("leftOutOf", () => {
  const none = { missing: 0, delta_negative_infinite: 0, delta_positive_infinite: 0 };

  it("is empty where nothing was left out", () => {
    expect(listLeftOut([finding({})], none)).toEqual([]);
  });

  it("says which tokens have no figure, on which side they are infinite, and how many", () => {
    const all = listLeftOut([], { missing: 1, delta_negative_infinite: 1200, delta_positive_infinite: 2 });
    expect(all.map(({ what, count }) => [what, count])).toEqual([
      ["1 token without a log-prob", 1],
      ["1,200 tokens with Δ = −∞", 1200],
      ["2 tokens with Δ = +∞", 2],
    ]);
    expect(all.every(({ unit, why }) => unit === "token" && why === "unreadable")).toBe(true);
  });

  it("adds what findings left out, with the file, and skipped inputs whose size nobody knows", () => {
    const found = listLeftOut(
      [
        finding({ omits: { unit: "sequence", why: "requested" }, at: { file: "a.jsonl" } }),
        finding({ severity: "skipped", message: "b.npz is no dump", count: 1, at: { file: "b.npz" } }),
        finding({ severity: "info" }),
      ],
      none,
    );
    expect(found).toEqual([
      {
        what: "3 rows are no JSON",
        count: 3,
        unit: "sequence",
        why: "requested",
        severity: "warning",
        file: "a.jsonl",
      },
      {
        what: "b.npz is no dump",
        count: 1,
        unit: "input",
        why: "unreadable",
        severity: "skipped",
        file: "b.npz",
      },
    ]);
  });
});

describe("droppedShares", () => {
  const part = (count: number, unit: LeftOut["unit"], why: LeftOut["why"]): LeftOut => ({
    what: "",
    count,
    unit,
    why,
    severity: "warning",
  });
  const kept = { token: 90, sequence: 10, file: 3 };

  it("adds up what is unreadable or incomparable, the largest share first", () => {
    expect(
      droppedShares(
        [part(5, "token", "unreadable"), part(5, "token", "incomparable"), part(1, "file", "unreadable")],
        kept,
      ),
    ).toEqual([
      { unit: "file", kept: 3, dropped: 1 },
      { unit: "token", kept: 90, dropped: 10 },
    ]);
  });

  it("counts nothing that is counted elsewhere, empty, named away or asked for", () => {
    for (const why of ["repeated", "no_data", "by_name", "requested"] as const)
      expect(droppedShares([part(50, "sequence", why)], kept)).toEqual([]);
  });
});
