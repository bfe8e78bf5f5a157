import { expect, it } from "vitest";
import type { LintFinding } from "../../results/lint.ts";
import type { Entry } from "../shared/config-entry.ts";
import type { Preset, Trap } from "../shared/preset.ts";
import { trapFindings } from "./trap-findings.ts";

/** The findings of one trap, in a config that writes these settings, one a line. */
function gradeTrap(trap: Trap, written: readonly string[] = [], from?: Entry): LintFinding[] {
  const entries = written.map((name, at) => [name, { key: `--${name}`, line: at + 1 } as Entry] as const);
  const preset = { source: "trainer/loss.py", traps: () => [trap] } as unknown as Preset;
  return trapFindings(preset, { settings: {}, found: new Map(entries) }, from);
}

const NOTE = { severity: "note", code: "trap", message: "bounds are ignored", source: "trainer/loss.py" };

it("grades a trap as a note without a place, unless the trap says otherwise", () => {
  expect(gradeTrap({ says: "bounds are ignored" }, ["upper"])).toEqual([NOTE]);
  expect(gradeTrap({ says: "bounds are ignored", severity: "error", code: "no-effect" })).toEqual([
    { ...NOTE, severity: "error", code: "no-effect" },
  ]);
});

it("points at the trap's setting where the config writes it, and not at one that its sentence names", () => {
  const trap: Trap = { says: "bounds are ignored", setting: "mode" };
  expect(gradeTrap(trap, ["bounds", "mode"])).toEqual([{ ...NOTE, key: "--mode", line: 2 }]);
  expect(gradeTrap(trap, ["bounds"])).toEqual([NOTE]);
});

it("points at the first of several settings that the config writes", () => {
  const trap: Trap = { says: "bounds are ignored", setting: ["upper", "lower"] };
  expect(gradeTrap(trap, ["lower", "upper"])).toEqual([{ ...NOTE, key: "--upper", line: 2 }]);
  expect(gradeTrap(trap, ["lower"])).toEqual([{ ...NOTE, key: "--lower", line: 1 }]);
});

it("leaves a trap out that a rule reports", () => {
  expect(gradeTrap({ says: "bounds are ignored", severity: "drop", code: "no-effect" }, ["upper"])).toEqual(
    [],
  );
});

it("is a note where another config may set what it rests on, whatever its sentence names", () => {
  const trap: Trap = { says: "bounds are ignored", severity: "error", setting: ["upper", "lower"] };
  const severities = (...written: readonly string[]) =>
    gradeTrap(trap, written, { key: "defaults", line: 7 } as Entry).map(({ severity, why }) => [
      severity,
      why,
    ]);
  const unless = (setting: string) => [
    ["note", `unless defaults (line 7), which is not read, sets ${setting}`],
  ];
  expect(severities("upper", "lower")).toEqual([["error", undefined]]);
  expect(severities("upper")).toEqual(unless("lower"));
  expect(severities("lower")).toEqual(unless("upper"));
});
