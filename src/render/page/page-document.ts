import type { PagePicture, PageTable } from "../../results/page.ts";
import {
  type Block,
  type Document,
  type Entry,
  filledSections,
  isFilled,
  type Picture,
  type Section,
  type TableBlock,
} from "../document/document.ts";
import { displayed } from "../text/display/index.ts";
import { printable } from "../text/printable.ts";
import { pageTable } from "./page-table.ts";

/** A document as JSON. Its sentences may name places by their handles. */
export interface PageDocument extends Pick<Document, "input" | "footer"> {
  readonly verdict: Entry | null;
  readonly lead: readonly PageBlock[];
  readonly aside: readonly PageBlock[];
  readonly sections: readonly PageSection[];
}

export interface PageSection extends Omit<Section, "blocks"> {
  readonly blocks: readonly PageBlock[];
}

export type PageBlock =
  | Exclude<Block, Picture | TableBlock>
  | {
      readonly kind: "table";
      readonly table: PageTable;
      readonly legend?: string;
      readonly isFolded?: boolean;
    }
  | { readonly kind: "picture"; readonly picture: PagePicture };

/** The document as page data: texts are printable and have typographic signs in figures; pictures are drawn. */
export function pageDocument({ input, verdict, lead, aside = [], ...document }: Document): PageDocument {
  return {
    input: input.map(say),
    verdict: verdict === undefined ? null : sayEntry(verdict),
    lead: pageBlocks("lead", lead),
    aside: pageBlocks("aside", aside),
    sections: filledSections(document.sections, "page").map((section) => ({
      ...section,
      title: say(section.title),
      blocks: pageBlocks(section.id, section.blocks),
    })),
    footer: say(document.footer ?? ""),
  };
}

function pageBlocks(place: string, blocks: readonly Block[]): PageBlock[] {
  return blocks
    .filter((block) => isFilled(block, "page"))
    .flatMap((block, at): PageBlock[] => {
      if (block.kind !== "picture") return [pageBlock(block)];
      return block.svg === undefined
        ? pageBlocks(place, block.instead ?? [])
        : [
            {
              kind: "picture",
              picture: { id: block.id ?? `${place}-${at + 1}`, svg: block.svg(), raw: block.raw?.() ?? [] },
            },
          ];
    });
}

function pageBlock(block: Exclude<Block, Picture>): PageBlock {
  switch (block.kind) {
    case "text":
      return { ...block, text: say(block.text) };
    case "list":
      return { ...block, ...sayTitle(block), items: block.items.map(say) };
    case "facts":
      return { ...block, rows: block.rows.map(sayFact) };
    case "entries":
      return { ...block, entries: block.entries.map(sayEntry) };
    case "table": {
      const { table, legend, ...rest } = block;
      return { ...rest, table: pageTable(table), ...(legend && { legend: say(legend([])) }) };
    }
    case "charts":
    case "places":
      return block;
    case "code":
      return {
        ...block,
        ...sayTitle(block),
        // Lines to paste keep their signs.
        text: block.text.trimEnd().split("\n").map(printable).join("\n"),
        traps: block.traps?.map(say) ?? [],
      };
    case "command":
      return { ...block, label: say(block.label), ...(block.why !== undefined && { why: say(block.why) }) };
  }
}

function sayTitle({ title }: { readonly title?: string }): { readonly title?: string } {
  return title === undefined ? {} : { title: say(title) };
}

function sayEntry({ text, body, items = [], details = [], ...entry }: Entry): Entry {
  return {
    ...entry,
    text: say(text),
    ...(body !== undefined && { body: say(body) }),
    items: items.map(say),
    details: details.map(sayFact),
  };
}

function sayFact([label, text]: readonly [label: string, text: string]): readonly [string, string] {
  return [say(label), say(text)];
}

function say(text: string): string {
  return displayed(printable(text));
}
