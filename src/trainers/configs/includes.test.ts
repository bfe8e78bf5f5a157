import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import type { LintedConfig, LintReport } from "../../results/lint.ts";
import { PRESETS } from "../presets.ts";
import { lintConfig } from "./lint.ts";

function lint(files: Readonly<Record<string, string>>, main = "/run/configs/child.yaml"): LintReport {
  return lintConfig(files[main]!, { file: main, presets: PRESETS, read: (file) => files[file] });
}

const only = ({ configs }: LintReport): LintedConfig => {
  expect(configs).toHaveLength(1);
  return configs[0]!;
};

const BASE = `loss_fn:
  use_importance_sampling_correction: true
  truncated_importance_sampling_type: tis
  truncated_importance_sampling_ratio: 5
`;

describe("a config that includes others", () => {
  it("is judged with them, its own values last, and their lines are told with their file", () => {
    const report = lint({
      "/run/configs/child.yaml":
        "defaults: ../base.yaml\nloss_fn:\n  truncated_importance_sampling_ratio: 2\n",
      "/run/base.yaml": BASE,
    });
    const config = only(report);
    expect(report.findings).toEqual([]);
    expect(config.does.at(-1)).toContain("truncated below at 0 and above at 2");
    expect(config.settings.slice(0, 3).map(({ name, line, file }) => [name, line, file])).toEqual([
      ["use_importance_sampling_correction", 2, "../base.yaml"],
      ["truncated_importance_sampling_type", 3, "../base.yaml"],
      ["truncated_importance_sampling_ratio", 3, undefined],
    ]);
    expect(config.findings.map(({ code }) => code)).not.toContain("set-twice");
  });

  it("may have nothing but its defaults, in a chain", () => {
    const report = lint({
      "/run/configs/child.yaml": "defaults: middle.yaml\n",
      "/run/configs/middle.yaml": "defaults: ../base.yaml\n",
      "/run/base.yaml": BASE,
    });
    expect(only(report).does.at(-1)).toContain("above at 5");
  });

  it("takes hydra's groups and packages; after _self_ they count, before it they do not", () => {
    const group = "rollout_is: token\nrollout_is_threshold: 2.0\n";
    const files = (defaults: string): Record<string, string> => ({
      "/run/configs/child.yaml": `defaults:\n${defaults}algorithm:\n  rollout_correction:\n    rollout_is_threshold: 4.0\n`,
      "/run/configs/algorithm/rollout_correction.yaml": group,
    });
    const entry = "  - algorithm@algorithm.rollout_correction: rollout_correction\n";
    expect(only(lint(files(`${entry}  - _self_\n`))).does[0]).toContain("above at 4");
    expect(only(lint(files(`  - _self_\n${entry}`))).does[0]).toContain("above at 2");
  });

  it("says what is missing, and what is below it is a note", () => {
    const text = "defaults: base.yaml\nloss_fn:\n  truncated_importance_sampling_ratio: 2\n";
    const report = lint({ "/run/configs/child.yaml": text });
    expect(report.findings).toMatchObject([
      { code: "inherits", line: 1, message: "values also come from base.yaml, which is not read" },
    ]);
    expect(report.errors).toBe(0);
    expect(lint({ "/run/configs/child.yaml": text, "/run/configs/base.yaml": "loss_fn: {}\n" }).errors).toBe(
      1,
    );
  });

  it("is refused with what is missing where nothing else is there", () => {
    try {
      lint({ "/run/configs/child.yaml": "defaults: base.yaml\nlr: 1\n" });
      expect.unreachable();
    } catch (error) {
      expect(isLogratioError(error) && error.likely).toBe(
        "it includes base.yaml (line 1), which is not beside it",
      );
    }
  });

  it("that includes itself, or what does not parse, ends", () => {
    const own = "defaults: child.yaml\nloss_fn:\n  use_importance_sampling_correction: true\n";
    expect(only(lint({ "/run/configs/child.yaml": own })).trainer).toBe("nemo-rl");
    const broken = {
      "/run/configs/child.yaml": `${own.replace("child", "base")}`,
      "/run/configs/base.yaml": "a: [",
    };
    expect(lint(broken).findings.map(({ code }) => code)).toEqual(["inherits"]);
  });
});
