/**
 * Any document as one page: it needs no network, opens from `file://`, reads without its script, and prints. Everything
 * from files is escaped, and the page's own policy allows no style and no script but its own.
 *
 * @module
 */
import { lineChart } from "../charts/line-chart.ts";
import {
  anchor,
  type Block,
  type Document,
  type Entry,
  filledSections,
  isFilled,
} from "../document/document.ts";
import { displayed } from "../text/display/index.ts";
import { escapeHtml } from "./escape.ts";
import { SECURITY_POLICY } from "./policy.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { htmlTable } from "./table.ts";
import { TEXT_STYLE } from "./text-style.ts";

/** Charts over steps: three side by side. */
const SMALL = { width: 352, height: 216 };

/**
 * A page that a server shows among others; its style sheet and script, `STYLE` and `SCRIPT`, are files of the server.
 */
export interface ServedPage {
  readonly style: string;
  readonly script: string;
  /** Links to the other pages: HTML, before everything else. */
  readonly links: string;
}

export function writePage(document: Document, served?: ServedPage): string {
  const { kind, name, result, input, verdict, lead, aside, footer = "" } = document;
  const top = (id: string, blocks: readonly Block[]): string =>
    writeBlocks(
      blocks.filter((block) => isFilled(block, "html")),
      "",
      id,
    );
  const sections = filledSections(document.sections, "html")
    .map(({ id, title, blocks }) => ({ id, title, body: writeBlocks(blocks, title, id) }))
    .filter(({ body }) => body !== "");
  return [
    "<!doctype html>",
    `<html lang=en><head><meta charset=utf-8><meta name=generator content="logratio ${kind}"><meta name=viewport content="width=device-width,initial-scale=1">`,
    ...(served === undefined
      ? [`<meta http-equiv=Content-Security-Policy content="${SECURITY_POLICY}">`]
      : []),
    `<meta name=referrer content=no-referrer><title>${escapeHtml(`${name}${result === undefined ? "" : `: ${result}`} · logratio ${kind}`)}</title>`,
    served === undefined
      ? `<style>${STYLE}</style><style>${TEXT_STYLE}</style></head><body>`
      : `<link rel=stylesheet href="${escapeHtml(served.style)}"></head><body>${served.links}`,
    `<header><div class=top><h1>${escapeHtml(name)}</h1><button class=tool id=theme type=button hidden>colors</button></div>`,
    `<p class=muted>${escapeHtml(input.join(" · "))}</p>${verdict === undefined ? "" : writeVerdict(verdict)}</header>`,
    "<main>",
    aside === undefined
      ? top("lead", lead)
      : `<div class=two><div>${top("lead", lead)}</div><div>${top("aside", aside)}</div></div>`,
    `<nav aria-label=Sections>${sections
      .filter(({ title }) => title !== "")
      .map(({ id, title }) => `<a href="#${id}">${escapeHtml(title)}</a>`)
      .join(" ")}</nav>`,
    ...sections.map(({ id, title, body }) => {
      const head = title === "" ? "" : `<h2><a href="#${id}">${escapeHtml(title)}</a></h2>`;
      return `<section id="${id}">${head}${body}</section>`;
    }),
    "</main>",
    `<footer>logratio ${kind}. ${escapeHtml(footer)}${served === undefined ? " This page loads nothing." : ""}</footer>`,
    served === undefined
      ? `<script>${SCRIPT}</script></body></html>\n`
      : `<script src="${escapeHtml(served.script)}"></script></body></html>\n`,
  ].join("\n");
}

/** Blocks one after the other; consecutive charts are side by side. */
function writeBlocks(blocks: readonly Block[], title: string, id: string): string {
  const written: string[] = [];
  let charts: string[] = [];
  let size = "";
  const flush = (): void => {
    const name = size === "small" ? `"charts small"` : "charts";
    if (charts.length > 0) written.push(`<div class=${name}>${charts.join("\n")}</div>`);
    charts = [];
  };
  const add = (chart: "large" | "small", id: string | undefined, drawn: string): void => {
    if (chart !== size) flush();
    size = chart;
    charts.push(`<figure${id === undefined ? "" : ` id="chart-${anchor(id)}"`}>${drawn}</figure>`);
  };
  for (const [at, block] of blocks.entries()) {
    if (block.kind === "charts") {
      for (const spec of block.charts) add("small", spec.id, lineChart(spec, SMALL));
      continue;
    }
    if (block.kind === "picture" && block.chart !== undefined) {
      add(block.chart, block.id, drawPicture(block));
      continue;
    }
    flush();
    written.push(writeBlock(block, title, `${id}-${at}`));
  }
  flush();
  return written.filter((part) => part !== "").join("\n");
}

function drawPicture({ html, svg }: Extract<Block, { kind: "picture" }>): string {
  return html?.() ?? svg?.() ?? "";
}

function writeBlock(block: Exclude<Block, { kind: "charts" }>, title: string, id: string): string {
  switch (block.kind) {
    case "text":
      return `<p${block.muted ? " class=note" : ""}>${say(block.text)}</p>`;
    case "list":
      return `${block.title === undefined ? "" : `<h3>${say(block.title)}</h3>`}<ul${block.muted ? " class=note" : ""}>${writeItems(block.items)}</ul>`;
    case "facts":
      return writeFacts(block.rows);
    case "entries":
      return block.entries.length === 0
        ? `<p class=muted>${say(block.none ?? "")}</p>`
        : `<ul class=answers>${block.entries.map(writeEntry).join("\n")}</ul>`;
    case "table": {
      const { table, legend } = block;
      const note = table.note === undefined ? "" : `<p class=note>${say(table.note)}</p>`;
      const key = legend === undefined ? "" : `<p class=note>${say(legend([]))}</p>`;
      // The heading already shows its name.
      const caption = table.title === title ? "" : table.title;
      const drawn = htmlTable(table, caption);
      // The note follows a table with a caption, but precedes a table directly under a section's heading.
      return (caption === "" ? note + drawn : drawn + note) + key;
    }
    case "picture":
      return drawPicture(block);
    case "places":
      return "";
    case "code": {
      const head =
        block.title === undefined ? "" : `<h3>${say([block.title, block.place ?? ""].join(" "))}</h3>`;
      const traps = block.traps ?? [];
      const list = traps.length === 0 ? "" : `<ul class=warn>${writeItems(traps)}</ul>`;
      return `${head}<pre>${block.text.trimEnd().split("\n").map(escapeHtml).join("\n")}</pre>${list}`;
    }
    case "command":
      return (
        `<h3>${say(block.label)}</h3><div class=next><pre id="${block.id ?? id}">${escapeHtml(block.command)}</pre>` +
        `<button class=tool type=button data-copy="${block.id ?? id}" hidden>copy</button></div>` +
        (block.why === undefined ? "" : `<p class=note>${say(block.why)}</p>`)
      );
  }
}

function writeVerdict({ level, word, text, items = [] }: Entry): string {
  const list = items.length === 0 ? "" : `<ul>${writeItems(items)}</ul>`;
  return `<div class=verdict><span class="level ${level}">${say(word)}</span><p>${say(text)}</p></div>${list}`;
}

function writeEntry({ level, word, text, isHeading, body, items = [], details = [] }: Entry): string {
  return (
    `<li><span class="level ${level}">${say(word)}</span><p${isHeading ? " class=q" : ""}>${say(text)}</p>` +
    (body === undefined ? "" : `<p>${say(body)}</p>`) +
    (items.length === 0 ? "" : `<ul>${writeItems(items)}</ul>`) +
    writeFacts(details)
  );
}

function writeFacts(rows: readonly (readonly [label: string, text: string])[]): string {
  if (rows.length === 0) return "";
  return `<dl>${rows.map(([label, text]) => `<dt>${say(label)}<dd>${say(text)}`).join("\n")}</dl>`;
}

function writeItems(items: readonly string[]): string {
  return items.map((item) => `<li>${say(item)}`).join("\n");
}

/** Own or foreign text, with typographic signs in figures. */
function say(text: string): string {
  return escapeHtml(displayed(text));
}
