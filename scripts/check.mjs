// npm run check: what can be said about a change in under a minute, all steps at once, a line for each as it ends. What
// a step that failed has to say stands below the lines, so that it is what you see. Not a replacement for `npm test`.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";
import { ROOT } from "./support/build-state.mjs";
import { TOOLS } from "./support/tools.mjs";

const CACHE = join(ROOT, "node_modules/.cache/logratio");
/** Test files that a change of everything's foundation may start; beyond that only those beside the change. */
const MOST_TEST_FILES = 25;

/** Runs a tool of node_modules, and resolves with its status and all that it said. */
function runTool(name, args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [TOOLS[name](), ...args], {
      cwd: ROOT,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (said += text));
    child.on("close", (status) => resolve({ ok: status === 0, said }));
  });
}

const git = (...args) => spawnSync("git", args, { cwd: ROOT, encoding: "utf8" }).stdout.trim();

/** Where this branch left the main one; on the main branch itself, its last commit. `npm run check -- REF` names another. */
function findBase() {
  if (process.argv[2] !== undefined) return process.argv[2];
  for (const main of ["origin/main", "main"]) {
    const base = git("merge-base", "HEAD", main);
    if (base !== "" && base !== git("rev-parse", "HEAD")) return base;
  }
  return "HEAD";
}

function checkTypes(project, name) {
  const memory = join(CACHE, `${name}.tsbuildinfo`);
  return runTool("tsc", ["-p", project, "--noEmit", "--incremental", "--tsBuildInfoFile", memory]);
}

/** Unit tests of what was changed: all that import it, or the ones beside it where that would be most of them. */
async function checkTests() {
  const base = findBase();
  const list = join(CACHE, `tests-${process.pid}.json`);
  const listed = await runTool("vitest", [
    "list",
    "--project=unit",
    "--project=unit-alone",
    "--filesOnly",
    "--changed",
    base,
    `--json=${list}`,
  ]);
  if (!listed.ok) return listed;
  const related = JSON.parse(readFileSync(list, "utf8")).map(({ file }) =>
    relative(ROOT, file).replaceAll("\\", "/"),
  );
  rmSync(list);
  const changed = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")];
  const folders = new Set(changed.join("\n").split("\n").map(dirname));
  const beside = related.filter((file) => folders.has(dirname(file)));
  const isCut = related.length > MOST_TEST_FILES;
  const files = isCut ? beside.slice(0, MOST_TEST_FILES) : related;
  const note = isCut
    ? `${files.length} test files of the ${related.length} that the change reaches`
    : `${files.length} test files`;
  if (files.length === 0) return { ok: true, note };
  return {
    ...(await runTool("vitest", [
      "run",
      "--project=unit",
      "--project=unit-alone",
      "--reporter=dot",
      ...files,
    ])),
    note,
  };
}

// The longest first: two at a time on two processors.
const steps = [
  ["types", () => checkTypes("tsconfig.json", "types")],
  ["changed tests", checkTests],
  ["types of the page", () => checkTypes("web/tsconfig.json", "types-of-the-page")],
  [
    "import rules",
    () =>
      runTool("depcruise", ["--config", ".dependency-cruiser.cjs", "src", "web", "bench", "test", "scripts"]),
  ],
  ["format and lint", () => runTool("biome", ["ci", ".", "--colors=off", "--diagnostic-level=error"])],
];

await mkdir(CACHE, { recursive: true });
const failures = [];
const waiting = [...steps];
async function work() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const [name, run] = step;
    const start = Date.now();
    const { ok, said, note } = await run();
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    console.log(`${ok ? "ok  " : "FAIL"} ${name} (${seconds} s${note === undefined ? "" : `, ${note}`})`);
    if (!ok) failures.push({ name, said });
  }
}
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
for (const { name, said } of failures) console.log(`\n── ${name} ──\n${said.trim()}`);
if (failures.length > 0)
  console.log(
    `\n${failures.length} of ${steps.length} failed: ${failures.map(({ name }) => name).join(", ")}`,
  );
else console.log("tests of the build and of the page are not among these: npm test");
process.exit(failures.length > 0 ? 1 : 0);
