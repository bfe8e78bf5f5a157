import { describe, expect, it } from "vitest";
import { isLogratioError } from "../base/index.ts";
import { MismatchSummary, type MismatchSummaryJson } from "./mismatch-summary.ts";

/** What another logratio may have written: only its version is known to differ. */
function inVersion(version: number): MismatchSummaryJson {
  return { ...new MismatchSummary().toJSON(), version } as MismatchSummaryJson;
}

describe("a summary of another version", () => {
  it.each([
    [1, "an older logratio wrote it"],
    [6, "a newer logratio wrote it"],
  ])("%i is refused, and both versions are said", (version, likely) => {
    let error: unknown;
    try {
      MismatchSummary.fromJSON(inVersion(version));
    } catch (thrown) {
      error = thrown;
    }
    expect(isLogratioError(error, "VersionError")).toBe(true);
    expect(error).toMatchObject({
      message: `cannot read summary: version ${version}, this logratio reads version 5`,
      found: version,
      supported: 5,
      likely,
    });
  });
});
