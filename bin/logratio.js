#!/usr/bin/env node
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const program = join(__dirname, "../program/apps/cli/main.js");
const modules = join(__dirname, "../dist/apps/cli/main.js");
// Bundled into few files, which load at once; else as dist/ has it, after a build of TypeScript alone.
if (existsSync(program)) require(program);
else if (existsSync(modules)) import(require("node:url").pathToFileURL(modules).href);
else {
  process.stderr.write(
    "logratio is not built here: run `npm ci` (or `npm run build`) in its directory first\n",
  );
  process.exitCode = 3;
}
