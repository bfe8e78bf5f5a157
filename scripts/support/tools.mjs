// Tools are started by their own script, because on Windows node_modules/.bin cannot be started without a shell.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./build-state.mjs";

/** The script behind a command of a package in node_modules. */
export function findTool(packageName, command) {
  const folder = join(ROOT, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[command]);
}

export const TOOLS = {
  biome: () => findTool("@biomejs/biome", "biome"),
  depcruise: () => findTool("dependency-cruiser", "depcruise"),
  tsc: () => findTool("typescript", "tsc"),
  vitest: () => findTool("vitest", "vitest"),
};
