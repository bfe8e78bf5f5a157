// npm run docs:site [-- --out DIR]: the documentation as a site, in site/html unless --out names another folder. It loads
// nothing from other hosts, its search included, so that it can be read from a disk as well as from a server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkSite } from "./site/check-site.mjs";
import { stagePages } from "./site/stage-pages.mjs";
import { ROOT } from "./support/build-state.mjs";
import { preparePython } from "./support/python.mjs";
import { findRepository } from "./support/repository.mjs";
import { runCommand } from "./support/steps.mjs";

const { values: options } = parseArgs({
  options: { out: { type: "string", default: join(ROOT, "site/html") } },
});
const out = resolve(options.out);

const { python, skipped } = await preparePython("site");
if (skipped !== undefined) fail([skipped]);
const stage = mkdtempSync(join(tmpdir(), "logratio-site-"));
process.on("exit", () => rmSync(stage, { recursive: true, force: true }));

const missing = stagePages(ROOT, join(stage, "pages"), findRepository());
if (missing.length > 0) fail(missing);
rmSync(out, { recursive: true, force: true });
const { ok, said } = await runCommand([
  ...[python, "-m", "sphinx", "--builder", "html", "--quiet", "--fail-on-warning", "--keep-going"],
  ...["--conf-dir", join(ROOT, "site"), "--doctree-dir", join(stage, "doctrees"), join(stage, "pages"), out],
]);
if (!ok) fail([said.trim()]);
const { pages, links, problems } = checkSite(out);
if (problems.length > 0) fail(problems);
console.log(`${out}: ${pages} pages, ${links} links`);

function fail(lines) {
  for (const line of lines) console.error(`error: ${line}`);
  process.exit(1);
}
