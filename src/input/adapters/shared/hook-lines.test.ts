import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hookLines } from "./hook-lines.ts";

const PYTHON_FOLDER = fileURLToPath(new URL("../../../../python", import.meta.url));
const catalog = JSON.parse(readFileSync(join(PYTHON_FOLDER, "logratio/hooks/catalog.json"), "utf8"));

describe("the lines that make a trainer write both sides", () => {
  it("name the folder that holds the package, where they go, and what they need", () => {
    expect(hookLines("TRL").join("\n")).toBe(
      [
        "Python, before trainer.train():",
        `    import sys; sys.path.insert(0, "${PYTHON_FOLDER}")  # or: pip install logratio`,
        "    import logratio.trl",
        "    trainer.add_callback(logratio.trl.Callback(trainer))",
        "it needs GRPOConfig(use_vllm=True), or a rollout_func that returns logprobs",
      ].join("\n"),
    );
    expect(hookLines("verl").join("\n")).toContain(`    export PYTHONPATH="${PYTHON_FOLDER}:$PYTHONPATH"`);
    expect(existsSync(join(PYTHON_FOLDER, "logratio/__init__.py"))).toBe(true);
    const { files } = JSON.parse(readFileSync(join(PYTHON_FOLDER, "../package.json"), "utf8"));
    expect(files).toContain("python/logratio");
  });

  it("are those of the package's own catalog, for each trainer that it knows", () => {
    for (const { name, lines, plugin } of catalog.trainers) {
      const printed = hookLines(name).join("\n");
      for (const line of lines) {
        const own = line.replace("{plugin}", join(PYTHON_FOLDER, "logratio/hooks/plugins", plugin ?? ""));
        expect(printed).toContain(`    ${own}`);
      }
      expect(printed).not.toContain("{plugin}");
    }
    expect(hookLines("NeMo-RL").join("\n")).not.toContain("PYTHONPATH");
  });

  it("record with nothing but numpy, for a trainer that nobody knows", () => {
    const lines = hookLines("another trainer").slice(1).join("\n");
    for (const name of ["logratio.init", "run.log", "rollout_log_probs", "run.finish"])
      expect(lines).toContain(name);
    const python = process.env.LOGRATIO_PYTHON ?? "python3";
    const code = [
      "import ast, sys, textwrap",
      "tree = ast.parse(textwrap.dedent(sys.argv[1]))",
      "print(sorted({n.func.attr for n in ast.walk(tree) if isinstance(n, ast.Call)}))",
    ].join("\n");
    const run = spawnSync(python, ["-c", code, lines], { encoding: "utf8" });
    if (run.error !== undefined) return console.warn("SKIPPED: no Python to parse the printed lines");
    expect([run.stderr, run.stdout.trim()]).toEqual(["", "['finish', 'init', 'insert', 'log']"]);
  });
});
