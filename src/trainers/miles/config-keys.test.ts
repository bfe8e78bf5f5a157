import { expect, it } from "vitest";
import { lintTold } from "../configs/table.test-data.ts";

const OLD = "miles.backends.training_utils.loss";
const NEW = "miles.backends.training_utils.loss_hub.corrections";

function refused(module: string, version?: string, name = "icepop_function"): (string | undefined)[] {
  const text = `python train.py --use-miles-router --use-tis --tis-clip 5 --custom-tis-function-path ${module}.${name}\n`;
  return lintTold(text, "miles", "a.sh", version)
    .findings.filter(({ code }) => code === "refused")
    .map(({ instead }) => instead);
}

it("miles' functions moved after the release that is on PyPI", () => {
  expect(refused(NEW, "0.0.2")).toEqual([`--custom-tis-function-path ${OLD}.icepop_function`]);
  expect(refused(OLD)).toEqual([`--custom-tis-function-path ${NEW}.icepop_function`]);
  expect(refused(OLD, "2026-08-21", "vanilla_tis_function")).toEqual([
    `--custom-tis-function-path ${NEW}.vanilla_tis_function`,
  ]);
  for (const [module, version] of [
    [OLD, "0.0.2"],
    [NEW, "2026-08-21"],
    [NEW, undefined],
    ["my.own", undefined],
  ] as const)
    expect(refused(module, version)).toEqual([]);
});

it("an earlier path is an error only where the release is known", () => {
  const severity = (version?: string) =>
    lintTold(
      `python train.py --use-miles-router --use-tis --tis-clip 5 --custom-tis-function-path ${OLD}.icepop_function\n`,
      "miles",
      "a.sh",
      version,
    ).findings.find(({ code }) => code === "refused")?.severity;
  expect([severity(), severity("2026-08-21"), severity("0.0.2")]).toEqual(["warning", "error", undefined]);
});
