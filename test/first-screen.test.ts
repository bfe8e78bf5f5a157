/** What is on a real terminal (a pseudo-terminal from Python) after `report` and `demo`. */
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { countColumns } from "./support/count-columns.ts";
import { DEMO, ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const PTY = `
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
out = b""
while True:
    try:
        read = os.read(terminal, 65536)
    except OSError:
        break
    if not read:
        break
    out += read
sys.stdout.buffer.write(out)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
const hasPty =
  spawnSync("python3", ["-c", "import os, pty, fcntl, termios; os.waitstatus_to_exitcode"]).status === 0;
if (!hasPty)
  console.warn("skipped: no python3 with the module pty (3.9 or later), so no terminal to print on");

beforeAll(requireBuild);

/** Standard output alone on a terminal of 24 rows and 80 columns, as lines. */
function onTerminal(...args: readonly string[]): {
  readonly status: number | null;
  readonly lines: string[];
} {
  // Progress overwrites itself on standard error, and is gone when the report is printed.
  const command = `cd '${ROOT}' && exec '${process.execPath}' bin/logratio.js ${args.join(" ")} 2>/dev/null`;
  const { status, stdout } = spawnSync("python3", ["-c", PTY, "sh", "-c", command], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", TERM: "xterm", LC_ALL: "C.UTF-8", COLUMNS: "" },
  });
  return { status, lines: stdout.trimEnd().split(/\r*\n/) };
}

describe.skipIf(!hasPty)("on a terminal of 24 rows and 80 columns", () => {
  it.each([
    ["report", ["report", "examples/demo"], /^the rest {3}logratio report examples\/demo --full$/],
    ["demo", ["demo"], /^the rest {3}logratio demo --full$/],
  ])("%s is one screen with the verdict, and its last line says how to see the rest", (_, args, rest) => {
    const { status, lines } = onTerminal(...args);
    expect(status).toBe(0);
    // The prompt takes the last row.
    expect(lines.length).toBeLessThanOrEqual(23);
    for (const line of lines) expect(countColumns(line), line).toBeLessThanOrEqual(80);
    expect(lines.slice(0, 5).join("\n")).toContain("△ ELEVATED");
    const text = lines.join("\n");
    expect(text).toContain("in 7 of the 8 answers to “… x - 86 = 24. What is x?”:");
    expect(text).toContain("78 % of the KL has advantage 0: no gradient.");
    expect(text).toContain("different weights on the two sides (59 %)");
    // Without the reasons, which would need more rows than there are.
    expect(text).toMatch(
      /\n {2}next +logratio doctor examples\/demo\n {2}meanwhile +logratio sweep examples\/demo\n/,
    );
    expect(lines.at(-1)).toMatch(rest);
  });

  it("--full prints everything there, and --brief does not say what it leaves", () => {
    const { lines } = onTerminal("report", "examples/demo", "--full");
    expect(lines.length).toBeGreaterThan(100);
    expect(lines).toContain("By token id  hidden columns: k3, mean Δ (wider terminal, or --json)");
    expect(onTerminal("report", "examples/demo", "--brief").lines.join("\n")).not.toContain("--full");
  });
});

describe("where no terminal is", () => {
  it("everything is printed", () => {
    const { out } = runCli(ROOT, ["report", DEMO]);
    expect(out).toContain("\nBy step");
    expect(out).not.toContain("--full");
    expect(runCli(ROOT, ["report", DEMO, "--full"]).out).toBe(out);
    const markdown = runCli(ROOT, ["report", DEMO, "--markdown"]).out;
    expect(markdown).toContain("### Rollout/trainer mismatch");
    expect(markdown).not.toContain("--full");
  });

  it("--brief and --full together are refused", () => {
    const { status, err } = runCli(ROOT, ["report", DEMO, "--brief", "--full"]);
    expect(status).toBe(2);
    expect(err).toContain("--brief and --full cannot be combined");
  });
});
