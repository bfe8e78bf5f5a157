// Compiles one file of src into dist as the build does, without checking types, for running the program while editing
// it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { NOT_BUILT, ROOT } from "./build-state.mjs";

const SOURCES = join(ROOT, "src");
/** AssemblyScript, which only `npm run build:wasm` compiles. */
const ASSEMBLY = join(SOURCES, "core/kernels/wasm/assembly");

export function isCompiled(file) {
  return (
    file.startsWith(SOURCES) && file.endsWith(".ts") && !NOT_BUILT.test(file) && !file.startsWith(ASSEMBLY)
  );
}

let options;
function readOptions() {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  options ??= ts.getParsedCommandLineOfConfigFile(join(ROOT, "tsconfig.build.json"), {}, host).options;
  return options;
}

/** The problems that prevent compiling it, a line each; none: it is in dist. A deleted file is deleted there, too. */
export function compileFile(file) {
  const built = join(ROOT, "dist", relative(SOURCES, file)).replace(/\.ts$/, ".js");
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    rmSync(built, { force: true });
    return [];
  }
  // `nodenext` would look for "type": "module" in a package.json, which a single file lacks.
  const compilerOptions = {
    ...readOptions(),
    declaration: false,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const { outputText, diagnostics } = ts.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions,
  });
  if (diagnostics.length > 0)
    return diagnostics.map(({ messageText, start = 0 }) => {
      const line = text.slice(0, start).split("\n").length;
      return `${relative(ROOT, file)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  mkdirSync(dirname(built), { recursive: true });
  writeFileSync(built, outputText);
  return [];
}
