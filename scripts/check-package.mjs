// What would be published: every export exists and loads, the public names are the ones on record, the tarball keeps
// its size, dependencies are the ones that ARCHITECTURE.md gives a reason for.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const recordPath = join(root, "test/packaging/public-api.json");
const problems = [];

const names = {};
for (const [entry, target] of Object.entries(manifest.exports)) {
  if (typeof target === "string") continue;
  for (const path of Object.values(target))
    if (!existsSync(join(root, path))) problems.push(`${entry}: ${path} does not exist`);
  names[entry] = Object.keys(await import(pathToFileURL(join(root, target.default)).href)).sort();
}
if (process.argv.includes("--write")) writeFileSync(recordPath, `${JSON.stringify(names, null, 2)}\n`);
const recorded = existsSync(recordPath) ? JSON.parse(readFileSync(recordPath, "utf8")) : {};
for (const entry of new Set([...Object.keys(names), ...Object.keys(recorded)])) {
  const [now, then] = [names[entry] ?? [], recorded[entry] ?? []];
  for (const name of now)
    if (!then.includes(name))
      problems.push(`${entry}: "${name}" became public; if that is meant, run this with --write`);
  for (const name of then)
    if (!now.includes(name))
      problems.push(`${entry}: "${name}" is no longer public; if that is meant, run this with --write`);
}

const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
for (const [name, version] of Object.entries(manifest.dependencies)) {
  if (!/^\d/.test(version)) problems.push(`dependency ${name}: ${version} is not an exact version`);
  if (!architecture.includes(`\`${name}\``))
    problems.push(`dependency ${name} has no reason in ARCHITECTURE.md`);
}

const MAX_TARBALL = 6_000_000;
const [{ size, files }] = JSON.parse(
  execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
);
if (size > MAX_TARBALL) problems.push(`the tarball has ${size} bytes, at most ${MAX_TARBALL} are allowed`);
for (const { path } of files)
  if (/\.test\.|\.test-data\./.test(path)) problems.push(`the tarball holds a test: ${path}`);

for (const problem of problems) console.error(problem);
console.log(
  `package: ${files.length} files, ${size} bytes, ${Object.values(names).flat().length} public names, ${problems.length} problems`,
);
process.exit(problems.length > 0 ? 1 : 0);
