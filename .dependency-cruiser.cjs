// Who may import whom: wings from the bottom to the top. A folder of src/ without a row here fails; so does an import
// that its row does not list.
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");

const wings = {
  core: [],
  results: ["core"],
  input: ["core"],
  trainers: ["core", "results", "input"],
  ingest: ["core", "results", "input", "trainers"],
  analyses: ["core", "results", "input", "trainers", "ingest"],
  render: ["core", "results"],
  study: ["core", "results", "input", "ingest", "analyses", "render"],
  parts: ["core", "results", "input", "trainers", "ingest", "analyses", "study"],
  apps: ["core", "results", "input", "trainers", "ingest", "analyses", "render", "study", "parts"],
};
// These run unchanged in a browser: no Node built-ins, no npm packages, and nothing that has them.
const portable =
  "^src/(core|results|render|trainers/(?!configs/|files/|[^/]+/files/)|analyses/(?!analyze/|parallel/|rule-files/|runs/)|study/(?!scoring/))";
const tests = "\\.test(-data)?\\.ts$";
const only = (name, package_, home) => ({
  name,
  severity: "error",
  from: { path: "^src/", pathNot: [home, tests] },
  to: { path: `^node_modules/${package_}` },
});
// Another wing enters a folder that has an index.ts through it, or through the index.ts of a folder in it. Inside a wing an
// import names the file that declares what it takes: a detour over an index.ts would load, and test again, all it lists.
const entered = function* (folder) {
  for (const { name, isDirectory } of readdirSync(join(__dirname, folder), { withFileTypes: true }).map(
    (entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }),
  )) {
    if (!isDirectory) continue;
    const inner = `${folder}/${name}`;
    if (existsSync(join(__dirname, inner, "index.ts"))) yield inner;
    yield* entered(inner);
  }
};
const wingOf = (folder) => folder.split("/", 2).join("/");
const onlyExports = (folder) =>
  !/^(import|const|function|class|export (const|function|async|class|interface))\b/m.test(
    readFileSync(join(__dirname, folder, "index.ts"), "utf8"),
  );

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    ...Object.entries(wings).map(([wing, allowed]) => ({
      name: `wing-${wing}`,
      severity: "error",
      from: { path: `^src/${wing}/`, pathNot: tests },
      to: { path: "^src/", pathNot: `^src/(${[wing, ...allowed].join("|")})/` },
    })),
    {
      name: "unlisted-folder",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: `^src/(${Object.keys(wings).join("|")})/` },
      to: {},
    },
    ...[...entered("src")].map((folder) => ({
      name: `enter-${folder.slice("src/".length)}-through-its-index`,
      severity: "error",
      from: { path: "^(src|web)/", pathNot: [`^${wingOf(folder)}/`, tests] },
      to: { path: `^${folder}/`, pathNot: "/index\\.ts$" },
    })),
    ...[...entered("src")].filter(onlyExports).map((folder) => ({
      name: `inside-${wingOf(folder).slice("src/".length)}-no-detour-over-${folder.slice("src/".length)}`,
      severity: "error",
      from: { path: `^${wingOf(folder)}/` },
      to: { path: `^${folder}/index\\.ts$` },
    })),
    {
      name: "entries-are-portable",
      comment: "The files of src/ are the package's entries; only that for Node needs Node.",
      severity: "error",
      from: { path: "^src/(?!node\\.ts)[^/]+\\.ts$" },
      to: { path: "^src/", pathNot: portable },
    },
    {
      name: "portable-takes-portable",
      severity: "error",
      from: { path: portable, pathNot: tests },
      to: { path: "^src/", pathNot: portable },
    },
    {
      name: "portable-uses-no-node",
      severity: "error",
      from: { path: portable, pathNot: tests },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "portable-uses-no-packages",
      severity: "error",
      from: { path: portable, pathNot: tests },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "unknown"] },
    },
    {
      name: "imported-packages-are-in-package-json",
      severity: "error",
      from: { path: "^(src|bin)/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "siblings-do-not-mix",
      comment: "One format knows nothing of another; what they share is in shared/.",
      severity: "error",
      from: { path: "^src/input/(readers|adapters)/([^/]+)/", pathNot: tests },
      to: { path: "^src/input/$1/[^/]+/", pathNot: "^src/input/$1/($2|shared)/" },
    },
    {
      name: "files-of-trainers-do-not-mix",
      comment:
        "What reads one trainer's files knows nothing of another trainer; what they share is in input/adapters.",
      severity: "error",
      from: { path: "^src/trainers/([^/]+)/files/", pathNot: tests },
      to: { path: "^src/trainers/[^/]+/", pathNot: "^src/trainers/($1|files|shared)/" },
    },
    {
      name: "back-ends-do-not-mix",
      comment: "One back end of scoring knows nothing of another.",
      severity: "error",
      from: { path: "^src/study/scoring/(onnx|servers|logits|torch)/", pathNot: tests },
      to: {
        path: "^src/study/scoring/(onnx|servers|logits|torch|store)/",
        pathNot: "^src/study/scoring/$1/",
      },
    },
    only("duckdb-reads-parquet-and-logs", "@duckdb/", "^src/(input/readers/parquet|analyses/analyze)/"),
    only("tokenizers-are-for-tokens", "@huggingface/", "^src/input/tokens/"),
    only("yauzl-reads-zip-only", "yauzl", "^src/input/io/"),
    only("yazl-writes-npz-and-bundles", "yazl", "^src/(input/readers/npz|apps/viewer/bundle)/"),
    only("fzstd-decompresses-only", "fzstd", "^src/input/io/"),
    only("wasm-zstd-compresses-only", "@hpcc-js/", "^src/input/io/"),
    only("commander-is-for-the-cli", "commander", "^src/apps/cli/"),
    only(
      "yaml-reads-configs-only",
      "yaml/",
      "^src/(trainers/configs|study/scoring/config|analyses/rule-files)/",
    ),
    only("figures-are-drawn-in-one-place", "(@resvg/|pdfkit|dejavu-fonts-ttf)", "^src/apps/figures/"),
    only("onnxruntime-is-for-onnx", "onnx", "^src/study/scoring/onnx/"),
    only("mcp-is-for-agents", "(@modelcontextprotocol/|zod)", "^src/apps/mcp/"),
    only("smol-toml-reads-configs-only", "smol-toml/", "^src/trainers/configs/"),
    {
      name: "page-takes-portable-folders",
      severity: "error",
      from: { path: "^web/" },
      to: { path: "^src/", pathNot: portable },
    },
    {
      name: "views-of-the-page-do-not-mix",
      severity: "error",
      from: { path: "^web/src/views/([^/]+)/" },
      to: { path: "^web/src/views/[^/]+/", pathNot: "^web/src/views/$1/" },
    },
    only("hono-serves-the-viewer", "(hono|@hono)/", "^src/apps/(viewer/(server|policy)|serve)/"),
    {
      name: "verbs-load-their-commands-late",
      comment: "`logratio --version` and --help must not pay for DuckDB, ONNX and the viewer.",
      severity: "error",
      from: { path: "^src/apps/cli/(main|program|study-flags|verbs/)" },
      to: {
        path: "^src/(apps/(viewer|serve|mcp|cli/commands/)|analyses|study/(?!flags\\.ts)|parts|trainers)",
        dynamic: false,
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "no-test-data-in-product",
      comment: "*.test-data.ts is not built",
      severity: "error",
      from: { path: "^(src|web)/", pathNot: "\\.test(-data)?\\.tsx?$" },
      to: { path: "\\.test(-data)?\\.tsx?$" },
    },
    {
      name: "source-stands-alone",
      severity: "error",
      from: { path: "^src/", pathNot: tests },
      to: { path: "^(test|bench|examples|scripts)/" },
    },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/core/kernels/wasm/assembly/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
