import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { compareVersions, isAfter, isBefore, parseGiven, writeRelease, writeSince } from "./release.ts";

describe("versions", () => {
  it("are compared by their numbers, a pre-release before its release", () => {
    const ordered = [
      "0.9.10",
      "0.10.0rc1",
      "v0.10.0",
      "0.10.2",
      "0.11",
      "0.11.1.post1",
      "0.11.2.dev3",
      "0.11.2",
      "1.0",
    ];
    for (const [at, version] of ordered.entries())
      for (const [other, second] of ordered.entries())
        expect([version, second, Math.sign(compareVersions(version, second))]).toEqual([
          version,
          second,
          Math.sign(at - other),
        ]);
    expect(compareVersions("0.11", "0.11.0")).toBe(0);
    expect(compareVersions("1!0.11.2+cu126", "0.11.2")).toBe(0);
  });

  it("and days are told apart; anything else is refused with what to write", () => {
    expect(parseGiven(" 0.11.2 ")).toEqual({ version: "0.11.2" });
    expect(parseGiven("2026-09-14")).toEqual({ date: "2026-09-14" });
    for (const text of ["main", "", "latest", "^1.2"]) expect(() => parseGiven(text)).toThrow(UsageError);
    expect(() => parseGiven("main")).toThrow(/"main" is not a version/);
  });
});

describe("a release and a change", () => {
  const change = { version: "0.11.2", date: "2026-09-14" };

  it("are ordered by version or by day, whichever was given", () => {
    expect(["0.11.1", "0.11.2", "0.12"].map((version) => isBefore({ version }, change))).toEqual([
      true,
      false,
      false,
    ]);
    expect(["2026-09-13", "2026-09-14"].map((date) => isBefore({ date }, change))).toEqual([true, false]);
  });

  it("cannot be ordered where only the day of the change is known and a version is given", () => {
    expect(isBefore({ version: "0.5" }, { date: "2026-08-27" })).toBeUndefined();
    expect(isAfter({ version: "0.5" }, { commit: "559b4477", date: "2026-08-27" })).toBeUndefined();
    expect(isAfter({ date: "2026-09-01" }, { commit: "9beb6e0f" })).toBeUndefined();
  });

  it("after what was read are newer", () => {
    const read = { version: "0.11.2", date: "2026-09-14" };
    expect(isAfter({ version: "0.11.3" }, read)).toBe(true);
    expect(isAfter({ version: "0.11.2" }, read)).toBe(false);
    expect(isAfter({ date: "2026-09-15" }, read)).toBe(true);
  });

  it("are written with the version first", () => {
    expect(writeRelease({ version: "0.11.2", date: "2026-09-14" })).toBe("0.11.2 (2026-09-14)");
    expect(writeRelease({ commit: "559b4477", date: "2026-08-31" })).toBe("2026-08-31");
    expect(writeRelease({ commit: "9beb6e0f" })).toBe("9beb6e0f");
    expect([writeSince(change), writeSince({ date: "2026-08-27" })]).toEqual(["0.11.2", "2026-08-27"]);
  });
});
