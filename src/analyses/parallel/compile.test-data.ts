import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transformWithOxc } from "vite";

/** Layers that worker threads load which sum batches; those that read files load `input` as well. */
const PARTS = ["core", "results", "trainers", "analyses"];
/** What they find above `src/`. */
const BESIDE = ["node_modules", "python"];

/** Whether Node runs TypeScript as it is (22.18 and later), so that a thread can be started from these sources, too. */
export const RUNS_SOURCES = "typescript" in process.features && process.features.typescript !== false;

export interface Compiled {
  /** Loads a compiled module by its path in `src/`, without extension. */
  load<M>(module: string): Promise<M>;
  /** The file of a compiled worker, which threads of the sources under test can run. */
  findWorker(module: string): URL;
  remove(): void;
}

/** In imports and exports, static and dynamic. */
const RELATIVE_TS = /((?:from|import)\s*\(?\s*"\.[^"]*)\.ts"/g;

/** Node 20 cannot run a worker from TypeScript, so what the threads need is compiled, and that is tested. */
export async function compile(parts: readonly string[] = PARTS): Promise<Compiled> {
  const folder = mkdtempSync(join(tmpdir(), "parallel-"));
  const source = fileURLToPath(new URL("../..", import.meta.url));
  const compiled = join(folder, "src");
  for (const part of parts) {
    for (const name of readdirSync(join(source, part), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts") || /\.test(-data)?\.ts$/.test(name) || name.includes("assembly")) continue;
      const target = join(compiled, part, name.replace(/\.ts$/, ".js"));
      mkdirSync(dirname(target), { recursive: true });
      const text = readFileSync(join(source, part, name), "utf8");
      const { code } = await transformWithOxc(text, name, { target: "es2022", sourcemap: false });
      writeFileSync(target, code.replaceAll(RELATIVE_TS, '$1.js"'));
    }
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  for (const name of BESIDE) symlinkSync(join(source, "..", name), join(folder, name));
  return {
    load: (module) => import(/* @vite-ignore */ pathToFileURL(join(compiled, `${module}.js`)).href),
    findWorker: (module) => pathToFileURL(join(compiled, `${module}.js`)),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
