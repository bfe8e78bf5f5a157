import { describe, expect, it } from "vitest";
import { FindingLog, unreadableRows } from "./findings.ts";

const describeRows = (count: number): string => `${count} rows`;

describe("FindingLog", () => {
  it("adds up what has the same code, severity and subject; the first gives place and words", () => {
    const log = new FindingLog();
    const first = { code: "bad-row", severity: "skipped", count: 2, subject: "mask" } as const;
    log.add({ ...first, at: { row: 3 }, likely: "cut off", hint: "copy it", describe: describeRows });
    log.add({ ...first, at: { row: 9 }, count: 5, describe: () => "other words" });
    expect(log.list()).toEqual([
      {
        code: "bad-row",
        severity: "skipped",
        message: "7 rows",
        count: 7,
        at: { row: 3 },
        likely: "cut off",
        hint: "copy it",
      },
    ]);
  });

  it("keeps apart what differs in code, severity or subject, in the order in which it was first seen", () => {
    const log = new FindingLog();
    const one = { code: "note", severity: "info", count: 1, at: {}, describe: describeRows } as const;
    log.add({ ...one, subject: "b" });
    log.add(one);
    log.add({ ...one, severity: "warning" });
    log.add({ ...one, code: "sentinel" });
    log.add({ ...one, subject: "" });
    log.add({ ...one, subject: "b" });
    expect(log.list().map(({ code, severity, count }) => [code, severity, count])).toEqual([
      ["note", "info", 2],
      ["note", "info", 2],
      ["note", "warning", 1],
      ["sentinel", "info", 1],
    ]);
  });

  it("says what was left out, and has no field for what it does not know", () => {
    const log = new FindingLog();
    const omits = { unit: "sequence", why: "unreadable" } as const;
    const one = { severity: "skipped", count: 1, at: {}, describe: describeRows } as const;
    log.add({ ...one, code: "bad-row", omits });
    log.add({ ...one, code: "note" });
    const [left, bare] = log.list();
    expect(left).toMatchObject({ omits });
    expect(Object.keys(bare!).sort()).toEqual(["at", "code", "count", "message", "severity"]);
  });

  it("has line breaks of its own only, also as data", () => {
    const log = new FindingLog();
    log.add({
      code: "file-skipped",
      severity: "skipped",
      count: 1,
      at: {},
      likely: "a\nwarning: forged",
      hint: ["write:", "x\nerror: forged"],
      describe: (count) => [`${count} of a\nerror: forged:`, "  column"],
    });
    const other = new FindingLog();
    other.addData(log.toData());
    for (const one of [log, other])
      expect(one.list()).toMatchObject([
        {
          message: "1 of a\\nerror: forged:\n  column",
          likely: "a\\nwarning: forged",
          hint: "write:\nx\\nerror: forged",
        },
      ]);
  });

  it("takes another log's findings as if they had come after its own", () => {
    const [log, other] = [new FindingLog(), new FindingLog()];
    const one = { code: "note", severity: "info", describe: describeRows } as const;
    log.add({ ...one, count: 1, at: { row: 1 } });
    other.add({ ...one, count: 10, at: { row: 2 } });
    other.add({ ...one, code: "sentinel", count: 4, at: { row: 5 } });
    log.addAll(other);
    expect(log.list().map(({ message, at }) => [message, at.row])).toEqual([
      ["11 rows", 1],
      ["4 rows", 5],
    ]);
    log.add({ ...one, code: "sentinel", count: 1, at: {} });
    expect(log.list()[1]!.count).toBe(5);
    expect(other.list().map(({ count }) => count)).toEqual([10, 4]);
  });
});

describe("unreadableRows", () => {
  it("says how many and why the first", () => {
    expect(unreadableRows(1, "no comma")).toBe("1 row cannot be read: no comma");
    expect(unreadableRows(1200, "no comma")).toBe("1,200 rows cannot be read, the first: no comma");
  });
});
