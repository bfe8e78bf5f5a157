/**
 * Any document as lines for a terminal.
 *
 * @module
 */
import {
  type Block,
  type Document,
  type Entry,
  filledSections,
  leadBlocks,
  type Section,
} from "../document/document.ts";
import type { Style, Surface } from "../document/surface.ts";
import { clip, clipMiddle, displayWidth, pad } from "./columns.ts";
import { drawCommand } from "./command.ts";
import { levelSign, makeSurface, type TerminalOptions } from "./surface.ts";
import { drawTable } from "./table.ts";
import { wrap, wrapParts } from "./wrap.ts";

/** Labels of facts are padded to this width, so that short lists are aligned too. */
const LEAST_LABEL = 8;

/** No line is longer than `width` columns, except for commands. */
export function drawDocument(document: Document, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const { name, input, verdict, sections } = document;
  const lines = drawTitle(name, input, surface);
  if (verdict !== undefined) lines.push("", ...clipped(drawEntry(verdict, surface), surface));
  let before: Block | undefined;
  for (const block of leadBlocks(document, "terminal")) {
    if (before?.kind !== block.kind) lines.push("");
    lines.push(...drawBlock(block, surface));
    before = block;
  }
  lines.push(...drawSections(sections, surface));
  return lines.map((line) => `${line}\n`).join("");
}

/** Sections with content, each after a blank line. */
export function drawSections(sections: readonly Section[], surface: Surface): string[] {
  return filledSections(sections, "terminal").flatMap(({ title, blocks }) =>
    drawSection(title, blocks, surface),
  );
}

/** Blocks under a title, after a blank line. A leading table's own title replaces it, since that says more. */
function drawSection(title: string, blocks: readonly Block[], surface: Surface): string[] {
  const isTitled = title === "" || blocks[0]?.kind === "table";
  const head = isTitled ? [] : ["", ...paragraph(title, surface, 0, "bold")];
  return [
    ...head,
    ...blocks.flatMap((block, at) => {
      const isFirst = at === 0 && head.length === 0;
      const isApart = block.kind === "table" || block.kind === "code" || blocks[at - 1]?.kind === "table";
      return [
        ...(block.kind !== "picture" && (isFirst || isApart) ? [""] : []),
        ...drawBlock(block, surface),
      ];
    }),
  ];
}

/** The name of what was read, then what it is, broken between parts. */
function drawTitle(name: string, input: readonly string[], surface: Surface): string[] {
  const shown = clipMiddle(surface.text(name), Math.max(8, Math.floor(surface.width / 2)), surface.ellipsis);
  const separator = surface.unicode ? " · " : ", ";
  const [first = "", ...rest] = wrapParts([shown, ...input.map(surface.text)], separator, surface.width);
  const lines = [
    surface.style(shown, "bold") + surface.style(first.slice(shown.length), "dim"),
    ...rest.map((line) => surface.style(line, "dim")),
  ];
  return clipped(lines, surface);
}

function clipped(lines: readonly string[], surface: Surface): string[] {
  return lines.map((line) => clip(line, surface.width, surface.ellipsis));
}

function drawBlock(block: Block, surface: Surface): string[] {
  // A command must stay pasteable; everything else must fit the terminal.
  if (block.kind === "command") return drawCommand(block.label, block.command, block.why ?? "", surface);
  // Lines to paste must stay whole too: a cut one would not work.
  if (block.kind === "code") return drawCode(block, surface);
  return clipped(drawOther(block, surface), surface);
}

function drawOther(block: Exclude<Block, { kind: "command" | "code" }>, surface: Surface): readonly string[] {
  switch (block.kind) {
    case "text":
      return block.muted
        ? paragraph(block.text, surface, 2, "dim")
        : paragraph(block.text, surface, 0, undefined);
    case "list":
      return [
        ...(block.title === undefined ? [] : [heading(block.title, surface)]),
        ...block.items.flatMap((item) => bullet(item, surface, 0, block.muted ? "dim" : undefined)),
      ];
    case "facts":
      return labelled(block.rows, surface, 0);
    case "entries":
      return block.entries.length === 0
        ? paragraph(block.none ?? "", surface, 2, "dim")
        : block.entries.flatMap((entry) => drawEntry(entry, surface));
    case "table": {
      const { title, note } = block.table;
      const { lines, leftOut } = drawTable(block.table, surface);
      return [
        ...tableHead(title, leftOut, surface),
        ...(note === undefined ? [] : paragraph(note, surface, 2, "dim")),
        ...lines,
        ...(block.legend === undefined ? [] : paragraph(block.legend(leftOut), surface, 2, "dim")),
      ];
    }
    case "picture":
      return block.terminal?.(surface) ?? [];
    case "charts":
    case "places":
      return [];
  }
}

/** The title, and the columns that only a wider terminal shows; below the title if they do not fit beside it. */
function tableHead(title: string, hidden: readonly string[], surface: Surface): string[] {
  const head = title === "" ? [] : [heading(title, surface)];
  if (hidden.length === 0) return head;
  const text = surface.text(`hidden columns: ${hidden.join(", ")} (wider terminal, or --json)`);
  const taken = displayWidth(surface.text(title)) + 2;
  if (title !== "" && taken + displayWidth(text) <= surface.width)
    return [`${heading(title, surface)}  ${surface.style(text, "dim")}`];
  return [...head, ...paragraph(text, surface, 2, "dim")];
}

/** Sign and word, then the subject, with the rest below. */
function drawEntry(
  { level, word, text, isHeading, body, items, details }: Entry,
  surface: Surface,
): string[] {
  const badge = `${levelSign(level, surface.unicode)} ${surface.text(word)}`;
  const taken = displayWidth(badge) + 2;
  const [first = "", ...rest] = wrapText(text, surface, surface.width - 2, surface.width - taken);
  const bold = (line: string): string => (isHeading ? surface.style(line, "bold") : line);
  return [
    `${surface.style(badge, `level-${level}`)}  ${bold(first)}`,
    ...rest.map((line) => `  ${bold(line)}`),
    ...(body === undefined ? [] : paragraph(body, surface, 2, undefined)),
    ...(items ?? []).flatMap((item) => bullet(item, surface, 2)),
    ...labelled(details ?? [], surface, 2),
  ];
}

/** Config lines are for pasting: not wrapped, not indented beyond their margin, and clipped only if they must be. */
function drawCode(
  { title, place, text, traps = [] }: Extract<Block, { kind: "code" }>,
  surface: Surface,
): string[] {
  const caution = surface.unicode ? "△ " : "! ";
  return [
    ...(title === undefined ? [] : codeHead(surface.text(title), place ?? "", surface)),
    ...text
      .trimEnd()
      .split("\n")
      .map((line) => `    ${surface.text(line)}`),
    ...traps.flatMap((trap) =>
      wrapText(trap, surface, surface.width - 6).map((line, at) =>
        surface.style(`    ${at === 0 ? caution : " ".repeat(caution.length)}${line}`, "caution"),
      ),
    ),
  ];
}

/** What the lines belong to, with their place beside it; a long one takes several lines. */
function codeHead(title: string, place: string, surface: Surface): string[] {
  const taken = displayWidth(title) + 4;
  const [first = "", ...rest] = wrapText(place, surface, surface.width - taken);
  return clipped(
    [
      `  ${surface.style(title, "bold")}  ${surface.style(first, "dim")}`.trimEnd(),
      ...rest.map((line) => " ".repeat(taken) + surface.style(line, "dim")),
    ],
    surface,
  );
}

function labelled(
  rows: readonly (readonly [label: string, text: string])[],
  surface: Surface,
  indent: number,
): string[] {
  const labels = rows.map(([label]) => surface.text(label));
  const columns = Math.max(LEAST_LABEL, ...labels.map((label) => displayWidth(label) + 2));
  const margin = " ".repeat(indent);
  return rows.flatMap(([, text], row) =>
    wrapText(text, surface, surface.width - indent - columns).map(
      (line, at) => margin + surface.style(pad(at === 0 ? (labels[row] ?? "") : "", columns), "dim") + line,
    ),
  );
}

function bullet(text: string, surface: Surface, indent: number, style?: Style): string[] {
  const sign = surface.unicode ? "• " : "* ";
  return wrapText(text, surface, surface.width - indent - 2).map((line, at) => {
    const whole = (at === 0 ? sign : "  ") + line;
    return " ".repeat(indent) + (style === undefined ? whole : surface.style(whole, style));
  });
}

function paragraph(text: string, surface: Surface, indent: number, style: Style | undefined): string[] {
  return wrapText(text, surface, surface.width - indent).map(
    (line) => " ".repeat(indent) + (style === undefined ? line : surface.style(line, style)),
  );
}

function heading(title: string, surface: Surface): string {
  return surface.style(surface.text(title), "bold");
}

/** Text as lines; a number stays on the same line as its percent sign. */
function wrapText(text: string, surface: Surface, width: number, firstWidth = width): string[] {
  const whole = surface.text(text).replace(/(\d) %/g, "$1\u00a0%");
  return wrap(whole, width, firstWidth).map((line) => line.replaceAll("\u00a0", " "));
}
