// Bundles the command line and its worker threads into program/, which bin/ starts, because loading 700 modules of
// dist/ one by one takes half a second. Folders are arranged as in src/, so that a module also finds from here what is
// beside it (a worker) or above it (package.json, examples, dist/web). The library stays as it is in dist/.
//
// The bundle is CommonJS: Node resolves and links ES modules asynchronously, one by one, which took a tenth of the demo.
import { posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCES = `${ROOT}src${sep}`;
/** What is started as a process or as a thread; each stays a separate file in its own place. */
const ENTRIES = [
  "apps/cli/main",
  "analyses/parallel/distribution-worker",
  "analyses/parallel/summary-worker",
  "analyses/parallel/place-tests-worker",
  "analyses/runs/files-worker",
  "apps/serve/seal/seal-worker",
  "apps/viewer/prepare/pass/answer-worker",
  "apps/viewer/prepare/sql/query-process",
  "apps/viewer/server/parquet-worker",
];
const OWN_URL = "import.meta.url";
const MARK = /__OWN_URL_OF__\("([^"]+)"\)/g;

/**
 * What nearly every verb loads goes into few files. Left to itself, the bundler makes one for each set of verbs and late
 * imports that share a module: a report would open 130 files, half of them smaller than a kilobyte.
 */
const SHARED = [
  // The flags that name columns are part of every --help.
  { name: "base", test: /src[\\/]core[\\/](base[\\/]|text[\\/]|schema[\\/]column-flags)/ },
  { name: "core", test: /src[\\/]core[\\/](schema|statistics|summaries)[\\/]/ },
  { name: "io", test: /src[\\/]input[\\/]io[\\/]/ },
];

/** Keeps each module's address, as if it had stayed a separate file. */
const keepAddresses = {
  name: "keep-addresses",
  transform(code, id) {
    if (!id.startsWith(SOURCES) || !code.includes(OWN_URL)) return undefined;
    const module = relative(SOURCES, id).split(sep).join("/").replace(/\.ts$/, ".js");
    return { code: code.replaceAll(OWN_URL, `__OWN_URL_OF__("${module}")`), map: null };
  },
  renderChunk(code, { fileName }) {
    if (!code.includes("__OWN_URL_OF__")) return null;
    const address = (module) => posix.relative(posix.dirname(fileName), module);
    const here = `require("node:url").pathToFileURL(__filename)`;
    return {
      code: code.replace(MARK, (_, module) => `new URL("${address(module)}",${here}).href`),
      map: null,
    };
  },
};

const GETTER =
  /Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ?([^{}]+)\}\}\)/g;

/**
 * Exports values instead of getters, because V8 calls a getter at each use of another chunk's export: a loop over
 * tokens with two such calls took twice as long. Getters are for exports that change later, and none does.
 */
const exportValues = {
  name: "export-values",
  transform(code, id) {
    if (!id.startsWith(SOURCES)) return;
    const { body } = this.parse(code);
    const changing = body
      .map((node) => node.declaration ?? node)
      .filter(({ type, kind }) => type === "VariableDeclaration" && kind !== "const")
      .flatMap(({ declarations }) => declarations.map((one) => one.id.name));
    const exported = body
      .filter(({ type }) => type === "ExportNamedDeclaration")
      .flatMap(({ declaration, specifiers }) => [
        ...(declaration?.declarations ?? []).map((one) => one.id.name),
        ...specifiers.map(({ local }) => local.name),
      ]);
    const wrong = exported.find((name) => changing.includes(name));
    if (wrong !== undefined)
      throw new Error(
        `${id} exports the variable ${wrong}: chunks of the program would keep its first value`,
      );
  },
  generateBundle(_, files) {
    for (const chunk of Object.values(files)) {
      if (chunk.type !== "chunk") continue;
      chunk.code = chunk.code.replace(GETTER, "exports.$1=$2");
      if (/defineProperty\(exports,"/.test(chunk.code))
        throw new Error(`${chunk.fileName} has a getter left`);
    }
  },
};

/** Makes Node read the files below as CommonJS, unlike those above. */
const nameFormat = {
  name: "name-format",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' });
  },
};

/** @param plugins further ones */
export async function buildProgram(...plugins) {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: "warn",
    // Packages stay packages, installed beside us with their licenses.
    plugins: [keepAddresses, exportValues, nameFormat, ...plugins],
    build: {
      ssr: true,
      target: "node20",
      outDir: `${ROOT}program`,
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries(ENTRIES.map((name) => [name, `${SOURCES}${name}.ts`])),
        output: {
          format: "cjs",
          entryFileNames: "[name].js",
          chunkFileNames: "chunks/[name]-[hash].js",
          codeSplitting: {
            groups: SHARED.map((group, at) => ({ ...group, priority: SHARED.length - at })),
          },
          // Names are kept, because a bug report contains a stack.
          minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } },
        },
      },
    },
  });
}
