// The Python package's own checks: format, lint, types, tests. Without Python or its tools they are skipped, and it is said.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./support/build-state.mjs";

const python = process.env.LOGRATIO_PYTHON || "python3";
const cwd = join(ROOT, "python");
const has = (module) => spawnSync(python, ["-c", `import ${module}`], { cwd }).status === 0;

const checks = [
  { needs: ["ruff"], args: ["-m", "ruff", "format", "--check", "."] },
  { needs: ["ruff"], args: ["-m", "ruff", "check", "."] },
  { needs: ["mypy", "numpy"], args: ["-m", "mypy", "logratio"] },
  { needs: ["pytest", "numpy"], args: ["-m", "pytest", "-q", "-rs"] },
];

let failed = false;
for (const { needs, args } of checks) {
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
