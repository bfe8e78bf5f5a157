import { describe, expect, it } from "vitest";
import { isLogratioError } from "../base/errors.ts";
import { nameInVersion, readVersion, SCHEMA_VERSION, VERSION_KEY } from "./version.ts";

function errorOf(run: () => unknown): unknown {
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
    const newer = errorOf(() => readVersion({ [VERSION_KEY]: "99" }, "a.parquet"));
    expect(isLogratioError(newer, "VersionError") && newer.message).toBe(
      "the record has schema version 99; this logratio reads up to 1",
    );
    const none = errorOf(() => readVersion({ [VERSION_KEY]: "one" }, "a.parquet"));
    expect(isLogratioError(none, "SchemaError") && none.message).toBe(
      'logratio.schema_version is "one", which is no version number',
    );
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
