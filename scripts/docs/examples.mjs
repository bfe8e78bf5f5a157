// Finds the ```ts examples of docstrings and pages, and the reasons not to check them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FENCE = /^```(?:ts|typescript)\b(.*)$/;

function* filesBelow(directory, ending) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, ending);
    else if (entry.name.endsWith(ending)) yield path;
  }
}

/** Sources and pages that contain examples; docs/api repeats those of the sources. */
export function filesWithExamples(root) {
  return [
    ...[...filesBelow(join(root, "src"), ".ts")].filter((file) => !/\.test(-data)?\.ts$/.test(file)),
    ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map((name) => join(root, name)),
    ...[...filesBelow(join(root, "docs"), ".md")].filter((file) => !file.startsWith(join(root, "docs/api"))),
  ];
}

/**
 * Every example of a file: `{ file, line, code }`, with `reason` if the fence says ```ts nocheck REASON, and `problem`
 * if it cannot be checked.
 */
export function examplesOf(file) {
  const text = readFileSync(file, "utf8");
  const isSource = file.endsWith(".ts");
  const lines = text.split("\n").map((line) => (isSource ? line.replace(/^\s*\* ?/, "") : line));
  const examples = [];
  for (let i = 0; i < lines.length; i++) {
    const fence = FENCE.exec(lines[i].trim());
    if (!fence) continue;
    const end = lines.findIndex((line, j) => j > i && line.trim() === "```");
    const code = lines.slice(i + 1, end).join("\n");
    examples.push({ file, line: i + 2, code, ...judge(fence[1].trim(), code) });
    i = end;
  }
  return examples;
}

function judge(info, code) {
  if (info.startsWith("nocheck")) {
    const reason = info.slice("nocheck".length).trim();
    return reason === "" ? { problem: "nocheck needs a reason behind it" } : { reason };
  }
  if (info !== "") return { problem: `"${info}" behind the fence is not understood` };
  if (!/\bassert\b/.test(code.replace(/^import .*$/gm, ""))) return { problem: "it asserts nothing" };
  if (!/ from "logratio/.test(code)) return { problem: "it imports nothing of logratio" };
  return {};
}
