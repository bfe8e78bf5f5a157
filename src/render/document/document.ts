/**
 * The content of a result in order of importance, without its looks: terminals, Markdown, HTML and the viewer's page
 * draw the same document. Text is foreign until a medium has escaped it.
 *
 * @module
 */
import type { FirstLook, PageMove, PageRow } from "../../results/page.ts";
import type { VerdictLevel } from "../../results/report.ts";
import type { ChartSpec } from "../charts/chart-spec.ts";
import type { Surface } from "./surface.ts";
import type { Table } from "./table.ts";

export interface Document {
  /** The verb that made it: `sweep`. */
  readonly kind: string;
  /** The part of a heading before the name: `Digits of`. */
  readonly heading: string;
  /** Name of the run, the log or the study. */
  readonly name: string;
  /** The part of a heading after the name: `none needed`. */
  readonly result?: string;
  /** What was read, in parts: `3,264 sequences`. */
  readonly input: readonly string[];
  /** Before everything else, without headings. */
  /** The verdict. */
  readonly verdict?: Entry;
  readonly lead: readonly Block[];
  /** Follows the lead; pages put it at the side. */
  readonly aside?: readonly Block[];
  readonly sections: readonly Section[];
  /** What the figures are; the end of pages and Markdown. */
  readonly footer?: string;
}

/** A section is left out if all its blocks are empty. */
export interface Section {
  /** Used in links. */
  readonly id: string;
  /** Empty if its blocks have titles of their own. */
  readonly title: string;
  readonly blocks: readonly Block[];
  /** Whether the viewer's page folds it. */
  readonly isFolded?: boolean;
  /** The title under which that page gathers sections. */
  readonly part?: string;
}

export type Block = Text | List | Facts | Entries | TableBlock | Picture | Charts | Places | Code | Command;

export interface Text {
  readonly kind: "text";
  readonly text: string;
  /** Secondary text: how to read something, or what is absent. */
  readonly muted?: boolean;
}

export interface List {
  readonly kind: "list";
  readonly title?: string;
  readonly items: readonly string[];
  readonly muted?: boolean;
}

/** Labels, each with its text. */
export interface Facts {
  readonly kind: "facts";
  readonly rows: readonly (readonly [label: string, text: string])[];
}

/** Findings, answers, scenarios: each with a word for its weight. */
export interface Entries {
  readonly kind: "entries";
  readonly entries: readonly Entry[];
  /** Shown if there are none; without it, nothing is shown. */
  readonly none?: string;
}

export interface Entry {
  readonly level: VerdictLevel;
  /** `warning`, `supported`, `yes`. */
  readonly word: string;
  readonly text: string;
  /** Whether `text` is a heading for the rest. */
  readonly isHeading?: boolean;
  readonly body?: string;
  readonly items?: readonly string[];
  readonly details?: readonly (readonly [label: string, text: string])[];
  /** Where the entry leads on the viewer's page. */
  readonly link?: { readonly text: string; readonly move: PageMove };
}

export interface TableBlock {
  readonly kind: "table";
  readonly table: Table;
  /** How to read the columns, given the headers of hidden ones. */
  readonly legend?: (hidden: readonly string[]) => string;
  /** Whether the viewer's page folds it. */
  readonly isFolded?: boolean;
}

/**
 * Content that each medium draws differently, as text already escaped for it; a medium without a drawer leaves it out.
 * Sparklines are for terminals, charts for pages.
 */
export interface Picture {
  readonly kind: "picture";
  readonly terminal?: (surface: Surface) => readonly string[];
  readonly markdown?: () => string;
  /** SVG for every page. */
  readonly svg?: () => string;
  /** HTML with more than SVG can hold; the viewer's page has no style for it. */
  readonly html?: () => string;
  /** What the viewer's page shows instead. */
  readonly instead?: readonly Block[];
  /** For links to it on a page, and the names of its files. */
  readonly id?: string;
  /** Size of the chart on a page: large ones stand side by side, small ones three to a row. */
  readonly chart?: "large" | "small";
  /** Its data, for export. */
  readonly raw?: () => readonly PageRow[];
}

/** Line charts over the same steps, small and beside each other on a page. */
export interface Charts {
  readonly kind: "charts";
  readonly charts: readonly ChartSpec[];
}

export type Medium = "terminal" | "markdown" | "html" | "page";

/** Places to look at on the viewer's page. */
export interface Places {
  readonly kind: "places";
  readonly title: string;
  readonly places: readonly FirstLook[];
}

/** Lines to paste into a file. */
export interface Code {
  readonly kind: "code";
  /** What the lines belong to, and their place in it. */
  readonly title?: string;
  readonly place?: string;
  readonly language: string;
  readonly text: string;
  /** Its traps. */
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
  /** The place that it shows: the viewer's page leads to it. */
  readonly handle?: string;
}

/** Tables, each as a section of its own name. */
export function tableSections(tables: readonly Table[], prefix = ""): Section[] {
  return tables.map((table) => ({
    id: anchor(`${prefix}${table.id}`),
    title: table.title,
    blocks: [{ kind: "table", table }],
  }));
}

/** Ids may contain names from files. */
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
    case "places":
      return block.places.length > 0 && medium === "page";
    case "picture":
      return hasDrawer(block, medium);
    case "charts":
      return block.charts.length > 0 && (medium === "html" || medium === "page");
    default:
      return true;
  }
}

function hasDrawer(picture: Picture, medium: Medium): boolean {
  if (medium === "terminal" || medium === "markdown") return picture[medium] !== undefined;
  return picture.svg !== undefined || picture[medium === "html" ? "html" : "instead"] !== undefined;
}

/** The blocks before the sections, one after the other. */
export function leadBlocks({ lead, aside = [] }: Document, medium: Medium): Block[] {
  return [...lead, ...aside].filter((block) => isFilled(block, medium));
}

/** The sections with content, without their empty blocks. */
export function filledSections(sections: readonly Section[], medium: Medium): Section[] {
  return sections
    .map((section) => ({ ...section, blocks: section.blocks.filter((block) => isFilled(block, medium)) }))
    .filter(({ blocks }) => blocks.length > 0);
}
