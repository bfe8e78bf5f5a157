import { expect, it } from "vitest";
import type { DoctorCause } from "../../results/diagnosis.ts";
import { CAUSES } from "./causes/catalog.ts";
import { EXPERIMENTS } from "./experiment-list.ts";
import { fillPaths } from "./fill-paths.ts";

/** Of these files, with every fix of the catalog. */
function fixesOf(...files: string[]): string[] {
  const causes = [...CAUSES.values()].map(({ id, fix }) => ({ id, fix }) as unknown as DoctorCause);
  const sources = files.map((file) => ({ file }));
  return fillPaths({ causes }, sources).causes.flatMap(({ fix }) => fix.map(({ line }) => line));
}

it("names the run in the commands of fixes, quoted, and changes nothing else", () => {
  const lines = fixesOf("my runs/a.npz", "my runs/b.npz");
  expect(lines).toContain("logratio report 'my runs' --align auto");
  expect(fixesOf("a.npz")).toContain("logratio report a.npz --align auto");
  expect(lines.filter((line) => /^logratio .*\bPATH\b/.test(line))).toEqual([]);
  const catalog = [...CAUSES.values()].flatMap(({ fix }) => fix.map(({ line }) => line));
  expect(lines.filter((line, at) => line !== catalog[at])).toHaveLength(1);
});

it("no experiment names a run as if it were there", () => {
  const steps = EXPERIMENTS.flatMap((experiment) => experiment.steps);
  expect(steps.filter((step) => /\bPATH\b/.test(step))).toEqual([]);
});
