#!/usr/bin/env node
import { existsSync } from "node:fs";

// Bundled into few files, which load at once; else as dist/ has it, after a build of TypeScript alone.
const main = ["../program/apps/cli/main.js", "../dist/apps/cli/main.js"]
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url));
if (main === undefined) {
  process.stderr.write(
    "logratio is not built here: run `npm ci` (or `npm run build`) in its directory first\n",
  );
  process.exit(3);
}
await import(main.href);
