import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../program.ts";
import { VERBS } from "../verbs/index.ts";
import { writeCompletions } from "./index.ts";

const program = buildProgram(async () => {});
const NAMES = VERBS.map(({ name }) => name);
const flagsOf = (verb: string): string[] => [
  ...program.commands
    .find((command) => command.name() === verb)!
    .options.flatMap(({ short, long, hidden }) => (hidden ? [] : [short, long]))
    .filter((name) => name !== undefined),
  "-h",
  "--help",
];
const hasShell = (name: string): boolean => spawnSync(name, ["--version"]).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "completions-"));
  mkdirSync(join(folder, "dumps"));
  writeFileSync(join(folder, "rules.yaml"), "");
  for (const shell of ["bash", "zsh", "fish"])
    writeFileSync(join(folder, `script.${shell}`), writeCompletions(shell, program));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const warnWithout = (shell: string): boolean => {
  if (!hasShell(shell)) console.warn(`SKIPPED: completion in ${shell}: it is not installed`);
  return !hasShell(shell);
};

describe.skipIf(warnWithout("bash"))("bash completes", () => {
  /** What Tab proposes behind these words; bash proposes files itself where that is nothing. */
  function complete(...words: string[]): string[] {
    const script = `source script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _logratio; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync("bash", ["-u", "-c", script, "bash", "logratio", ...words], {
      cwd: folder,
      encoding: "utf8",
    });
    return out.split("\n").filter((line) => line !== "");
  }

  it("verbs, from their beginning", () => {
    expect(complete("").sort()).toEqual([...NAMES].sort());
    expect(complete("re")).toEqual(["report"]);
    expect(complete("co").sort()).toEqual(NAMES.filter((name) => name.startsWith("co")).sort());
    expect(complete("zz")).toEqual([]);
  });

  it.each(NAMES)("every flag of %s, and no other", (name) => {
    expect(complete(name, "-").sort()).toEqual(flagsOf(name).sort());
    expect(complete(name, "dumps/", "--js")).toEqual(flagsOf(name).filter((flag) => flag === "--json"));
  });

  it("behind a path what stands behind report", () => {
    expect(complete("du")).toEqual([]);
    expect(complete("dumps/", "--")).toEqual(complete("report", "dumps/", "--"));
    expect(complete("dumps/", "--html", "")).toEqual([]);
  });

  it("the program's own flags before a verb, and the verb behind them", () => {
    expect(complete("--")).toEqual(["--version", "--color", "--help"]);
    expect(complete("--color", "")).toEqual(["auto", "always", "never"]);
    expect(complete("--color", "never", "dem")).toEqual(["demo"]);
    expect(complete("--color", "=", "al")).toEqual(["always"]);
    expect(complete("--color", "=", "never", "demo", "--htm")).toEqual(["--html"]);
  });

  it("a flag's words where they are known, and leaves files to bash elsewhere", () => {
    expect(complete("show", "dumps/", "--metric", "k")).toEqual(["k3"]);
    expect(complete("show", "dumps/", "--metric", "=")).toContain("delta");
    expect(complete("completions", "")).toEqual(["bash", "zsh", "fish"]);
    for (const words of [
      ["report", ""],
      ["report", "du"],
      ["report", "x", "--html", ""],
      ["view", "x", "--correction", ""],
    ])
      expect(complete(...words)).toEqual([]);
  });

  it("files by themselves in a real session", () => {
    // What `complete` registered is what Tab asks: a completion of nothing falls back to files.
    const registered = execFileSync("bash", ["-c", "source script.bash; complete -p logratio"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(registered.trim()).toBe("complete -o default -F _logratio logratio");
  });
});

describe.skipIf(warnWithout("fish"))("fish completes", () => {
  const complete = (line: string): string[] =>
    execFileSync("fish", ["--no-config", "-c", `source script.fish; complete -C '${line}'`], {
      cwd: folder,
      encoding: "utf8",
    })
      .split("\n")
      .filter((shown) => shown !== "");
  const words = (line: string): string[] => complete(line).map((shown) => shown.split("\t")[0]!);

  it("verbs, each with what it does", () => {
    expect(words("logratio ").sort()).toEqual(expect.arrayContaining([...NAMES, "dumps/"]));
    expect(words("logratio dumps/ --htm")).toEqual(["--html"]);
    expect(complete("logratio repo")).toEqual([
      `report\t${VERBS.find(({ name }) => name === "report")!.summary}`,
    ]);
  });

  it.each(NAMES)("every flag of %s, and no other", (name) => {
    expect(words(`logratio ${name} --`).sort()).toEqual(
      flagsOf(name)
        .filter((flag) => flag.startsWith("--"))
        .sort(),
    );
  });

  it("words of flags, files as runs, and files of flags", () => {
    expect(words("logratio --color ").sort()).toEqual(["always", "auto", "never"]);
    expect(words("logratio show dumps --metric k")).toEqual(["k3"]);
    expect(words("logratio report du")).toEqual(["dumps/"]);
    expect(words("logratio view dumps --alerts ru")).toEqual(["rules.yaml"]);
    expect(words("logratio completions ").sort()).toEqual(["bash", "fish", "zsh"]);
  });
});

describe.skipIf(warnWithout("zsh"))("zsh completes", () => {
  /** What a zsh in a terminal of its own shows after Tab, as `_describe` and `_arguments` list it. */
  function complete(line: string): string {
    const script = `
      zmodload zsh/zpty; zpty z zsh -f -i
      zpty -w z 'cd ${folder}; PS1=; autoload -Uz compinit; compinit -u -d ${folder}/dump; source script.zsh'
      zpty -w z "zstyle ':completion:*' list-grouped false; bindkey '^I' list-choices; LISTMAX=10000; print READ''Y"
      zpty -r -m z out '*READY*'
      zpty -w -n z $'${line}\\t'; sleep 1; zpty -w -n z $'\\C-u'; zpty -w z 'print D''ONE'
      zpty -r -m z out '*DONE*'; print -r -- $out`;
    return execFileSync("zsh", ["-f", "-c", script], { encoding: "utf8", timeout: 30_000 });
  }

  it("verbs with what they do, flags of a verb, words of a flag, files", () => {
    expect(complete("logratio rep")).toMatch(/report\s+-- figures|report/);
    expect(complete("logratio view --corr")).toContain("--correction");
    expect(complete("logratio --color ")).toContain("always");
    expect(complete("logratio report ")).toContain("dumps");
  });
});

it("names no shell that it does not know", () => {
  const { choices } = VERBS.find(({ name }) => name === "completions")!.arguments[0]!;
  for (const shell of choices!)
    expect(writeCompletions(shell, program)).toContain(`logratio completions ${shell}`);
});
