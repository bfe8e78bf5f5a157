import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

/** Layers that worker threads load. */
const PARTS = ["core", "results", "trainers", "analyses"];

export interface Compiled {
  /** Loads a compiled module by its path in `src/`, without extension. */
  load<M>(module: string): Promise<M>;
  remove(): void;
}

/** Node 20 cannot run a worker from TypeScript, so what the threads need is compiled, and that is tested. */
export function compile(): Compiled {
  const folder = mkdtempSync(join(tmpdir(), "parallel-"));
  const source = fileURLToPath(new URL("../..", import.meta.url));
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    rewriteRelativeImportExtensions: true,
  };
  for (const part of PARTS) {
    for (const name of readdirSync(join(source, part), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts") || /\.test(-data)?\.ts$/.test(name) || name.includes("assembly")) continue;
      const target = join(folder, part, name.replace(/\.ts$/, ".js"));
      mkdirSync(dirname(target), { recursive: true });
      const text = readFileSync(join(source, part, name), "utf8");
      writeFileSync(target, ts.transpileModule(text, { compilerOptions }).outputText);
    }
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  return {
    load: (module) => import(/* @vite-ignore */ pathToFileURL(join(folder, `${module}.js`)).href),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
