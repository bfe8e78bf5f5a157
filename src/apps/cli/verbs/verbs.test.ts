import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../program.ts";
import { OTHER_VERBS, VERB_GROUPS, VERBS } from "./index.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const program = buildProgram(async () => {});
const commandNamed = (name: string): Command => program.commands.find((each) => each.name() === name)!;

/** What the command prints for --help, with what is added after commander's own part. */
function readHelp(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

it("turns every verb into a command, and names none twice", () => {
  expect(program.commands.map((command) => command.name())).toEqual(VERBS.map(({ name }) => name));
  expect(new Set(VERBS.map(({ name }) => name)).size).toBe(VERBS.length);
});

it("gives a verb the same help where the others have no flags", () => {
  for (const verb of VERBS) {
    const alone = buildProgram(async () => {}, [verb]);
    const help = (of: Command): string => readHelp(of.commands.find((each) => each.name() === verb.name)!);
    expect(help(alone)).toBe(help(program));
    expect(alone.commands.filter(({ options }) => options.length > 0).length).toBeLessThan(2);
  }
});

it("prints the program's own help without giving any verb its flags", () => {
  const bare = buildProgram(async () => {}, []);
  expect(bare.commands.filter(({ options }) => options.length > 0)).toEqual([]);
  expect(readHelp(bare)).toBe(readHelp(program));
  for (const { name, addOptions } of VERBS)
    expect(commandNamed(name).options.length > 0).toBe(addOptions !== undefined);
});

it("has a file of data for each verb, and each in the list", () => {
  const others = ["index.ts", "verb.ts", "shared.ts"];
  const files = readdirSync(import.meta.dirname).filter(
    (name) => !others.includes(name) && !name.includes(".test."),
  );
  expect(files.sort()).toEqual(VERBS.map(({ name }) => `${name}.ts`).sort());
});

it("lists every verb by its job, on one screen of 80 columns and 24 rows with the prompt", () => {
  const help = readHelp(program);
  const lines = help.trimEnd().split("\n");
  expect(lines.length).toBeLessThan(24);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  for (const [job, [first, ...rest]] of VERB_GROUPS) {
    expect(help).toMatch(new RegExp(`^${job} +${first!.name} +${escapeRegExp(first!.summary)}$`, "m"));
    for (const { name, summary } of rest)
      expect(help).toMatch(new RegExp(`^ +${name} +${escapeRegExp(summary)}$`, "m"));
  }
  for (const { name, summary } of OTHER_VERBS) expect(help).toContain(`${name} (${summary})`);
});

it("has no Markdown in the help of any verb", () => {
  for (const command of program.commands) expect(readHelp(command)).not.toContain("`");
});

describe.each(VERBS.map((verb) => [verb.name, verb] as const))("%s", (name, verb) => {
  let documentation: string;
  beforeAll(() => {
    const docs = readdirSync(join(ROOT, "docs")).filter((file) => file.endsWith(".md"));
    documentation = ["README.md", "CONTRIBUTING.md", ...docs.map((file) => join("docs", file))]
      .map((path) => readFileSync(join(ROOT, path), "utf8"))
      .join("\n");
  });

  it("has help: a summary, what its arguments and flags mean, examples", () => {
    const command = commandNamed(name);
    const help = readHelp(command);
    expect(help).toContain(`Usage: logratio ${name}`);
    expect(help.replaceAll(/\s+/g, " ")).toContain(verb.description);
    for (const { meaning } of verb.arguments) expect(meaning).not.toBe("");
    for (const { flags, description } of command.options) expect([flags, description]).not.toContain("");
    for (const { line } of verb.examples) expect(help).toMatch(new RegExp(`${escapeRegExp(line)} +\\S`));
    expect(verb.examples.length).toBeGreaterThan(0);
  });

  it("shows in its examples only flags that it has", () => {
    const known = commandNamed(name).options.flatMap(({ long }) => long ?? []);
    for (const { line } of verb.examples) {
      const [, own = ""] = line.split(`logratio ${name}`);
      expect(line).toContain(`logratio ${name}`);
      for (const [flag] of own.matchAll(/(?<= )--[a-z0-9-]+/g)) expect(known).toContain(flag);
    }
  });

  it("is in the README or the documentation", () => {
    expect(documentation.includes(`logratio ${name}`)).toBe(true);
  });
});

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
