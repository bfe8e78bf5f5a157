// Checks of the sources that run no tests: format, words, imports, types, and those of the Python package.
import { join } from "node:path";
import { ROOT } from "./build-state.mjs";
import { runCommand, runNode } from "./steps.mjs";
import { TOOLS } from "./tools.mjs";

const CACHE = join(ROOT, "node_modules/.cache/logratio");
const tool = (name, ...args) => runNode([TOOLS[name](), ...args]);

/** Runs a script of scripts/. */
export const runScript = (name, ...args) => runNode([join(ROOT, `scripts/${name}.mjs`), ...args]);

function checkTypes(project, name) {
  const memory = join(CACHE, `${name}.tsbuildinfo`);
  return tool("tsc", "-p", project, "--noEmit", "--incremental", "--tsBuildInfoFile", memory);
}

/** Checks format and lint of these files, by default of all. */
export const checkFormat = (files = ["."]) =>
  tool("biome", "ci", "--colors=off", "--diagnostic-level=error", "--no-errors-on-unmatched", ...files);

/** The longest first, since two run at a time on two processors. */
export const SOURCE_CHECKS = [
  ["types", () => checkTypes("tsconfig.json", "types")],
  ["types of the page", () => checkTypes("web/tsconfig.json", "types-of-the-page")],
  [
    "import rules",
    () =>
      tool(
        "depcruise",
        "--config",
        ".dependency-cruiser.cjs",
        "--cache",
        join(CACHE, "imports"),
        "--cache-strategy",
        "content",
        ...["src", "web", "bench", "test", "scripts"],
      ),
  ],
  ["format and lint", () => checkFormat()],
  ["words", () => runScript("check-words")],
  ["typed results of the Python package", () => runScript("python-results", "--check")],
];

const PYTHON = join(ROOT, "python");
const LAB = join(ROOT, "lab");
const SITE = join(ROOT, "site");
const SENTINEL = join(ROOT, "sentinel");
const RULES = ["--config", join(PYTHON, "pyproject.toml")];

/** The same for Python: the package, the laboratory, the site and the sentinel; `prepare` resolves with the one to use. */
export function pythonChecks(prepare) {
  const check =
    (cwd, ...args) =>
    async () => {
      const { python, skipped } = await prepare();
      return skipped === undefined ? runCommand([python, "-m", ...args], { cwd }) : { skipped };
    };
  return [
    ["types of the Python package", check(PYTHON, "mypy", "logratio")],
    ["lint of the Python package", check(PYTHON, "ruff", "check", ".")],
    ["format of the Python package", check(PYTHON, "ruff", "format", "--check", ".")],
    ["lint of the laboratory", check(LAB, "ruff", "check", ...RULES, ".")],
    ["format of the laboratory", check(LAB, "ruff", "format", "--check", ...RULES, ".")],
    ["lint of the site", check(SITE, "ruff", "check", ...RULES, ".")],
    ["format of the site", check(SITE, "ruff", "format", "--check", ...RULES, ".")],
    [
      "types of the sentinel",
      check(SENTINEL, "mypy", "--config-file", join(PYTHON, "pyproject.toml"), "sentinel"),
    ],
    ["lint of the sentinel", check(SENTINEL, "ruff", "check", ...RULES, ".")],
    ["format of the sentinel", check(SENTINEL, "ruff", "format", "--check", ...RULES, ".")],
  ];
}
