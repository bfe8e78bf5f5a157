// The folders to measure, and the tests that count for each.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Wings whose folders each have a score; what is listed twice, as a wing and as a folder, counts as a wing. */
const WINGS = [
  "src/core",
  "src/trainers",
  "src/analyses",
  "src/input",
  "src/input/readers",
  "src/render",
  "src/study",
  "src/apps",
];

/** Wings with one score for the whole. */
const WHOLE = ["src/ingest", "src/parts", "src/results"];

/** Folders of `src/input` whose code runs when files are read, and hardly otherwise. */
const BEHIND_ADAPTERS = ["adapters", "io", "join"].map((name) => `src/input/${name}`);

/** Folders of `src/input` for one reader each: the server's log of batches, and the replies of inference servers. */
const FOR_ONE_READER = {
  "src/input/batch-log": ["src/apps/serve/log/**", "src/apps/serve/store/**"],
  "src/input/replies": ["src/input/adapters/**"],
};

/** What reads the files of each trainer. */
function listFileFolders() {
  return readdirSync(join(root, "src/trainers"))
    .map((trainer) => `src/trainers/${trainer}/files`)
    .filter((folder) => existsSync(join(root, folder)));
}

/**
 * Further tests that count for a folder. By default, a folder is tested by its own tests and by those in the folder
 * above it (one table of cases for all its neighbors), which are fast and where a person who changes the folder looks.
 * The exceptions are folders that only serve their neighbors, the linter of configs (tested by the tables beside the
 * trainers' config keys), these config keys (tested by the linter's tests), the runner of golden cases (tested by
 * our own cases), what brings bytes to adapters (tested by reading each trainer's files, and directories of them), and what
 * has one reader (tested by that reader's tests).
 */
function listOtherHolders(folder) {
  if (BEHIND_ADAPTERS.includes(folder))
    return ["src/ingest/**", "src/trainers/files/**", ...listFileFolders().map((each) => `${each}/**`)];
  if (folder in FOR_ONE_READER) return FOR_ONE_READER[folder];
  if (folder === "src/apps/conformance") return ["test/golden-own.test.ts"];
  if (["src/trainers/shared", "src/trainers/configs"].includes(folder)) return [`${dirname(folder)}/**`];
  // JSON and Parquet are read without it, so their tests would run for minutes and notice nothing.
  if (folder === "src/input/readers/shared")
    return ["memmap", "npz", "safetensors", "torch"].map((reader) => `src/input/readers/${reader}/**`);
  return folder.startsWith("src/trainers/") && folder !== "src/trainers/neutral"
    ? ["src/trainers/configs"]
    : [];
}

/** Every folder with its own score, in the order of the page. */
export function listFolders() {
  const folders = WINGS.flatMap((wing) =>
    readdirSync(join(root, wing), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${wing}/${entry.name}`)
      .sort(),
  );
  return [...folders.filter((folder) => !WINGS.includes(folder)), ...WHOLE];
}

/** The globs of the files that are mutated for a folder. */
export function listMutated(folder) {
  return [
    `${folder}/**/*.ts`,
    `!${folder}/**/*.{test,test-data,generated}.ts`,
    `!${folder}/**/index.ts`,
    // Assembly is another language, and property tests compare its wrappers with the reference implementation.
    "!src/core/kernels/wasm/**",
    // Worker threads run the compiled files, which contain no mutants.
    "!src/analyses/parallel/{answer-tasks,*-worker}.ts",
  ];
}

/** The globs of the tests that count for a folder. */
export function listTests(folder) {
  const holders = [`${folder}/**`, dirname(folder), ...listOtherHolders(folder)];
  return holders.map((holder) => (holder.endsWith(".test.ts") ? holder : `${holder}/*.test.ts`));
}

/** Whether a test of a folder, or its test data, makes cases with fast-check. */
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

/** The folders that a command-line word means: the folder itself, all below it, or the one that contains it. */
export function selectFolders(word) {
  const path = word.replace(/^\.\//, "").replace(/\/+$/, "");
  return listFolders().filter((folder) => folder === path || folder.startsWith(`${path}/`));
}
