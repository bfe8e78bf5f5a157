import { describe, expect, it } from "vitest";
import { FormatError } from "../../core/base/errors.ts";
import { FindingLog } from "../../core/schema/findings.ts";
import type { FileOutcome } from "../../ingest/run-files.ts";
import { packOutcome, unpackOutcome } from "./file-messages.ts";

function makeOutcome(firstError: Error | undefined): FileOutcome {
  const findings = new FindingLog();
  findings.add({
    code: "note",
    severity: "warning",
    count: 3,
    at: { file: "a.npz" },
    describe: (count) => `${count} rows are odd`,
  });
  return {
    findings,
    tally: { read: 1, skipped: 2, firstError },
    checks: { shifts: "none" },
    scan: Float64Array.of(1, 2),
  } as unknown as FileOutcome;
}

/** As another thread gets it. */
const send = (outcome: FileOutcome): FileOutcome => unpackOutcome(structuredClone(packOutcome(outcome)));

describe("what came of a file goes from thread to thread", () => {
  it("with its findings, counts, checks and sums", () => {
    const { findings, ...rest } = send(makeOutcome(undefined));
    expect(findings.list().map(({ message, count, at }) => [message, count, at.file])).toEqual([
      ["3 rows are odd", 3, "a.npz"],
    ]);
    expect(rest).toEqual({
      tally: { read: 1, skipped: 2, firstError: undefined },
      checks: { shifts: "none" },
      scan: Float64Array.of(1, 2),
    });
  });

  it("with its first error, as the error that it was", () => {
    const error = new FormatError("cut off", { at: { file: "a.npz" }, hint: "copy it again" });
    const { tally } = send(makeOutcome(error));
    expect(tally.firstError).toBeInstanceOf(FormatError);
    expect(tally.firstError).toMatchObject({ message: "cut off", hint: "copy it again" });
  });
});
