// Runs every ```ts example of a docstring (src/) or page (README.md, docs/) that holds an assertion or an import of
// logratio, against the built package: documentation that does not run is a failure.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../", import.meta.url));
// Inside the package, so that `import "logratio"` means itself.
const scratch = join(root, "dist/.doc-examples");

function* filesBelow(directory, ending) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, ending);
    else if (entry.name.endsWith(ending)) yield path;
  }
}

function examplesOf(file) {
  const text = readFileSync(file, "utf8");
  const lines = file.endsWith(".ts")
    ? text.split("\n").map((line) => line.replace(/^\s*\* ?/, ""))
    : text.split("\n");
  const examples = [];
  for (let i = 0; i < lines.length; i++) {
    if (lines[i].trim() !== "```ts") continue;
    const end = lines.findIndex((line, j) => j > i && line.trim() === "```");
    examples.push({ file, line: i + 2, code: lines.slice(i + 1, end).join("\n") });
    i = end;
  }
  return examples.filter(({ code }) => /from "logratio/.test(code));
}

const files = [
  ...filesBelow(join(root, "src"), ".ts"),
  join(root, "README.md"),
  ...filesBelow(join(root, "docs"), ".md"),
];
const examples = files.filter((file) => !file.endsWith(".test.ts")).flatMap(examplesOf);
mkdirSync(scratch, { recursive: true });
let failed = 0;
examples.forEach(({ file, line, code }, i) => {
  const script = join(scratch, `example-${i}.mjs`);
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  writeFileSync(script, outputText);
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: root, encoding: "utf8" });
  if (status !== 0) {
    failed++;
    console.error(`${relative(root, file)}:${line}: the example fails\n${stderr}`);
  }
});
rmSync(scratch, { recursive: true, force: true });
console.log(`${examples.length} examples run, ${failed} failed`);
process.exit(failed > 0 || examples.length === 0 ? 1 : 0);
