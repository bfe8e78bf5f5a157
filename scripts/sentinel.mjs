// npm run sentinel [-- TRAINER… --newest | --earlier | …]: judges trainers' releases by what logratio prints and knows
// (sentinel/README.md). Its Python environment is made once.
import { join } from "node:path";
import { findStalePart, ROOT } from "./support/build-state.mjs";
import { runScript } from "./support/checks.mjs";
import { preparePython } from "./support/python.mjs";
import { runCommand } from "./support/steps.mjs";

if (["modules", "program"].some((part) => findStalePart(part) !== undefined)) {
  const { ok, said } = await runScript("build");
  if (!ok) {
    console.error(said);
    process.exit(2);
  }
}
const { python, skipped } = await preparePython("sentinel");
if (skipped !== undefined) {
  console.error(`the sentinel needs Python 3.11 and the libraries of sentinel/requirements.txt: ${skipped}`);
  process.exit(2);
}
const { ok } = await runCommand([python, "-m", "sentinel", ...process.argv.slice(2)], {
  cwd: join(ROOT, "sentinel"),
  live: true,
});
process.exit(ok ? 0 : 1);
