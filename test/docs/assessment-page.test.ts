/** docs/assessment.md must name every field of the answer, and the versions of everything that contains it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { CONDITION_LEVELS } from "../../src/analyses/conditions/condition.ts";
import { DOCTOR_SCHEMA_VERSION } from "../../src/results/doctor.ts";
import { GATE_SCHEMA_VERSION } from "../../src/results/gate.ts";
import { REPORT_SCHEMA_VERSION } from "../../src/results/report.ts";
import { SWEEP_SCHEMA_VERSION } from "../../src/results/sweep.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(ROOT, "docs/assessment.md"), "utf8");

function readSection(heading: string): string {
  const [, section] = new RegExp(`^#+ ${heading}\n(.*?)(?=^#|$(?![^]))`, "ms").exec(page) ?? [];
  return section ?? "";
}

/** The names in code in the first column of the section's table. */
function listNamed(heading: string): string[] {
  const cells = [...readSection(heading).matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell]) => cell!);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
}

/** The members of an interface, as declared in its source. */
function listMembers(name: string, file: string): string[] {
  const source = readFileSync(join(ROOT, "src/results", file), "utf8");
  const [, body = ""] = new RegExp(`^export interface ${name} {\n(.*?)^}`, "ms").exec(source) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member]) => member!);
}

it.each([
  ["Fields", "Assessment", "assessment.ts"],
  ["Not finite", "NonFinite", "finite.ts"],
  ["Causes", "CauseGroup", "assessment.ts"],
  ["Events", "MistakeEvent", "events.ts"],
])("the table of %s has the members of %s", (heading, name, file) => {
  const members = listMembers(name, file);
  expect(members.length).toBeGreaterThan(5);
  expect(listNamed(heading).sort()).toEqual(members.sort());
});

it.each([
  ["Fields", "Comparable", "assessment.ts"],
  ["Fields", "When", "assessment.ts"],
  ["Fields", "Reach", "assessment.ts"],
  ["Fields", "StandingPart", "assessment.ts"],
  ["Fields", "NextExperiment", "diagnosis.ts"],
  ["Fields", "UntestedQuestion", "diagnosis.ts"],
  ["Not finite", "Finite", "finite.ts"],
  ["Events", "MistakeEvents", "events.ts"],
  ["Beside", "BesideFinding", "beside.ts"],
])("the section %s names every member of %s", (heading, name, file) => {
  const section = readSection(heading);
  const members = listMembers(name, file);
  expect(members.length).toBeGreaterThan(2);
  expect(
    members.filter((member) => !section.includes(`\`${member}\``) && !section.includes(`.${member}`)),
  ).toEqual([]);
});

it("levels stand in the order in which conditions compare them", () => {
  expect(listNamed("Level")).toEqual([...CONDITION_LEVELS, "too_few"]);
});

it.each([
  ["report", REPORT_SCHEMA_VERSION],
  ["doctor", DOCTOR_SCHEMA_VERSION],
  ["sweep", SWEEP_SCHEMA_VERSION],
  ["gate", GATE_SCHEMA_VERSION],
])("the version of %s is the one that it has", (verb, version) => {
  expect(readSection("What changed")).toContain(`| \`${verb}\` | ${version - 1} → ${version} |`);
});
