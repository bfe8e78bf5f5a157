import { describe, expect, it } from "vitest";
import { implyVerb } from "./implied-verb.ts";

const VERBS = ["report", "demo", "help"];
const FILES = new Set(["dumps", "demo"]);
const imply = (...argv: string[]) => implyVerb(argv, VERBS, (name) => FILES.has(name));

describe("a command line without a verb", () => {
  it.each([
    ["dumps"],
    ["no/such/folder"],
    ["run.npz"],
    ["-"],
    ["step_*"],
    ["s3://bucket/run"],
    ["C:\\runs\\7"],
    ["~/runs"],
    ["."],
  ])("is a report of %s", (path) => {
    expect(imply(path, "--json").argv).toEqual(["report", path, "--json"]);
  });

  it("keeps the program's flags where they stand", () => {
    expect(imply("--color", "never", "dumps").argv).toEqual(["--color", "never", "report", "dumps"]);
    expect(imply("--color=always", "dumps").argv).toEqual(["--color=always", "report", "dumps"]);
    expect(imply("--no-color", "dumps", "x").argv).toEqual(["--no-color", "report", "dumps", "x"]);
  });
});

describe("a command line as it stands", () => {
  it.each([
    [["repotr"]],
    [["repotr", "dumps"]],
    [["report", "dumps"]],
    [["help", "report"]],
    [["--help"]],
    [["--json", "dumps"]],
    [["--color", "dumps"]],
    [[]],
  ])("%j", (argv) => {
    expect(imply(...argv)).toEqual({ argv });
  });

  it("has a note where a file has the name of its verb", () => {
    expect(imply("demo", "--json")).toEqual({
      argv: ["demo", "--json"],
      note: "demo is taken as the verb; the file of that name is ./demo",
    });
    expect(imply("./demo")).toEqual({ argv: ["report", "./demo"] });
  });
});
