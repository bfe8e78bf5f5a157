// Checks the documentation with the built package, as a user with a strict compiler would: every ```ts example of a
// docstring or a page compiles and its assertions hold, and every public name has a description with a unit and an
// example. An example that cannot be checked says why: ```ts nocheck REASON.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { examplesOf, filesWithExamples } from "./docs/examples.mjs";
import { findNameProblems } from "./docs/name-problems.mjs";
import { readPublicNames, STRICT } from "./docs/public-names.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
// Inside the package, so that `import "logratio"` means itself.
const scratch = join(root, "dist/.doc-examples");

const problems = [];
const all = filesWithExamples(root).flatMap(examplesOf);
for (const { file, line, problem } of all)
  if (problem)
    problems.push(`${relative(root, file)}:${line}: ${problem} (or write: \`\`\`ts nocheck REASON)`);
const examples = all.filter(({ reason, problem }) => reason === undefined && problem === undefined);

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
const sources = examples.map(({ code }, i) => {
  const path = join(scratch, `example-${i}.mts`);
  writeFileSync(path, `${code}\nexport {};\n`);
  return path;
});
const placeOf = (path, line = 0) => {
  const { file, line: first } = examples[sources.indexOf(path)];
  return `${relative(root, file)}:${first + line}`;
};

const program = ts.createProgram(sources, { ...STRICT, typeRoots: [join(root, "node_modules/@types")] });
for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
  const message = ts.flattenDiagnosticMessageText(messageText, "\n  ");
  const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0;
  if (file && sources.includes(file.fileName)) problems.push(`${placeOf(file.fileName, line)}: ${message}`);
  // Declarations of the package that do not compile fail for every user who checks libraries.
  else if (file && !file.fileName.includes("/node_modules/"))
    problems.push(`${relative(root, file.fileName)}:${line + 1}: ${message}`);
}

// One process for all, because starting it and loading the package takes most of an example's time.
const runner = join(scratch, "run.mjs");
const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
examples.forEach(({ code }, i) => {
  writeFileSync(join(scratch, `example-${i}.mjs`), ts.transpileModule(code, { compilerOptions }).outputText);
});
writeFileSync(
  runner,
  `for (let i = 0; i < ${examples.length}; i++) {
  try { await import(\`./example-\${i}.mjs\`); }
  catch (error) { console.log(JSON.stringify([i, String(error?.stack ?? error)])); }
}
console.log("ran");
`,
);
const { stdout, stderr } = spawnSync(process.execPath, [runner], { cwd: root, encoding: "utf8" });
const lines = stdout.trimEnd().split("\n");
if (lines.pop() !== "ran") problems.push(`the examples ended before the last of them\n${stderr}`);
for (const line of lines) {
  const [i, error] = JSON.parse(line);
  problems.push(`${placeOf(sources[i])}: the example fails\n${error}`);
}
rmSync(scratch, { recursive: true, force: true });

const { entries, checker } = readPublicNames(root);
problems.push(...findNameProblems(entries, checker, join(root, "dist")));

for (const problem of problems) console.error(problem);
console.log(
  `${examples.length} examples compiled and run, ${all.filter(({ reason }) => reason).length} left out for a reason, ${problems.length} problems`,
);
process.exit(problems.length > 0 || examples.length === 0 ? 1 : 0);
