/**
 * Any document as Markdown, for pasting into an issue.
 *
 * @module
 */
import { type Block, type Document, type Entry, filledSections, leadBlocks } from "../document/document.ts";
import { NEEDED } from "../document/table.ts";
import { tableBlock } from "./table.ts";
import { codeBlock, codeLines, codeSpan, escapeMarkdown } from "./text.ts";

/** Options of the Markdown in addition to the document. */
export interface MarkdownOptions {
  /** The command that made it. */
  readonly command?: string;
}

export function writeMarkdown(document: Document, { command }: MarkdownOptions = {}): string {
  const { heading, name, result, input, verdict, sections, footer } = document;
  const title = [heading, codeSpan(name)].filter((part) => part !== "").join(" ");
  const blocks = [
    `### ${title}${result === undefined ? "" : `: ${escapeMarkdown(result)}`}`,
    escapeMarkdown(input.join(" · ")),
    ...(verdict === undefined ? [] : [writeVerdict(verdict)]),
    ...leadBlocks(document, "markdown").map(writeBlock),
    ...filledSections(sections, "markdown").flatMap(({ title: head, blocks: inside }) => {
      const written = inside.map(writeBlock).filter((block) => block !== "");
      const [first] = inside;
      const isTitled = head === "" || (first?.kind === "table" && first.table.title === head);
      return written.length === 0 || isTitled ? written : [`#### ${escapeMarkdown(head)}`, ...written];
    }),
    ...(command === undefined ? [] : [`To repeat this:\n\n${codeBlock(command)}`]),
    footer === undefined ? "" : escapeMarkdown(footer),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case "text":
      return escapeMarkdown(block.text);
    case "list":
      return (
        (block.title === undefined ? "" : `**${escapeMarkdown(block.title)}**\n\n`) + writeList(block.items)
      );
    case "facts":
      return block.rows
        .map(([label, text]) => `- **${escapeMarkdown(label)}**: ${escapeMarkdown(text)}`)
        .join("\n");
    case "entries":
      return block.entries.length === 0
        ? escapeMarkdown(block.none ?? "")
        : block.entries.map(writeEntry).join("\n");
    case "table": {
      const hidden = block.table.columns.filter(({ priority }) => priority > NEEDED);
      const legend = block.legend?.(hidden.map(({ header }) => header));
      const table = tableBlock(block.table, NEEDED);
      return legend === undefined ? table : `${table}\n\n${escapeMarkdown(legend)}`;
    }
    case "picture":
      return block.markdown?.() ?? "";
    case "charts":
    case "places":
      return "";
    case "code":
      return [
        ...(block.title === undefined
          ? []
          : [escapeMarkdown([block.title, block.place ?? ""].filter((part) => part !== "").join(": "))]),
        codeLines(block.text.trimEnd(), block.language),
        ...(block.traps === undefined || block.traps.length === 0 ? [] : [writeList(block.traps)]),
      ].join("\n\n");
    case "command": {
      const why = block.why === undefined ? "" : ` (${escapeMarkdown(block.why)})`;
      return `${escapeMarkdown(block.label)}${why}:\n\n${codeBlock(block.command)}`;
    }
  }
}

/** The heading already has its word. */
function writeVerdict({ text, isHeading, items = [] }: Entry): string {
  const said = isHeading ? `**${escapeMarkdown(text)}**` : escapeMarkdown(text);
  return items.length === 0 ? said : `${said}\n\n${writeList(items)}`;
}

function writeEntry({ word, text, isHeading, body, items = [], details = [] }: Entry): string {
  const said = escapeMarkdown(text);
  return [
    isHeading ? `- **${said}** (${escapeMarkdown(word)})` : `- **${escapeMarkdown(word)}** ${said}`,
    ...(body === undefined ? [] : [`  ${escapeMarkdown(body)}`]),
    ...items.map((item) => `  - ${escapeMarkdown(item)}`),
    ...details.map(([label, detail]) => `  - ${escapeMarkdown(label)}: ${escapeMarkdown(detail)}`),
  ].join("\n");
}

function writeList(items: readonly string[]): string {
  return items.map((item) => `- ${escapeMarkdown(item)}`).join("\n");
}
