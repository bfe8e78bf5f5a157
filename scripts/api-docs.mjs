// npm run docs:api: writes docs/api/, one page per entry of the package, from the types and docstrings that a user's
// editor shows. With --check it writes nothing and fails if a page differs from what it would write.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderIndex, renderPage } from "./docs/api-page.mjs";
import { readPublicNames } from "./docs/public-names.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = join(root, "docs/api");
const isCheck = process.argv.includes("--check");

const { entries } = readPublicNames(root);
const pages = new Map([["README.md", renderIndex(entries)]]);
for (const entry of entries) pages.set(`${entry.entry.split("/").at(-1)}.md`, renderPage(entry, entries));

let there = [];
try {
  there = readdirSync(folder);
} catch {
  mkdirSync(folder, { recursive: true });
}
const stale = [];
for (const [name, text] of pages) {
  if (there.includes(name) && readFileSync(join(folder, name), "utf8") === text) continue;
  stale.push(name);
  if (!isCheck) writeFileSync(join(folder, name), text);
}
for (const name of there.filter((name) => !pages.has(name))) {
  stale.push(name);
  if (!isCheck) rmSync(join(folder, name));
}
if (isCheck)
  for (const name of stale) console.error(`docs/api/${name} is not what the types say: npm run docs:api`);
console.log(`API reference: ${pages.size} pages, ${stale.length} ${isCheck ? "stale" : "written"}`);
process.exit(isCheck && stale.length > 0 ? 1 : 0);
