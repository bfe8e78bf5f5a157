import { readFileSync, writeFileSync } from "node:fs";

/** Rows of cells as a Markdown table: the first column to the left, the others to the right. */
export function markdownTable([head, ...rows]) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/**
 * Puts `text` between `<!-- figures: NAME -->` and `<!-- end -->` of a Markdown file.
 *
 * @throws Error if the file has no such place
 */
export function fillBlock(file, name, text) {
  const page = readFileSync(file, "utf8");
  const open = `<!-- figures: ${name} -->`;
  const start = page.indexOf(open);
  const end = page.indexOf("<!-- end -->", start);
  if (start < 0 || end < 0) throw new Error(`there is no ${open} … <!-- end --> in ${file}`);
  writeFileSync(file, `${page.slice(0, start + open.length)}\n\n${text}\n\n${page.slice(end)}`);
}
