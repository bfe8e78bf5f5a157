// Builds dist/: src/ compiled, web/ bundled into dist/web; and program/: the command line, bundled. The committed wasm is checked by `npm test`, not rebuilt here.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { buildProgram } from "./support/build-program.mjs";

const root = new URL("../", import.meta.url);
const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
rmSync(new URL("dist", root), { recursive: true, force: true });
try {
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
    cwd: fileURLToPath(root),
    stdio: "inherit",
  });
  await build({ configFile: fileURLToPath(new URL("web/vite.config.ts", root)), logLevel: "warn" });
  await buildProgram();
} catch (error) {
  if (error?.status === undefined) console.error(error);
  process.exit(1);
}
