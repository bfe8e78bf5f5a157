import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { lacks } from "../../../test/support/platform.ts";
import { quoteForShell, shellCommand } from "./shell-command.ts";

const noShell = lacks("shell", "commands as a shell takes them");

/** What a shell makes of a command. */
function words(command: string, shell = "sh"): string[] {
  const script = `logratio() { printf '%s\\0' "$@"; }; ${command}`;
  return execFileSync(shell, ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

describe.skipIf(noShell)("shellCommand", () => {
  it("quotes what a shell would take apart", () => {
    const odd = ["a b", "$(x)", "'", "`y`", "*", "!!", "\\", "läufe", ""];
    expect(words(shellCommand("report", odd, ["--filter", "abs>0.5"]))).toEqual([
      "report",
      ...odd,
      "--filter",
      "abs>0.5",
    ]);
  });

  it("names a path that begins as a flag from where it lies; standard input stays -", () => {
    expect(words(shellCommand("report", ["-x", "--json", "-", "a-b"], ["--mask", "-m"]))).toEqual([
      "report",
      "./-x",
      "./--json",
      "-",
      "a-b",
      "--mask",
      "-m",
    ]);
  });

  it("keeps a path with control characters on one line, and whole", () => {
    const odd = ["a\nb", "end\n", "it's\t\\n ä\n", "\u001b[31m", "\u0085"];
    const command = shellCommand("show", odd);
    expect(command).toMatch(/^[\x20-\x7e]+$/);
    expect(words(command, "bash")).toEqual(["show", ...odd]);
    expect(quoteForShell("a\nb")).toBe("$'a\\012b'");
  });

  it("leaves plain words bare, and quotes no character that needs none", () => {
    expect(quoteForShell("--mask=a/b-1.2:x,y@z%+_")).toBe("--mask=a/b-1.2:x,y@z%+_");
    expect(quoteForShell("a b")).toBe("'a b'");
    // Beside a control character a space and a tilde stand for themselves; DEL and C1 do not.
    expect(quoteForShell("\n ~")).toBe("$'\\012 ~'");
    expect(quoteForShell("\u007f")).toBe("$'\\177'");
    expect(quoteForShell("\u009f")).toBe("$'\\302\\237'");
    expect(quoteForShell("\u00a0")).toBe("'\u00a0'");
  });
});
