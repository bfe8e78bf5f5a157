// What is measured, folder by folder, and which tests hold each folder.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

const WINGS = ["src/core", "src/trainers", "src/analyses", "src/input/readers"];

/**
 * More tests that count for a folder. The rule is that a folder is held by its own tests and by those that lie in the
 * folder above it (one table of cases for all its neighbors): they are fast, and whoever changes the folder looks there.
 * The exceptions are folders whose only purpose is to serve their neighbors, the linter of configs, which the tables
 * beside the trainers' config keys try, these config keys, which the linter's tests try, and the runner of golden cases,
 * which our own cases try.
 */
function listOtherHolders(folder) {
  if (folder === "src/analyses/conformance") return ["test/golden-own.test.ts"];
  if (["src/trainers/shared", "src/trainers/configs"].includes(folder)) return [`${dirname(folder)}/**`];
  // JSON and Parquet are read without it: their tests would run, for minutes, and notice nothing.
  if (folder === "src/input/readers/shared")
    return ["memmap", "npz", "safetensors", "torch"].map((reader) => `src/input/readers/${reader}/**`);
  return folder.startsWith("src/trainers/") && folder !== "src/trainers/neutral"
    ? ["src/trainers/configs"]
    : [];
}

/** Every folder that has a score of its own, in the order of the page. */
export function listFolders() {
  return WINGS.flatMap((wing) =>
    readdirSync(join(root, wing), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${wing}/${entry.name}`)
      .sort(),
  );
}

/** The globs of the files that are mutated for a folder. */
export function listMutated(folder) {
  return [
    `${folder}/**/*.ts`,
    `!${folder}/**/*.{test,test-data,generated}.ts`,
    `!${folder}/**/index.ts`,
    // Assembly is another language, and what wraps it is held to the reference implementation by the property tests.
    "!src/core/kernels/wasm/**",
    // Worker threads run the compiled files, in which no mutant lives.
    "!src/analyses/parallel/{answer-tasks,*-worker}.ts",
  ];
}

/** The globs of the tests that a folder is held by. */
export function listTests(folder) {
  const holders = [`${folder}/**`, dirname(folder), ...listOtherHolders(folder)];
  return holders.map((holder) => (holder.endsWith(".test.ts") ? holder : `${holder}/*.test.ts`));
}

/** Whether a test of a folder, or what such a test takes its data from, makes its cases with fast-check. */
export function hasPropertyTests(folder) {
  const isTest = (name) => /\.test(-data)?\.ts$/.test(name);
  const uses = (path) => readFileSync(join(root, path), "utf8").includes('from "fast-check"');
  return listTests(folder)
    .map((glob) => dirname(glob))
    .flatMap((holder) => {
      const deep = holder.endsWith("/**");
      const path = deep ? dirname(holder) : holder;
      return readdirSync(join(root, path), { recursive: deep }).map((name) => `${path}/${name}`);
    })
    .some((path) => isTest(path) && uses(path));
}

/** The folders that a word on the command line means: one, all below it, or the one that it lies in. */
export function selectFolders(word) {
  const path = word.replace(/^\.\//, "").replace(/\/+$/, "");
  return listFolders().filter((folder) => folder === path || folder.startsWith(`${path}/`));
}
