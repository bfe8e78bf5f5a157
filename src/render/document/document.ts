/**
 * What a result says, in the order in which it matters, and nothing of how it looks: terminals, Markdown and HTML draw
 * the same document. Text is foreign until a medium has escaped it.
 *
 * @module
 */
import type { VerdictLevel } from "../../results/index.ts";
import type { Surface } from "./surface.ts";
import type { Table } from "./table.ts";

export interface Document {
  /** The verb that made it: `sweep`. */
  readonly kind: string;
  /** What stands before the name in a heading: `Digits of`. */
  readonly heading: string;
  /** Of the run, the log or the study. */
  readonly name: string;
  /** After the name in a heading: `none needed`. */
  readonly result?: string;
  /** What was read, in parts: `3,264 sequences`. */
  readonly input: readonly string[];
  /** Before everything else, without headings. */
  /** What it all comes to. */
  readonly verdict?: Entry;
  readonly lead: readonly Block[];
  /** After the lead; a page has room for it beside. */
  readonly aside?: readonly Block[];
  readonly sections: readonly Section[];
  /** What the figures are; pages and Markdown end with it. */
  readonly footer?: string;
}

/** Left out where nothing in it has anything to show. */
export interface Section {
  /** For links. */
  readonly id: string;
  /** Empty: what is in it has titles of its own. */
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block = Text | List | Facts | Entries | TableBlock | Picture | Code | Command;

export interface Text {
  readonly kind: "text";
  readonly text: string;
  /** Beside the point: how to read something, what there was none of. */
  readonly muted?: boolean;
}

export interface List {
  readonly kind: "list";
  readonly title?: string;
  readonly items: readonly string[];
  readonly muted?: boolean;
}

/** Labels, each with what there is to say under it. */
export interface Facts {
  readonly kind: "facts";
  readonly rows: readonly (readonly [label: string, text: string])[];
}

/** Findings, answers, scenarios: each with a word that says how it is to be taken. */
export interface Entries {
  readonly kind: "entries";
  readonly entries: readonly Entry[];
  /** Said where there are none; without it nothing is shown. */
  readonly none?: string;
}

export interface Entry {
  readonly level: VerdictLevel;
  /** `warning`, `supported`, `yes`. */
  readonly word: string;
  readonly text: string;
  /** Whether `text` is a heading of the rest. */
  readonly isHeading?: boolean;
  readonly body?: string;
  readonly items?: readonly string[];
  readonly details?: readonly (readonly [label: string, text: string])[];
}

export interface TableBlock {
  readonly kind: "table";
  readonly table: Table;
  /** How to read the columns, given the headers of those that are not shown. */
  readonly legend?: (hidden: readonly string[]) => string;
}

/**
 * What is drawn otherwise in each medium, as text that is already fit for it; a medium without a drawer leaves it out.
 * Sparklines are for terminals, charts for pages.
 */
export interface Picture {
  readonly kind: "picture";
  readonly terminal?: (surface: Surface) => readonly string[];
  readonly markdown?: () => string;
  readonly html?: () => string;
  /** For links to it on a page. */
  readonly id?: string;
  /** Charts stand beside each other on a page, small ones three to a row. */
  readonly chart?: "large" | "small";
}

export type Medium = "terminal" | "markdown" | "html";

/** Lines to paste into a file. */
export interface Code {
  readonly kind: "code";
  /** What they belong to, and where in it they go. */
  readonly title?: string;
  readonly place?: string;
  readonly language: string;
  readonly text: string;
  /** What goes wrong with it. */
  readonly traps?: readonly string[];
}

/** A command to run. */
export interface Command {
  readonly kind: "command";
  readonly label: string;
  readonly command: string;
  readonly why?: string;
  /** For links to it on a page. */
  readonly id?: string;
}

/** Tables, each as a section of its own name. */
export function tableSections(tables: readonly Table[], prefix = ""): Section[] {
  return tables.map((table) => ({
    id: anchor(`${prefix}${table.id}`),
    title: table.title,
    blocks: [{ kind: "table", table }],
  }));
}

/** Trainers name their tables, and names come from files. */
export function anchor(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9-]+/g, "-");
}

/** Whether there is anything to show. */
export function isFilled(block: Block, medium: Medium): boolean {
  switch (block.kind) {
    case "list":
      return block.items.length > 0;
    case "facts":
      return block.rows.length > 0;
    case "entries":
      return block.entries.length > 0 || block.none !== undefined;
    case "table":
      return block.table.rows > 0;
    case "command":
      return block.command !== "";
    case "picture":
      return block[medium] !== undefined;
    default:
      return true;
  }
}

/** What stands before the sections, one after the other. */
export function leadBlocks({ lead, aside = [] }: Document, medium: Medium): Block[] {
  return [...lead, ...aside].filter((block) => isFilled(block, medium));
}

/** The sections that have something to show, without what has not. */
export function filledSections(sections: readonly Section[], medium: Medium): Section[] {
  return sections
    .map((section) => ({ ...section, blocks: section.blocks.filter((block) => isFilled(block, medium)) }))
    .filter(({ blocks }) => blocks.length > 0);
}
