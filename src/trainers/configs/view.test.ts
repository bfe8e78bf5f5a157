import { describe, expect, it } from "vitest";
import type { LintFinding } from "../../results/lint.ts";
import { PRESETS } from "../presets.ts";
import type { ConfigDocument, Entry } from "../shared/config-entry.ts";
import type { Dialect } from "../shared/dialect.ts";
import { DIALECTS } from "./dialects.ts";
import { fileFindings } from "./file-findings.ts";
import { demoteInherited, inheritsFrom, isInclude } from "./inherits.ts";
import { lintConfig } from "./lint.ts";
import { scoreDialect } from "./recognise.ts";
import { findSetting, makeView, settingPaths } from "./view.ts";

const entry = (dotted: string, value: Entry["value"] = 1, line = 1): Entry => ({
  path: dotted.split("."),
  key: dotted,
  value,
  text: value === true ? "" : String(value),
  quoted: false,
  line,
});
const documentOf = (entries: readonly Entry[], callee?: string): ConfigDocument => ({
  format: "yaml",
  name: "",
  line: 1,
  entries,
  ...(callee !== undefined && { callee }),
});

describe("where a setting may stand", () => {
  const dialect = {
    sections: ["", "algorithm.loss", "actor"],
    callees: ["LossConfig"],
  } as unknown as Dialect;

  it("is below each section, or alone", () => {
    expect(settingPaths(dialect, "clip-high")).toEqual([
      ["clip_high"],
      ["algorithm", "loss", "clip_high"],
      ["actor", "clip_high"],
    ]);
    // A name that begins with its section is not written twice.
    expect(settingPaths(dialect, "actor.clip")).toEqual([
      ["actor", "clip"],
      ["algorithm", "loss", "actor", "clip"],
      ["actor", "clip"],
    ]);
  });

  it("is its whole name or its last part in a call of the trainer's class", () => {
    const found = (key: string, callee?: string) =>
      findSetting(documentOf([entry(key)], callee), dialect, "loss.clip")?.key;
    expect([found("clip", "LossConfig"), found("loss.clip", "LossConfig")]).toEqual(["clip", "loss.clip"]);
    expect([found("other", "LossConfig"), found("clip"), found("clip", "Other")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is that of the last of equal keys", () => {
    const entries = [entry("actor.clip", 1, 1), entry("x.actor.clip", 2, 2), entry("actor.clip.low", 3, 3)];
    expect(findSetting(documentOf(entries), dialect, "clip")?.line).toBe(2);
    const view = makeView(documentOf(entries), "");
    expect(view.get("actor.clip")?.line).toBe(2);
    expect(view.below("actor").map(({ rest }) => rest)).toEqual([["clip"], ["clip"], ["clip", "low"]]);
    expect(view.below("actor.clip").map(({ rest }) => rest)).toEqual([["low"]]);
    expect(view.below("none")).toEqual([]);
  });
});

describe("a config that rests on another", () => {
  it.each([
    ["defaults", true],
    ["defaults.0", true],
    ["defaults.0.override", true],
    ["defaults.a.b.c", false],
    ["x.defaults", false],
    ["config", true],
    ["config_name", true],
    ["config_file", true],
    ["config_path", true],
    ["config_files", false],
    ["x.config", false],
  ])("says so by %s: %j", (key, inherits) => {
    expect(inheritsFrom(documentOf([entry("a"), entry(key)]))?.key).toBe(inherits ? key : undefined);
  });

  it("is named by its file, or by the flag alone", () => {
    const say = (one: Entry) =>
      fileFindings([one].filter(isInclude), []).map(({ message, line }) => [message, line]);
    expect(say(entry("defaults", "base.yaml", 4))).toEqual([
      ["values also come from base.yaml, which is not read", 4],
    ]);
    expect(say(entry("config", true))).toEqual([["values also come from config, which is not read", 1]]);
    expect(say(entry("other"))).toEqual([]);
  });

  it("may have what is missing here: such a finding is a note, any other stays what it is", () => {
    const finding = (message: string, key?: string): LintFinding => ({
      severity: "error",
      code: "x",
      message,
      ...(key !== undefined && { key }),
    });
    const found = new Map([["cap", entry("cap")]]);
    const demote = (one: LintFinding) =>
      demoteInherited([one], ["cap", "level"], found, entry("defaults", "b", 2))[0]!;
    expect(demote(finding("cap needs level"))).toMatchObject({
      severity: "note",
      why: "unless defaults (line 2), which is not read, sets level",
    });
    for (const kept of [finding("cap is too small"), finding("no level of that name", "a.level")])
      expect(demote(kept)).toBe(kept);
    const note = { ...finding("cap needs level"), severity: "note" as const };
    expect(demote(note)).toBe(note);
  });
});

describe("what speaks for a trainer", () => {
  it("is a call, worth less where several trainers have the class", () => {
    const dialect = DIALECTS.find(({ name }) => name === "xtuner")!;
    const [callee] = dialect.callees as [string];
    const view = makeView(documentOf([], callee), "");
    const rivals = [dialect, { ...dialect, name: "other" }];
    expect(scoreDialect(view, dialect, PRESETS, [dialect]).score).toBe(10);
    expect(scoreDialect(view, dialect, PRESETS, rivals).score).toBe(5);
    expect(scoreDialect(makeView(documentOf([]), ""), dialect, PRESETS, rivals).score).toBe(0);
  });

  it("is of no use without the trainer's preset", () => {
    expect(() => lintConfig("RolloutImportanceSampling(a=1)", { file: "a.py", presets: [] })).toThrow(
      "there is no preset",
    );
  });
});

describe("a value that the trainer cannot use", () => {
  const lint = (text: string, file: string) => lintConfig(text, { file, presets: PRESETS }).configs[0]!;

  it("is refused, and nothing is said to be done", () => {
    const { findings, does, correction } = lint("RolloutImportanceSampling(rollout_is_threshold=5)", "a.py");
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "error",
        code: "refused",
        line: 1,
        message: expect.stringContaining("rollout_is_threshold is two numbers") as string,
      }),
    );
    expect([does, correction]).toEqual([[], null]);
  });

  it("is refused as text where it is a number, in the words of the file", () => {
    const text = "algorithm:\n  rollout_correction:\n    rollout_is: 1.50\n    rollout_is_threshold: 2\n";
    const { settings } = lint(text, "a.yaml");
    expect(settings.find(({ name }) => name === "rollout_is")?.value).toBe("1.50");
  });

  it.each([
    ["", true],
    [" yes", true],
    [" ON", true],
    [" 1", true],
    [" no", false],
    [" Off", false],
    [" 0", false],
    [" true", true],
    [" false", false],
    // The next word of the command line is not the flag's.
    [" piano", true],
    [" nobody", true],
    [" 10", true],
    [" off.py", true],
  ])("of a flag: --use-tis%s is %j", (word, value) => {
    const { settings } = lint(`p slime/train.py --use-tis${word}\n`, "a.sh");
    expect(settings.find(({ name }) => name === "use_tis")?.value).toBe(value);
  });
});
