// npm run build:python [-- --platform NAME|all] [--out DIR] [--no-sdist]: the wheel and the sdist of python/, with the
// built program in them. A wheel has DuckDB's native library of one platform, so there is one wheel per platform; the
// sdist has none and gives a pure wheel that cannot read Parquet.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findStalePart, ROOT } from "./support/build-state.mjs";
import { findRepository } from "./support/repository.mjs";
import { NOTICES } from "./support/third-party-notices.mjs";

/** The tag of a wheel by the platform of DuckDB's package; the requirements of Node's own wheels apply anyway. */
const TAGS = {
  "linux-x64": "manylinux_2_28_x86_64",
  "linux-arm64": "manylinux_2_28_aarch64",
  "linux-x64-musl": "musllinux_1_2_x86_64",
  "linux-arm64-musl": "musllinux_1_2_aarch64",
  "darwin-x64": "macosx_13_0_x86_64",
  "darwin-arm64": "macosx_13_0_arm64",
  "win32-x64": "win_amd64",
  "win32-arm64": "win_arm64",
};
const HATCHLING = "hatchling==1.33.0";
/** Types, source maps and readmes, which are only for those who write TypeScript. */
const NOT_CARRIED =
  /(\.d\.[cm]?ts|\.map|\/node_modules\/zod\/src|\/README\.md|\/CHANGELOG\.md|\/\.doc-examples|\/\.logratio|__pycache__)$/;

/** Small optional packages that `logratio mcp` needs and pip cannot get otherwise. */
const CARRIED = /^node_modules\/(@modelcontextprotocol\/(server|core)|zod)$/;

const { values: options } = parseArgs({
  options: {
    platform: { type: "string", default: findOwnPlatform() },
    out: { type: "string", default: join(ROOT, "python/dist") },
    "no-sdist": { type: "boolean", default: false },
  },
});
const platforms = options.platform === "all" ? Object.keys(TAGS) : [options.platform];
for (const platform of platforms)
  if (TAGS[platform] === undefined)
    fail(`--platform must be all or one of ${Object.keys(TAGS).join(", ")}, not "${platform}"`);
for (const part of ["program", "page"]) {
  const problem = findStalePart(part);
  if (problem !== undefined) fail(`a wheel carries what was built, and ${problem}: run npm run build first`);
}

const scratch = mkdtempSync(join(tmpdir(), "logratio-python-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const stage = join(scratch, "logratio");
const program = join(stage, "logratio/_program");
const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
const out = resolve(options.out);

const python = findPython();
stageSources();
mkdirSync(out, { recursive: true });
if (!options["no-sdist"]) build("sdist");
for (const platform of platforms) {
  const bindings = addBindings(platform);
  writeFileSync(join(stage, "platform-tag"), `${TAGS[platform]}\n`);
  build("wheel", TAGS[platform]);
  rmSync(bindings, { recursive: true });
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(2);
}

function findOwnPlatform() {
  const isMusl = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  return `${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`;
}

/** A Python with hatchling: the current one, else a new virtual environment. */
function findPython() {
  const own = process.env.LOGRATIO_PYTHON ?? (process.platform === "win32" ? "python" : "python3");
  try {
    execFileSync(own, ["-c", "import hatchling"], { stdio: "ignore" });
    return own;
  } catch {
    const folder = join(scratch, "venv");
    execFileSync(own, ["-m", "venv", folder], { stdio: "inherit" });
    const made =
      process.platform === "win32" ? join(folder, "Scripts/python.exe") : join(folder, "bin/python");
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", HATCHLING];
    execFileSync(made, install, { stdio: ["ignore", 2, 2] });
    return made;
  }
}

/** Everything except the native library: python/, the program, and the packages that it needs. */
function stageSources() {
  for (const name of ["pyproject.toml", "hatch_build.py", "README.md", "logratio"])
    carry(join(ROOT, "python", name), join(stage, name));
  carry(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
  writeFileSync(join(stage, "project-urls.json"), JSON.stringify(listAddresses(findRepository())));
  for (const name of ["bin", "program", "dist/web", "examples/demo", "skills", "package.json", NOTICES])
    carry(join(ROOT, name), join(program, name));
  for (const [path, { dev, optional, devOptional }] of Object.entries(lock))
    if (CARRIED.test(path) || (path !== "" && !dev && !optional && !devOptional))
      carry(join(ROOT, path), join(program, path));
}

/** The links of the package's page on an index. */
function listAddresses(repository) {
  if (repository === undefined) return {};
  return {
    Repository: repository,
    Documentation: `${repository}/blob/HEAD/docs/README.md`,
    Changelog: `${repository}/blob/HEAD/CHANGELOG.md`,
    Issues: `${repository}/issues`,
  };
}

function carry(from, to) {
  if (!existsSync(from)) fail(`${from} is missing: run npm ci first`);
  cpSync(from, to, {
    recursive: true,
    filter: (path) => from === path || !NOT_CARRIED.test(path.replaceAll("\\", "/")),
  });
}

/** DuckDB's native library for a platform: the one installed here, else from the registry. */
function addBindings(platform) {
  const path = `node_modules/@duckdb/node-bindings-${platform}`;
  const target = join(program, path);
  if (existsSync(join(ROOT, path))) {
    carry(join(ROOT, path), target);
    return target;
  }
  const { version, integrity } = lock[path];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const name = `@duckdb/node-bindings-${platform}@${version}`;
  const { status, stdout } = spawnSync(npm, ["pack", "--json", "--pack-destination", scratch, name], {
    cwd: scratch,
    encoding: "utf8",
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) fail(`npm cannot get ${name}; name other platforms with --platform`);
  const [{ filename }] = JSON.parse(stdout);
  const tarball = join(scratch, basename(filename));
  const found = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  if (found !== integrity)
    fail(`${name} is not what package-lock.json names: ${found}, expected ${integrity}`);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", target]);
  return target;
}

function build(target, tag) {
  execFileSync(python, ["-m", "hatchling", "build", "-t", target, "-d", out], {
    cwd: stage,
    // A fixed time for files in archives, so that the same sources give the same bytes.
    env: { SOURCE_DATE_EPOCH: "1577836800", ...process.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const name = `logratio-${lock[""].version}`;
  const file = join(out, tag === undefined ? `${name}.tar.gz` : `${name}-py3-none-${tag}.whl`);
  console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
}
