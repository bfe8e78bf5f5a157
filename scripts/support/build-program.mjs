// Bundles the command line and its worker threads into program/, which bin/ starts: a process that loads 700 modules of
// dist/ one by one spends half a second on it. Folders lie as in src/, so what a module finds beside itself (a worker) or
// above (package.json, examples, dist/web) it finds from here too. The library stays as dist/ has it.
//
// The bundle is CommonJS: Node resolves and links ES modules asynchronously, one by one, which took a tenth of the demo.
import { posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCES = `${ROOT}src${sep}`;
/** What is started as a process or as a thread: each stays a file of its own, at its own place. */
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

/** Each module's own address, as if it had stayed a file of its own. */
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
 * Exports values instead of getters, which V8 calls anew at each use of what another chunk exports: a loop over tokens with
 * two such calls took twice as long. A getter is for what changes after it was exported, which nothing does.
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

/** Has Node read the files below as CommonJS, which those above are not. */
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
    // Packages stay packages: they are installed beside us, and their licenses with them.
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
          // Names stay: a bug report holds a stack.
          minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } },
        },
      },
    },
  });
}
