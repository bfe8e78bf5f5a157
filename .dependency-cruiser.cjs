// Who may import whom. A folder of src/ without a row here fails; so does an import that its row does not list.
const allow = {
  base: [],
  kernels: ["base"],
  summaries: ["base", "kernels"],
  parity: ["base", "kernels", "summaries"],
  schema: ["base"],
  protocol: ["base", "schema"],
  corrections: ["base", "kernels", "summaries", "parity"],
  sweep: ["base", "kernels", "schema", "protocol", "corrections"],
  configs: ["base", "protocol", "corrections"],
  analysis: ["base", "kernels", "summaries", "parity", "schema", "protocol", "corrections", "sweep"],
  report: ["base", "schema", "protocol"],
  io: ["base"],
  readers: ["base", "io"],
  adapters: ["base", "io", "schema"],
  ingest: ["base", "io", "schema", "readers", "adapters"],
  parallel: ["base", "kernels", "schema", "analysis"],
  cli: [
    "base",
    "schema",
    "protocol",
    "io",
    "ingest",
    "parity",
    "corrections",
    "sweep",
    "configs",
    "analysis",
    "report",
    "parallel",
  ],
};
// These run unchanged in a browser: no Node built-ins, no npm packages.
const portable = [
  "base",
  "kernels",
  "summaries",
  "parity",
  "corrections",
  "schema",
  "protocol",
  "sweep",
  "analysis",
  "report",
];
const tests = "\\.test(-data)?\\.ts$";
const only = (name, package_, home) => ({
  name,
  severity: "error",
  from: { path: "^src/", pathNot: [home, tests] },
  to: { path: `^node_modules/${package_}` },
});

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    ...Object.entries(allow).map(([layer, allowed]) => ({
      name: `layer-${layer}`,
      severity: "error",
      from: { path: `^src/${layer}/`, pathNot: tests },
      to: { path: "^src/", pathNot: `^src/(${[layer, ...allowed].join("|")})/` },
    })),
    {
      name: "unlisted-folder",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: `^src/(${Object.keys(allow).join("|")})/` },
      to: {},
    },
    {
      name: "index-is-portable",
      severity: "error",
      from: { path: "^src/index\\.ts$" },
      to: { path: "^src/", pathNot: `^src/(${portable.join("|")})/` },
    },
    {
      name: "portable-layers-use-no-node",
      severity: "error",
      from: { path: `^src/(${portable.join("|")})/`, pathNot: tests },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "portable-layers-use-no-packages",
      severity: "error",
      from: { path: `^src/(${portable.join("|")})/`, pathNot: tests },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "unknown"] },
    },
    {
      name: "siblings-do-not-mix",
      comment:
        "One format knows nothing of another, one trainer nothing of another; what they share is in shared/.",
      severity: "error",
      from: { path: "^src/(readers|adapters)/([^/]+)/", pathNot: tests },
      to: { path: "^src/$1/[^/]+/", pathNot: "^src/$1/($2|shared)/" },
    },
    only("duckdb-reads-parquet-only", "@duckdb/", "^src/readers/parquet/"),
    only("yauzl-reads-zip-only", "yauzl", "^src/io/"),
    only("yazl-writes-npz-only", "yazl", "^src/readers/npz/"),
    only("fzstd-decompresses-only", "fzstd", "^src/io/"),
    only("commander-is-for-the-cli", "commander", "^src/cli/"),
    only("yaml-reads-configs-only", "yaml/", "^src/configs/"),
    only("smol-toml-reads-configs-only", "smol-toml/", "^src/configs/"),
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
    exclude: { path: "^src/kernels/wasm/assembly/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
