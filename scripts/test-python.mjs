// The checks of the Python package (format, lint, types, tests) and of the fault laboratory. Without Python or its tools
// they are skipped, and it is said.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./support/build-state.mjs";

const python = process.env.LOGRATIO_PYTHON || "python3";
const home = join(ROOT, "python");
const lab = join(ROOT, "lab");
const RULES = join(home, "pyproject.toml");
const has = (module) => spawnSync(python, ["-c", `import ${module}`], { cwd: home }).status === 0;

const checks = [
  { needs: ["ruff"], args: ["-m", "ruff", "format", "--check", "."] },
  { needs: ["ruff"], args: ["-m", "ruff", "check", "."] },
  { needs: ["mypy", "numpy"], args: ["-m", "mypy", "logratio"] },
  { needs: ["pytest", "numpy"], args: ["-m", "pytest", "-q", "-rs"] },
  { cwd: lab, needs: ["ruff"], args: ["-m", "ruff", "format", "--check", "--config", RULES, "."] },
  { cwd: lab, needs: ["ruff"], args: ["-m", "ruff", "check", "--config", RULES, "."] },
  {
    cwd: lab,
    needs: ["pytest", "torch", "tokenizers", "safetensors"],
    args: ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"],
  },
];

let failed = false;
for (const { cwd = home, needs, args } of checks) {
  const missing = needs.filter((module) => !has(module));
  if (missing.length > 0) {
    console.log(
      `SKIPPED: ${python} ${args.join(" ")}: ${missing.join(" and ")} not installed (LOGRATIO_PYTHON)`,
    );
    continue;
  }
  const { status } = spawnSync(python, args, { cwd, stdio: "inherit" });
  if (status !== 0) failed = true;
}
process.exit(failed ? 1 : 0);
