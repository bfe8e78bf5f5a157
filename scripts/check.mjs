// npm run check: the checks of a change that fit into half a minute, run at the same time, with a line for each when it
// ends. Output of failed steps comes below the lines, so that you see it. Not a replacement for `npm test`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { ROOT } from "./support/build-state.mjs";
import { checkFormat, SOURCE_CHECKS } from "./support/checks.mjs";
import { runNode, runSteps } from "./support/steps.mjs";
import { TOOLS } from "./support/tools.mjs";

/** More test files than this would take longer than the types. */
const MOST_TEST_FILES = 25;

const git = (...args) => spawnSync("git", args, { cwd: ROOT, encoding: "utf8" }).stdout.trim();

/** Where this branch left main; on main itself, its last commit. `npm run check -- REF` names another base. */
function findBase() {
  if (process.argv[2] !== undefined) return process.argv[2];
  for (const main of ["origin/main", "main"]) {
    const base = git("merge-base", "HEAD", main);
    if (base !== "" && base !== git("rev-parse", "HEAD")) return base;
  }
  return "HEAD";
}

/** Existing files that differ from the base. */
function listChanged() {
  const names = [
    git("diff", "--name-only", findBase()),
    git("ls-files", "--others", "--exclude-standard"),
  ].join("\n");
  return names.split("\n").filter((name) => name !== "" && existsSync(join(ROOT, name)));
}

/** The unit tests that directly import a changed file; indirect imports are left to `npm test`. */
function listTests(changed) {
  const files = new Set(changed);
  const names = ["src", "web"].flatMap((wing) =>
    readdirSync(join(ROOT, wing), { recursive: true })
      .map((name) => `${wing}/${name}`.replaceAll("\\", "/"))
      .filter((name) => /\.test\.tsx?$/.test(name)),
  );
  return names.filter((name) => {
    if (files.has(name)) return true;
    const folder = dirname(join(ROOT, name));
    const text = readFileSync(join(ROOT, name), "utf8");
    return [...text.matchAll(/ from "(\.[^"]+)"/g)].some(([, path]) =>
      files.has(relative(ROOT, resolve(folder, path)).replaceAll("\\", "/")),
    );
  });
}

/** Runs the unit tests of changed files: those that import them, and the others in their folders. */
async function checkTests() {
  const folders = new Set(changed.map(dirname));
  const direct = listTests(changed);
  const beside = [...folders].flatMap((folder) =>
    existsSync(join(ROOT, folder)) && /^(src|web)\b/.test(folder)
      ? readdirSync(join(ROOT, folder)).flatMap((name) =>
          /\.test\.tsx?$/.test(name) ? [`${folder}/${name}`] : [],
        )
      : [],
  );
  const all = [...new Set([...direct, ...beside])];
  const files = all.slice(0, MOST_TEST_FILES);
  const note = `${files.length} test files${files.length < all.length ? ` of ${all.length} near the change` : ""}`;
  if (files.length === 0) return { ok: true, note };
  const projects = ["--project=unit", "--project=unit-alone", "--passWithNoTests"];
  return { ...(await runNode([TOOLS.vitest(), "run", ...projects, "--reporter=dot", ...files])), note };
}

const changed = listChanged();
const [types, ...others] = SOURCE_CHECKS.map(([name, run]) => [
  name,
  name === "format and lint" ? () => checkFormat(changed) : run,
]);
const steps = [types, ["changed tests", checkTests], ...others];
const { failed } = await runSteps(steps);
if (failed.length > 0) console.log(`\n${failed.length} of ${steps.length} failed: ${failed.join(", ")}`);
else console.log("tests of the build and of the page are not among these: npm test");
process.exit(failed.length > 0 ? 1 : 0);
