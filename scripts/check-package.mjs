// Checks what would be published: every export exists and loads, public names are those on record, the tarball keeps
// within its size, its types resolve in users' compilers, and ARCHITECTURE.md gives a reason for every dependency.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { findUnpinned } from "./support/lock.mjs";
import { NOTICES } from "./support/third-party-notices.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const recordPath = join(root, "test/packaging/public-api.json");
/**
 * Two thirds of it are the example runs. It was 6 MB before the ingest server, the gate and the summaries; 7 MB before
 * studies had parts and members of public types had descriptions, which editors show; 7.35 MB before the Answer page;
 * 7.5 MB before a report loaded late what few need, in modules of their own, and the doctor had its marks for real
 * models; 7.55 MB before trainers' consoles and releases, W&B's log, digests of weights and each side's own error; 7.8 MB
 * before the Python package had a type for every result and callbacks for any loop.
 */
const MAX_TARBALL = 7_850_000;
/**
 * attw's profile `esm-only`: the package has no CommonJS, so `require` finds modules (an error in Node 20, supported in
 * 22), and compilers without `exports` (`moduleResolution: node10`) are older than the Node that it needs.
 */
const NOT_ASKED_FOR = new Set(["node10", "node16-cjs"]);
const problems = [];

const names = await publicNames();
if (process.argv.includes("--write")) writeFileSync(recordPath, `${JSON.stringify(names, null, 2)}\n`);
compareWithRecord(names);
await loadInternals();
checkDependencies();
checkLock();
const { size, count } = await checkTarball();

for (const problem of problems) console.error(problem);
console.log(
  `package: ${count} files, ${size} bytes, ${Object.values(names).flat().length} public names, ${problems.length} problems`,
);
process.exit(problems.length > 0 ? 1 : 0);

/** The names of each promised entry; `./internal/*` is not promised. */
async function publicNames() {
  const found = {};
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string" || entry.includes("*")) continue;
    for (const path of Object.values(target))
      if (!existsSync(join(root, path))) problems.push(`${entry}: ${path} does not exist`);
    found[entry] = Object.keys(await import(pathToFileURL(join(root, target.default)).href)).sort();
  }
  return found;
}

function compareWithRecord(found) {
  const recorded = existsSync(recordPath) ? JSON.parse(readFileSync(recordPath, "utf8")) : {};
  for (const entry of new Set([...Object.keys(found), ...Object.keys(recorded)])) {
    const [now, then] = [found[entry] ?? [], recorded[entry] ?? []];
    for (const name of now)
      if (!then.includes(name))
        problems.push(`${entry}: "${name}" became public; if that is meant, run this with --write`);
    for (const name of then)
      if (!now.includes(name))
        problems.push(`${entry}: "${name}" is no longer public; if that is meant, run this with --write`);
  }
}

/** Checks that each folder with an index can be imported by name under `logratio/internal`. */
async function loadInternals() {
  const folders = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("/index.js"))
    .map((path) => path.slice(0, -"/index.js".length));
  if (folders.length === 0) problems.push("./internal/*: there is no folder with an index");
  for (const folder of folders) {
    try {
      await import(`logratio/internal/${folder}`);
    } catch (error) {
      problems.push(`logratio/internal/${folder} does not load: ${error.message}`);
    }
  }
}

function checkDependencies() {
  const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    if (!/^\d/.test(version)) problems.push(`dependency ${name}: ${version} is not an exact version`);
    if (!architecture.includes(`\`${name}\``))
      problems.push(`dependency ${name} has no reason in ARCHITECTURE.md`);
  }
}

/** Checks that `npm ci` installs exactly what was reviewed. */
function checkLock() {
  for (const name of findUnpinned(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))))
    problems.push(`package-lock.json has no hash of ${name}: run node scripts/complete-lock.mjs`);
}

/** Checks that each package in a bundle has its notice in the tarball. */
function checkNotices(files) {
  for (const path of [NOTICES, `dist/web/${NOTICES}`])
    if (!files.some((file) => file.path === path)) problems.push(`the tarball lacks ${path}`);
}

async function checkTarball() {
  const folder = mkdtempSync(join(tmpdir(), "logratio-pack-"));
  try {
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
    if (packed.size > MAX_TARBALL)
      problems.push(`the tarball has ${packed.size} bytes, at most ${MAX_TARBALL} are allowed`);
    checkNotices(packed.files);
    for (const { path } of packed.files) {
      if (/\.test\.|\.test-data\./.test(path)) problems.push(`the tarball holds a test: ${path}`);
      // The sources are not in the tarball, so a source map leads nowhere.
      if (path.endsWith(".map")) problems.push(`the tarball holds a source map: ${path}`);
    }
    const tarball = readFileSync(join(folder, packed.filename));
    await lintManifest(tarball);
    await checkTypes(tarball);
    return { size: packed.size, count: packed.files.length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function lintManifest(tarball) {
  const { buffer, byteOffset, byteLength } = tarball;
  const pack = { tarball: buffer.slice(byteOffset, byteOffset + byteLength) };
  const { messages, pkg } = await publint({ pack, strict: true });
  for (const message of messages)
    problems.push(`publint, ${message.type}: ${formatMessage(message, pkg ?? manifest, { color: false })}`);
}

async function checkTypes(tarball) {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  if (!result.types) {
    problems.push("attw finds no types in the tarball");
    return;
  }
  for (const problem of result.problems) {
    const { kind, entrypoint, resolutionKind, resolutionOption, fileName } = problem;
    if (NOT_ASKED_FOR.has(resolutionKind) || resolutionOption === "node10") continue;
    const where = entrypoint ?? (fileName === undefined ? "" : relative("/", fileName));
    problems.push(`attw: ${kind} ${where} ${resolutionKind ?? ""}`.trimEnd());
  }
}
