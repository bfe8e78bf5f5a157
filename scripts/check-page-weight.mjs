// Compares the gzipped sizes of the built page's scripts and styles with their limit.
// `node scripts/check-page-weight.mjs [FOLDER]`; the default is dist/web.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const MOST_BYTES = 159_500;
const folder = process.argv[2] ?? fileURLToPath(new URL("../dist/web", import.meta.url));
const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|css)$/.test(name));

let sum = 0;
for (const name of files.sort()) {
  const content = readFileSync(join(folder, name));
  const size = gzipSync(content, { level: 9 }).length;
  sum += size;
  console.log(`${name}: ${content.length.toLocaleString("en")} bytes, ${size.toLocaleString("en")} gzipped`);
}
const ok = files.length > 0 && sum <= MOST_BYTES;
console.log(
  `the page: ${sum.toLocaleString("en")} of ${MOST_BYTES.toLocaleString("en")} bytes${ok ? "" : ": too much"}`,
);
process.exit(ok ? 0 : 1);
