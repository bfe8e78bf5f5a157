import type { KlReport } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import { escapeHtml, SCRIPT, STYLE } from "../html/index.ts";
import { attentionTable, hiddenTable } from "./attention-tables.ts";
import {
  boundTable,
  checkpointTable,
  detailTable,
  policyTable,
  regionTable,
  rlProbeTable,
} from "./checkpoint-tables.ts";
import { findingLines } from "./finding-lines.ts";
import { htmlCase } from "./html-case.ts";
import { categoryPictures, correctnessPictures, type KlPicture, overviewPictures } from "./html-pictures.ts";
import { htmlSpike } from "./html-spikes.ts";
import { captioned, definitions, htmlList } from "./html-text.ts";
import { KL_SECURITY_POLICY } from "./policy.ts";
import { spikeDistributionsTable, spikeDistributionTable, topProblemTables } from "./problem-tables.ts";
import { progressionLines, progressionTable, stageTable, turningTable } from "./progression-tables.ts";
import { KL_STYLE } from "./style.ts";
import { inputParts, keyFigures, keyLine, methodLines, SUPPORT } from "./summary.ts";
import {
  comparisonTable,
  correctnessTable,
  correlationTable,
  firstErrorTable,
  pairTable,
} from "./test-tables.ts";
import { categoryProgressTable, categoryTable, spikeTable, tokenTable } from "./token-tables.ts";

const MOST_ROWS = 100;
const OPEN_SPIKES = 1;

interface Section {
  readonly id: string;
  readonly title: string;
  /** Empty: the section is left out. */
  readonly body: string;
}

/** The study as one page: no network, opens from `file://`, reads without its script, prints. */
export function renderKlHtml(report: KlReport): string {
  const sections = sectionsOf(report).filter(({ body }) => body !== "");
  return [
    "<!doctype html>",
    '<html lang=en><head><meta charset=utf-8><meta name=generator content="logratio kl"><meta name=viewport content="width=device-width,initial-scale=1">',
    `<meta http-equiv=Content-Security-Policy content="${KL_SECURITY_POLICY}">`,
    `<meta name=referrer content=no-referrer><title>${escapeHtml(`${report.study} · logratio kl`)}</title>`,
    `<style>${STYLE}</style><style>${KL_STYLE}</style></head><body>`,
    `<header><div class=top><h1>${escapeHtml(report.study)}</h1><button class=tool id=theme type=button hidden>colours</button></div>`,
    `<p class=muted>${escapeHtml(inputParts(report).join(" · "))}</p>`,
    `<p>${escapeHtml(keyLine(report))}</p></header>`,
    "<main>",
    answers(report),
    charts(overviewPictures(report)),
    definitions(keyFigures(report)),
    `<nav aria-label=Sections>${sections.map(({ id, title }) => `<a href="#${id}">${escapeHtml(title)}</a>`).join(" ")}</nav>`,
    ...sections.map(
      ({ id, title, body }) =>
        `<section id="${id}"><h2><a href="#${id}">${escapeHtml(title)}</a></h2>${body}</section>`,
    ),
    "</main>",
    "<footer>logratio kl. KL in nats; Δ = log p checkpoint − log p reference of the forced token. This page holds texts of the study, and loads nothing.</footer>",
    `<script>${SCRIPT}</script></body></html>\n`,
  ].join("\n");
}

function sectionsOf(report: KlReport): Section[] {
  const last = report.metrics.last_checkpoint;
  const tables = (...all: readonly Table[]): string => all.map(captioned).join("\n");
  const progression = definitions(progressionLines(report));
  return [
    {
      id: "checkpoints",
      title: "Checkpoint comparison",
      body: tables(checkpointTable(report), boundTable(report), detailTable(report), regionTable(report)),
    },
    {
      id: "progression",
      title: "Training progression",
      body: progression + tables(progressionTable(report), turningTable(report), stageTable(report)),
    },
    {
      id: "categories",
      title: "Kinds of token",
      body:
        charts(categoryPictures(report)) +
        tables(categoryTable(report), categoryProgressTable(report), tokenTable(report, MOST_ROWS)),
    },
    {
      id: "spikes",
      title: "Spikes",
      body:
        tables(
          spikeDistributionTable(report),
          spikeDistributionsTable(report),
          ...topProblemTables(report, MOST_ROWS),
          spikeTable(report.top_spikes, "top-spikes", `Largest spikes at ${last}`),
        ) + spikeCards(report),
    },
    {
      id: "correctness",
      title: "Correctness and the first error",
      body:
        charts(correctnessPictures(report)) +
        tables(
          correctnessTable(report),
          firstErrorTable(report),
          attentionTable(report),
          hiddenTable(report),
        ),
    },
    {
      id: "tests",
      title: "Statistical tests",
      body: tables(comparisonTable(report), correlationTable(report), pairTable(report)),
    },
    {
      id: "cases",
      title: "Case studies",
      body: report.cases.map((study, at) => htmlCase(study, report, `case-${at + 1}`)).join("\n"),
    },
    {
      id: "method",
      title: "Method",
      body: definitions(methodLines(report)) + tables(policyTable(report), rlProbeTable(report)),
    },
    { id: "caveats", title: "Limitations", body: htmlList(report.caveats) },
    {
      id: "left-out",
      title: "Findings",
      body: htmlList([...findingLines(report), ...report.absent]),
    },
  ];
}

function answers(report: KlReport): string {
  if (report.answers.length === 0) return "";
  const items = report.answers.map(({ question, answer, support }) => {
    const { word, level } = SUPPORT[support];
    return `<li><span class="level ${level}">${word}</span><p class=q>${escapeHtml(question)}</p><p>${escapeHtml(answer)}</p>`;
  });
  return `<ul class=answers>${items.join("\n")}</ul>`;
}

function charts(pictures: readonly KlPicture[]): string {
  if (pictures.length === 0) return "";
  return `<div class=charts>${pictures.map(({ svg }) => `<figure>${svg}</figure>`).join("\n")}</div>`;
}

function spikeCards({ top_spikes: spikes, metrics, reference }: KlReport): string {
  return spikes
    .map((spike, at) =>
      htmlSpike(spike, {
        checkpoint: metrics.last_checkpoint,
        reference,
        mark: `${at + 1}.`,
        open: at < OPEN_SPIKES,
      }),
    )
    .join("\n");
}
