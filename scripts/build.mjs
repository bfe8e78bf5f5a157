// Builds dist/ (src/ compiled, web/ bundled into dist/web), program/ (the bundled command line), and the notices of the
// packages in both. `npm run test:long` rebuilds and compares the committed wasm.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { buildProgram } from "./support/build-program.mjs";
import { collectNotices, writeAllNotices } from "./support/third-party-notices.mjs";

const root = new URL("../", import.meta.url);
const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
rmSync(new URL("dist", root), { recursive: true, force: true });
try {
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
    cwd: fileURLToPath(root),
    stdio: "inherit",
  });
  const packages = new Set();
  await build({
    configFile: fileURLToPath(new URL("web/vite.config.ts", root)),
    logLevel: "warn",
    plugins: [collectNotices(packages)],
  });
  await buildProgram(collectNotices(packages));
  writeAllNotices(packages);
} catch (error) {
  if (error?.status === undefined) console.error(error);
  process.exit(1);
}
