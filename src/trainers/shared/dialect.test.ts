import { describe, expect, it } from "vitest";
import type { ConfigDocument, Entry } from "./config-entry.ts";
import { isFalse, isTrue, type LintContext, needsSwitch } from "./dialect.ts";

const entry = (key: string, value: Entry["value"], line: number): Entry => ({
  path: [key],
  key,
  value,
  text: String(value),
  quoted: false,
  line,
});

function context(...entries: Entry[]): LintContext {
  const document: ConfigDocument = { format: "yaml", name: "", line: 1, entries };
  return {
    document,
    text: "",
    get: (key) => entries.find((one) => one.key === key),
    below: () => [],
    settings: {},
    found: new Map(entries.map((one) => [one.key, one])),
    at: (one) => (one ? { key: one.key, line: one.line } : { line: 1 }),
  };
}

describe("settings under a switch", () => {
  const rule = needsSwitch({
    settings: ["cap", "floor"],
    isOff: ({ get }) => !isTrue(get("use")),
    off: "use is off",
    source: "loss.py",
    instead: "use: true",
  });

  it("are named with the line of the first while it is off", () => {
    const error = { severity: "error", code: "not-switched-on", source: "loss.py", instead: "use: true" };
    expect(rule(context(entry("cap", 2, 4)))).toEqual([
      { ...error, key: "cap", line: 4, message: "cap has no effect: use is off" },
    ]);
    expect(rule(context(entry("floor", 1, 9), entry("cap", 2, 4)))).toEqual([
      { ...error, key: "cap", line: 4, message: "cap, floor have no effect: use is off" },
    ]);
  });

  it("are not named while it is on, where none is written, or where one is None", () => {
    expect(rule(context(entry("use", true, 1), entry("cap", 2, 4)))).toEqual([]);
    expect(rule(context(entry("use", false, 1)))).toEqual([]);
    expect(rule(context(entry("cap", null, 4)))).toEqual([]);
  });

  it("are on and off only by true and false", () => {
    const values = [true, false, "true", "false", 1, 0, null] as const;
    const entries = [...values.map((value) => entry("use", value, 1)), undefined];
    expect(entries.map(isTrue)).toEqual([true, ...Array(7).fill(false)]);
    expect(entries.map(isFalse)).toEqual([false, true, ...Array(6).fill(false)]);
  });
});
