// Builds dist/ from src/: compile, nothing else. The committed wasm is checked by `npm test`, not rebuilt here.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
rmSync(new URL("dist", root), { recursive: true, force: true });
try {
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
    cwd: fileURLToPath(root),
    stdio: "inherit",
  });
} catch {
  process.exit(1);
}
