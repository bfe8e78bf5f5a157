// Finds out whether dist/ and program/ were built from the current sources.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What is built from what, and a file that every build of it writes. */
const PARTS = {
  modules: { sources: "src", built: "dist/apps/cli/main.js" },
  program: { sources: "src", built: "program/apps/cli/main.js" },
  page: { sources: "web/src", built: "dist/web/index.html" },
};
export const NOT_BUILT = /\.test(-data)?\.tsx?$|\.md$/;

function findNewest(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !NOT_BUILT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, time: statSync(file).mtimeMs }))
    .reduce((newest, next) => (next.time > newest.time ? next : newest));
}

/** Why this part of the build is out of date; undefined if it is not. */
export function findStalePart(part) {
  const { sources, built } = PARTS[part];
  const target = join(ROOT, built);
  if (!existsSync(target)) return `${relative(ROOT, target)} is missing`;
  const { file, time } = findNewest(join(ROOT, sources));
  return time > statSync(target).mtimeMs
    ? `${relative(ROOT, file)} is newer than ${relative(ROOT, target)}`
    : undefined;
}
