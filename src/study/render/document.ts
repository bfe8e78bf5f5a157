import { formatColumn } from "../../core/text/index.ts";
import {
  type Block,
  type Document,
  findingEntries,
  type Picture,
  type Section,
  type Surface,
  type Table,
  unfoldedRows,
  withRows,
} from "../../render/document/index.ts";
import { htmlTable, writePage } from "../../render/html/index.ts";
import { escapeMarkdown, type MarkdownOptions, writeMarkdown } from "../../render/index.ts";
import { chooseScale, drawScreen, pad, type ScreenOptions, sparkline } from "../../render/terminal/index.ts";
import type { PageMove } from "../../results/page.ts";
import type { KlReport } from "../results/report.ts";
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
import {
  allCategoryRows,
  checkpointRows,
  hiddenRows,
  policyRows,
  progressionRows,
  spikeRangeRows,
  stageRows,
} from "./rows.ts";
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

/** The target of a handle, `q12` or `q12.t40`, on the viewer's page. */
export type KlLink = (handle: string) => PageMove | null;

/** The answers, then the parts of the published analysis in its order; then tests, texts, method and gaps. */
export function buildKlDocument(report: KlReport, limits: KlLimits = PAGE, link?: KlLink): Document {
  return {
    kind: "kl",
    heading: "Teacher-forced KL of",
    name: report.study,
    input: inputParts(report),
    lead: [
      { kind: "text", text: keyLine(report) },
      {
        kind: "entries",
        entries: report.answers.map(({ question, answer, support }) => {
          const { word, level } = SUPPORT[support];
          return { level, word, text: question, isHeading: true, body: answer };
        }),
      },
      ...charts(overviewPictures(report), checkpointRows(report)),
      { kind: "facts", rows: keyFigures(report) },
    ],
    sections: [
      ...figureSections(report, limits, link),
      ...findingSections(report, limits),
      ...methodSections(report),
    ],
    footer: "KL in nats; Δ = log p checkpoint − log p reference of the forced token.",
  };
}

/** What changed: by checkpoint, along training, by kind of token, at single tokens. */
function figureSections(report: KlReport, limits: KlLimits, link: KlLink | undefined): Section[] {
  const checkpoints = checkpointRows(report);
  const categories = allCategoryRows(report);
  const top = report.top_problems[report.metrics.last_checkpoint];
  const [bySpikes, byKl] = topProblemTables(report, limits.rows);
  return [
    {
      id: "checkpoints",
      title: "Checkpoint comparison",
      blocks: [
        ...tables([checkpointTable(report), checkpoints], [boundTable(report), checkpoints]),
        ...folded([detailTable(report), checkpoints], [regionTable(report), checkpoints]),
      ],
    },
    {
      id: "progression",
      title: "Training progression",
      blocks: [
        ...progressionPicture(report),
        { kind: "facts", rows: progressionLines(report) },
        ...tables(
          [progressionTable(report), progressionRows(report)],
          [turningTable(report), report.progression?.turning_points ?? []],
          [stageTable(report), stageRows(report)],
        ),
      ],
    },
    {
      id: "categories",
      title: "Token categories",
      blocks: [
        ...charts(categoryPictures(report), categories),
        ...tables([categoryTable(report), categories]),
        ...folded([categoryProgressTable(report), categories]),
        ...tables([tokenTable(report, limits.rows), report.top_tokens]),
      ],
    },
    {
      id: "spikes",
      title: "Spikes",
      blocks: [
        ...tables([spikeDistributionTable(report), spikeRangeRows(report)]),
        ...folded(
          [spikeDistributionsTable(report), spikeRangeRows(report)],
          [bySpikes!, top?.by_spikes ?? []],
          [byKl!, top?.by_mean_kl ?? []],
        ),
        ...spikePicture(report, limits.spikes, link),
        { kind: "table", table: allSpikesTable(report), isFolded: true },
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
        ...charts(
          [...correctnessPictures(report), ...followUpPictures(report)],
          [...report.correctness, ...report.first_errors],
        ),
        ...tables(
          [correctnessTable(report), report.correctness],
          [firstErrorTable(report), report.first_errors],
          [attentionTable(report), report.attention],
          [hiddenTable(report), hiddenRows(report)],
          [gradientTable(report), report.gradients],
          [continuationTable(report), report.continuations],
        ),
      ],
    },
    {
      id: "tests",
      title: "Statistical tests",
      blocks: tables(
        [comparisonTable(report), report.comparisons],
        [correlationTable(report), report.correlations],
        [pairTable(report), report.pairs],
      ),
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
      isFolded: true,
      blocks: [
        { kind: "facts", rows: methodLines(report) },
        ...tables([policyTable(report), policyRows(report)], [rlProbeTable(report), checkpointRows(report)]),
      ],
    },
    {
      id: "caveats",
      title: "Limitations",
      isFolded: true,
      blocks: [{ kind: "list", items: report.caveats }],
    },
    {
      id: "left-out",
      title: "Left out",
      isFolded: true,
      blocks: [
        { kind: "entries", entries: findingEntries(report.findings) },
        { kind: "list", items: report.absent },
      ],
    },
  ];
}

type Exported = readonly [table: Table, items: readonly object[]];

function tables(...all: readonly Exported[]): Block[] {
  return all.map(([table, items]) => ({ kind: "table", table: withRows(table, items) }));
}

/** Details: the viewer's page folds them. */
function folded(...all: readonly Exported[]): Block[] {
  return all.map(([table, items]) => ({ kind: "table", table: withRows(table, items), isFolded: true }));
}

function charts(pictures: readonly KlPicture[], items: readonly object[]): Picture[] {
  return pictures.map(({ id, svg }) => ({
    kind: "picture",
    id,
    chart: "large",
    svg: () => svg,
    raw: () => unfoldedRows(items),
  }));
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
function spikePicture(
  { top_spikes: all, metrics, reference }: KlReport,
  most: number,
  link: KlLink | undefined,
): Picture[] {
  if (all.length === 0) return [];
  const spikes = all.slice(0, most);
  const checkpoint = metrics.last_checkpoint;
  const title = `Largest spikes at ${checkpoint}`;
  const about = { checkpoint, reference };
  const table = withRows(spikeTable(spikes, "top-spikes", title), spikes);
  const links = link && spikes.map(({ handle }) => link(handle));
  return [
    {
      kind: "picture",
      instead: [{ kind: "table", table: { ...table, ...(links && { links }) } }],
      terminal: (surface) => [
        "",
        surface.style(surface.text(title), "bold"),
        ...spikes.flatMap((spike, at) =>
          drawSpike(spike, { mark: `${at + 1}.`, context: true, ...about }, surface),
        ),
      ],
      markdown: () => `**${escapeMarkdown(title)}**\n\n${spikePipes(spikes, checkpoint, reference)}`,
      html: () =>
        htmlTable(table, title) +
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
    instead: [{ kind: "text", text: `${study.handle} ${study.reason}: ${study.text}` }],
  }));
}

/** In place of everything: the course of training, the answers in short, what was tested, the largest spike. */
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
