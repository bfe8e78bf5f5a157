import type { KlReport } from "../../results/index.ts";
import {
  type Block,
  type Document,
  findingEntries,
  type Picture,
  type Section,
  type Table,
} from "../document/index.ts";
import { htmlTable, writePage } from "../html/index.ts";
import { escapeMarkdown, type MarkdownOptions, writeMarkdown } from "../markdown/index.ts";
import {
  chooseScale,
  drawScreen,
  pad,
  type ScreenOptions,
  type Surface,
  sparkline,
} from "../terminal/index.ts";
import { formatColumn } from "../text/index.ts";
import { attentionTable, hiddenTable } from "./attention-tables.ts";
import {
  boundTable,
  checkpointTable,
  detailTable,
  policyTable,
  regionTable,
  rlProbeTable,
} from "./checkpoint-tables.ts";
import { continuationTable } from "./continuation-tables.ts";
import { briefRows, drawLargestSpike } from "./first-screen.ts";
import { followUpPictures } from "./follow-up-pictures.ts";
import { gradientTable } from "./gradient-tables.ts";
import { htmlCase } from "./html-case.ts";
import { categoryPictures, correctnessPictures, type KlPicture, overviewPictures } from "./html-pictures.ts";
import { htmlSpike } from "./html-spikes.ts";
import { caseBlock, spikePipes } from "./markdown-case.ts";
import { spikeDistributionsTable, spikeDistributionTable, topProblemTables } from "./problem-tables.ts";
import { progressionLines, progressionTable, stageTable, turningTable } from "./progression-tables.ts";
import { inputParts, keyFigures, keyLine, methodLines, SUPPORT } from "./summary.ts";
import { drawCase } from "./terminal-case.ts";
import { drawSpike } from "./terminal-spikes.ts";
import {
  comparisonTable,
  correctnessTable,
  correlationTable,
  firstErrorTable,
  pairTable,
} from "./test-tables.ts";
import {
  allSpikesTable,
  categoryProgressTable,
  categoryTable,
  spikeTable,
  tokenTable,
} from "./token-tables.ts";
import { dash } from "./values.ts";

/** How much a medium shows of long parts. */
export interface KlLimits {
  readonly rows: number;
  readonly spikes: number;
  readonly cases: number;
}

const TERMINAL: KlLimits = { rows: 10, spikes: 5, cases: 1 };
const MARKDOWN: KlLimits = { rows: 10, spikes: 10, cases: 3 };
const PAGE: KlLimits = { rows: 100, spikes: Number.POSITIVE_INFINITY, cases: Number.POSITIVE_INFINITY };

const LABEL = 16;
const PICTURE = 32;
const OPEN_SPIKES = 1;

/** The answers, then the parts of the published analysis in its order; then tests, texts, method and gaps. */
export function buildKlDocument(report: KlReport, limits: KlLimits): Document {
  return {
    kind: "kl",
    heading: "Teacher-forced KL of",
    name: report.study,
    input: inputParts(report),
    lead: [
      { kind: "text", text: keyLine(report) },
      { kind: "entries", entries: report.answers.map(answerEntry) },
      ...charts(overviewPictures(report)),
      { kind: "facts", rows: keyFigures(report) },
    ],
    sections: [
      ...figureSections(report, limits),
      ...findingSections(report, limits),
      ...methodSections(report),
    ],
    footer: "KL in nats; Δ = log p checkpoint − log p reference of the forced token.",
  };
}

/** What changed: by checkpoint, along training, by kind of token, at single tokens. */
function figureSections(report: KlReport, limits: KlLimits): Section[] {
  return [
    {
      id: "checkpoints",
      title: "Checkpoint comparison",
      blocks: tables(checkpointTable(report), boundTable(report), detailTable(report), regionTable(report)),
    },
    {
      id: "progression",
      title: "Training progression",
      blocks: [
        ...progressionPicture(report),
        { kind: "facts", rows: progressionLines(report) },
        ...tables(progressionTable(report), turningTable(report), stageTable(report)),
      ],
    },
    {
      id: "categories",
      title: "Token categories",
      blocks: [
        ...charts(categoryPictures(report)),
        ...tables(categoryTable(report), categoryProgressTable(report), tokenTable(report, limits.rows)),
      ],
    },
    {
      id: "spikes",
      title: "Spikes",
      blocks: [
        ...tables(
          spikeDistributionTable(report),
          spikeDistributionsTable(report),
          ...topProblemTables(report, limits.rows),
        ),
        ...spikePicture(report, limits.spikes),
        ...tables(allSpikesTable(report)),
      ],
    },
  ];
}

/** Whether it matters: right and wrong texts, tests, cases. */
function findingSections(report: KlReport, limits: KlLimits): Section[] {
  return [
    {
      id: "correctness",
      title: "Correctness",
      blocks: [
        ...charts([...correctnessPictures(report), ...followUpPictures(report)]),
        ...tables(
          correctnessTable(report),
          firstErrorTable(report),
          attentionTable(report),
          hiddenTable(report),
          gradientTable(report),
          continuationTable(report),
        ),
      ],
    },
    {
      id: "tests",
      title: "Statistical tests",
      blocks: tables(comparisonTable(report), correlationTable(report), pairTable(report)),
    },
    { id: "cases", title: "Case studies", blocks: casePictures(report, limits.cases) },
  ];
}

/** Method and limitations. */
function methodSections(report: KlReport): Section[] {
  return [
    {
      id: "method",
      title: "Methodology",
      blocks: [
        { kind: "facts", rows: methodLines(report) },
        ...tables(policyTable(report), rlProbeTable(report)),
      ],
    },
    {
      id: "caveats",
      title: "Limitations",
      blocks: [{ kind: "list", items: report.caveats }],
    },
    {
      id: "left-out",
      title: "Left out",
      blocks: [
        { kind: "entries", entries: findingEntries(report.findings) },
        { kind: "list", items: report.absent },
      ],
    },
  ];
}

function answerEntry({ question, answer, support }: KlReport["answers"][number]) {
  const { word, level } = SUPPORT[support];
  return { level, word, text: question, isHeading: true, body: answer };
}

function tables(...all: readonly Table[]): Block[] {
  return all.map((table) => ({ kind: "table", table }));
}

function charts(pictures: readonly KlPicture[]): Picture[] {
  return pictures.map(({ svg }) => ({ kind: "picture", chart: "large", html: () => svg }));
}

function progressionPicture({ progression }: KlReport, only?: readonly string[]): Picture[] {
  if (progression === null) return [];
  return [{ kind: "picture", terminal: (surface) => drawProgression(progression, surface, only) }];
}

/** Sparklines of KL, spikes and entropy. */
function drawProgression(
  progression: NonNullable<KlReport["progression"]>,
  surface: Surface,
  only?: readonly string[],
): string[] {
  const columns = Math.min(PICTURE, progression.steps.length * 3, surface.width - LABEL - 30);
  const series = [
    ["mean KL", progression.mean_kl],
    ["spikes", progression.spikes_mean],
    ["entropy", progression.mean_entropy],
  ] as const;
  const shown = series.filter(([label]) => only?.includes(label) ?? true);
  return shown.map(([label, values]) => {
    const known = values.map((value) => value ?? Number.NaN);
    const stretched = known.flatMap((value) =>
      Array.from({ length: Math.max(1, Math.floor(columns / known.length)) }, () => value),
    );
    const scale = chooseScale(known);
    const drawn = sparkline(stretched, columns, surface.unicode, scale);
    const told = formatColumn([values[0], values.at(-1)], "number")
      .map(dash)
      .join(" to ");
    return `  ${surface.style(pad(label, LABEL - 2), "dim")}${surface.style(pad(drawn, columns), "blue")}  ${surface.style(surface.text(scale === "log" ? `${told}, log` : told), "dim")}`;
  });
}

/** The largest spikes: their context, and what both policies would have said. */
function spikePicture({ top_spikes: all, metrics, reference }: KlReport, most: number): Picture[] {
  if (all.length === 0) return [];
  const spikes = all.slice(0, most);
  const checkpoint = metrics.last_checkpoint;
  const title = `Largest spikes at ${checkpoint}`;
  const about = { checkpoint, reference };
  return [
    {
      kind: "picture",
      terminal: (surface) => [
        "",
        surface.style(surface.text(title), "bold"),
        ...spikes.flatMap((spike, at) =>
          drawSpike(spike, { mark: `${at + 1}.`, context: true, ...about }, surface),
        ),
      ],
      markdown: () => `**${escapeMarkdown(title)}**\n\n${spikePipes(spikes, checkpoint, reference)}`,
      html: () =>
        htmlTable(spikeTable(spikes, "top-spikes", title), title) +
        spikes
          .map((spike, at) => htmlSpike(spike, { mark: `${at + 1}.`, open: at < OPEN_SPIKES, ...about }))
          .join("\n"),
    },
  ];
}

/** Texts token by token. */
function casePictures(report: KlReport, most: number): Picture[] {
  return report.cases.slice(0, most).map((study, at) => ({
    kind: "picture",
    terminal: (surface) => drawCase(study, report, surface),
    markdown: () => caseBlock(study, report),
    html: () => htmlCase(study, report, `case-${at + 1}`),
  }));
}

/** In place of all: the course of training, the answers in short, what was tested, the largest spike. */
function firstScreen(document: Document, report: KlReport): Document {
  return {
    ...document,
    lead: [
      { kind: "text", text: keyLine(report) },
      ...progressionPicture(report, ["mean KL"]),
      { kind: "facts", rows: briefRows(report) },
      { kind: "picture", terminal: (surface) => drawLargestSpike(report, surface) },
    ],
    sections: [],
  };
}

export function renderKlTerminal(report: KlReport, options: ScreenOptions): string {
  const document = buildKlDocument(report, TERMINAL);
  return drawScreen(document, options, [firstScreen(document, report)]);
}

export function renderKlMarkdown(report: KlReport, options: MarkdownOptions = {}): string {
  return writeMarkdown(buildKlDocument(report, MARKDOWN), options);
}

export function renderKlHtml(report: KlReport): string {
  return writePage(buildKlDocument(report, PAGE));
}
