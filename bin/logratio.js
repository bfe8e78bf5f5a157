#!/usr/bin/env node
import { existsSync } from "node:fs";

const main = new URL("../dist/apps/cli/main.js", import.meta.url);
if (!existsSync(main)) {
  process.stderr.write(
    "logratio is not built here: run `npm ci` (or `npm run build`) in its directory first\n",
  );
  process.exit(3);
}
await import(main.href);
