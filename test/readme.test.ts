/** README.md keeps its promises: its screen is what is printed, its commands exist, and it stays short. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
beforeAll(requireBuild);

test("the screen is what logratio prints", () => {
  const [, printed] = /^```\n(.*?\n)```$/ms.exec(readme) ?? [];
  const { out } = runCli(ROOT, ["report", "examples/demo", "--brief"], { env: { COLUMNS: "80" } });
  expect(printed).toBe(out);
});

test("every verb of the table is one, with the flags that it is given", () => {
  const commands = [...readme.matchAll(/`logratio ([a-z]+) ([^`]*)`/g)];
  expect(commands.length).toBeGreaterThan(15);
  for (const [line, verb = "", words = ""] of commands) {
    const { status, out } = runCli(ROOT, [verb, "--help"]);
    expect(status, line).toBe(0);
    expect(out, line).toContain(`Usage: logratio ${verb}`);
    for (const [flag] of words.matchAll(/(?<= |^)--[a-z-]+/g)) expect(out, line).toContain(`${flag} `);
  }
}, 120_000);

test("every script that it names is in package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(named).toContain("demo");
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test("it is read in four minutes", () => {
  const prose = readme.replaceAll(/^```\n.*?^```$/gms, "").replaceAll(/\]\([^)]*\)/g, "]");
  const words = prose.split(/\s+/).filter((word) => /\p{L}|\p{N}/u.test(word));
  expect(words.length).toBeGreaterThan(500);
  expect(words.length).toBeLessThanOrEqual(850);
});
