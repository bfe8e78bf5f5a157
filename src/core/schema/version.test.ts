import { describe, expect, it } from "vitest";
import { isLogratioError } from "../base/errors.ts";
import { nameInVersion, readVersion, SCHEMA_VERSION, UPGRADES, VERSION_KEY, WRITER_KEY } from "./version.ts";

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("readVersion", () => {
  it("takes a file without a version as the first", () => {
    expect(readVersion({}, "a.parquet")).toBe(1);
    expect(readVersion({ [VERSION_KEY]: String(SCHEMA_VERSION) }, "a.parquet")).toBe(SCHEMA_VERSION);
  });

  it("refuses a newer one and what is none", () => {
    const newer = catchError(() => readVersion({ [VERSION_KEY]: "99" }, "a.parquet"));
    expect(isLogratioError(newer, "VersionError") && newer.message).toBe(
      "the record has schema version 99; this logratio reads up to 1",
    );
    expect(newer).toMatchObject({ found: 99, supported: SCHEMA_VERSION });
    const none = catchError(() => readVersion({ [VERSION_KEY]: "one" }, "a.parquet"));
    expect(isLogratioError(none, "SchemaError") && none.message).toBe(
      'logratio.schema_version is "one", which is not a version number',
    );
  });

  it("says which file it was, and what to do about a newer one", () => {
    const at = { file: "a.parquet" };
    for (const text of ["0", "-1", "1.5", "", "NaN"]) {
      const error = catchError(() => readVersion({ [VERSION_KEY]: text }, "a.parquet"));
      expect(isLogratioError(error, "SchemaError")).toBe(true);
      expect(error).toMatchObject({ at });
    }
    const newer = catchError(() => readVersion({ [VERSION_KEY]: String(SCHEMA_VERSION + 1) }, "a.parquet"));
    expect(newer).toMatchObject({ at, hint: expect.stringContaining("logratio@latest") });
  });
});

describe("the record on disk", () => {
  it("keeps its keys, which files written by older versions have", () => {
    expect([VERSION_KEY, WRITER_KEY]).toEqual(["logratio.schema_version", "logratio.written_by"]);
  });

  it("has an upgrade from each version to the next", () => {
    expect(UPGRADES).toHaveLength(SCHEMA_VERSION - 1);
  });
});

describe("nameInVersion", () => {
  const upgrades = [
    { lp_rollout: "rollout_lp" },
    { rollout_lp: "rollout_logprobs", entropy: "entropy.trainer" },
  ];

  it("leads back through every step", () => {
    expect(nameInVersion("rollout_logprobs", 3, upgrades)).toBe("rollout_logprobs");
    expect(nameInVersion("rollout_logprobs", 2, upgrades)).toBe("rollout_lp");
    expect(nameInVersion("rollout_logprobs", 1, upgrades)).toBe("lp_rollout");
    expect(nameInVersion("entropy.trainer", 1, upgrades)).toBe("entropy");
    expect(nameInVersion("reward", 1, upgrades)).toBe("reward");
  });
});
