// What is measured, folder by folder, and which tests hold each folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

const WINGS = ["src/core", "src/trainers", "src/analyses", "src/input/readers"];

/**
 * Tests outside a folder that count for it. The rule is that a folder is held by its own tests: they are fast, and
 * whoever changes the folder looks there. The exceptions are folders whose only purpose is to serve their neighbours.
 */
const HELD_BY = {
  "src/trainers/shared": ["src/trainers"],
  "src/input/readers/shared": ["src/input/readers"],
};

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
    // Assembly is another language, and what wraps it is held to the plain twin by the property tests.
    "!src/core/kernels/wasm/**",
  ];
}

const listHolders = (folder) => [folder, ...(HELD_BY[folder] ?? [])];

/** The globs of the tests that a folder is held by. */
export function listTests(folder) {
  return listHolders(folder).map((holder) => `${holder}/**/*.test.ts`);
}

/** Whether a test that a folder is held by, or what such a test takes its data from, makes its cases with fast-check. */
export function hasPropertyTests(folder) {
  return listHolders(folder).some((holder) =>
    readdirSync(join(root, holder), { recursive: true })
      .filter((name) => /\.test(-data)?\.ts$/.test(name))
      .some((name) => readFileSync(join(root, holder, name), "utf8").includes('from "fast-check"')),
  );
}

/** The folders that a word on the command line means: one, all below it, or the one that it lies in. */
export function selectFolders(word) {
  const path = word.replace(/^\.\//, "").replace(/\/+$/, "");
  return listFolders().filter((folder) => folder === path || folder.startsWith(`${path}/`));
}
