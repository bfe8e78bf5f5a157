import type { CaseStudy, KlAlternative, KlReport, SpikeFigures } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import { codeBlock, codeLines, codeSpan, escapeMarkdown, pipeTable, tableBlock } from "../markdown/index.ts";
import { makeSurface } from "../terminal/index.ts";
import { attentionTable, hiddenTable } from "./attention-tables.ts";
import { caseFacts } from "./case-facts.ts";
import { foldStrip, lastRow, markedSpikes, stripParts } from "./case-strip.ts";
import {
  boundTable,
  checkpointTable,
  detailTable,
  policyTable,
  regionTable,
  rlProbeTable,
} from "./checkpoint-tables.ts";
import { findingLines } from "./finding-lines.ts";
import { spikeDistributionsTable, spikeDistributionTable, topProblemTables } from "./problem-tables.ts";
import { progressionLines, progressionTable, stageTable, turningTable } from "./progression-tables.ts";
import { inputParts, keyFigures, methodLines, SUPPORT } from "./summary.ts";
import { drawStrip, stripMarks } from "./terminal-strip.ts";
import {
  comparisonTable,
  correctnessTable,
  correlationTable,
  firstErrorTable,
  pairTable,
} from "./test-tables.ts";
import { categoryProgressTable, categoryTable, tokenTable } from "./token-tables.ts";
import { figure, NONE } from "./values.ts";

export interface KlMarkdownOptions {
  /** The command that made it. */
  readonly command?: string;
}

/** Columns beyond this priority are left to `--json`. */
const MOST_NEEDED = 4;
const MOST_ROWS = 10;
const MOST_SPIKES = 10;
const MOST_CASES = 3;
const STRIP_WIDTH = 100;
const MOST_PARTS = 400;
const AROUND = 20;

/** The study for pasting into an issue: the tables of the published analysis, in its order, then tests and texts. */
export function renderKlMarkdown(report: KlReport, { command }: KlMarkdownOptions = {}): string {
  const blocks = [
    `### Teacher-forced KL of ${codeSpan(report.study)}`,
    escapeMarkdown(inputParts(report).join(" · ")),
    ...section("Executive summary", [answerList(report), labelledList(keyFigures(report))]),
    ...section(
      "Checkpoint comparison",
      tables([checkpointTable(report), boundTable(report), detailTable(report), regionTable(report)]),
    ),
    ...section("Training progression", [
      labelledList(progressionLines(report)),
      ...tables([progressionTable(report), stageTable(report), turningTable(report)]),
    ]),
    ...section(
      "Token categories",
      tables([categoryTable(report), categoryProgressTable(report), tokenTable(report, MOST_ROWS)]),
    ),
    ...section("Spikes", [
      ...tables([
        spikeDistributionTable(report),
        spikeDistributionsTable(report),
        ...topProblemTables(report, MOST_ROWS),
      ]),
      spikeBlock(report),
    ]),
    ...section(
      "Correctness",
      tables([
        correctnessTable(report),
        firstErrorTable(report),
        attentionTable(report),
        hiddenTable(report),
      ]),
    ),
    ...section(
      "Statistical tests",
      tables([comparisonTable(report), correlationTable(report), pairTable(report)]),
    ),
    ...section(
      "Case studies",
      report.cases.slice(0, MOST_CASES).map((study) => caseBlock(study, report)),
    ),
    ...section("Methodology", [
      labelledList(methodLines(report)),
      ...tables([policyTable(report), rlProbeTable(report)]),
    ]),
    ...section("Limitations", [list(report.caveats)]),
    ...section("Left out", [list([...findingLines(report), ...report.absent])]),
    ...(command === undefined ? [] : [`To repeat this:\n\n${codeBlock(command)}`]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** A headed section, or nothing where it would be empty. */
function section(title: string, blocks: readonly string[]): string[] {
  const filled = blocks.filter((block) => block !== "");
  return filled.length === 0 ? [] : [`#### ${title}`, ...filled];
}

function tables(all: readonly Table[]): string[] {
  return all.filter((table) => table.rows > 0).map((table) => tableBlock(table, MOST_NEEDED));
}

function answerList({ answers }: KlReport): string {
  return answers
    .map(
      ({ question, answer, support }) =>
        `- **${escapeMarkdown(question)}** ${escapeMarkdown(answer)} (${SUPPORT[support].word})`,
    )
    .join("\n");
}

function labelledList(lines: readonly (readonly [label: string, text: string])[]): string {
  return lines.map(([label, text]) => `- **${escapeMarkdown(label)}**: ${escapeMarkdown(text)}`).join("\n");
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${escapeMarkdown(line)}`).join("\n");
}

function spikeBlock({ top_spikes: spikes, metrics, reference }: KlReport): string {
  if (spikes.length === 0) return "";
  const head = `**Largest spikes at ${escapeMarkdown(metrics.last_checkpoint)}**`;
  return `${head}\n\n${spikePipes(spikes.slice(0, MOST_SPIKES), metrics.last_checkpoint, reference)}`;
}

function spikePipes(spikes: readonly SpikeFigures[], checkpoint: string, reference: string): string {
  const heads = ["where", "token", "KL", "category", "since", checkpoint, reference];
  const rows = spikes.map((spike) => [
    codeSpan(spike.handle),
    codeSpan(spike.token),
    figure(spike.kl),
    escapeMarkdown(spike.category),
    escapeMarkdown(spike.since ?? NONE),
    alternatives(spike.alternatives),
    alternatives(spike.reference_alternatives),
  ]);
  return pipeTable(heads.map(escapeMarkdown), ["l", "l", "r", "l", "l", "l", "l"], rows);
}

function alternatives(all: readonly KlAlternative[]): string {
  if (all.length === 0) return NONE;
  return all
    .slice(0, 3)
    .map(({ token, probability }) => `${codeSpan(token)} ${figure(probability, "share")}`)
    .join(", ");
}

function caseBlock(study: CaseStudy, report: KlReport): string {
  const { last_checkpoint: last } = report.metrics;
  const checkpoint = study.checkpoints[lastRow(study, last)] ?? last;
  const surface = makeSurface({ width: STRIP_WIDTH, color: false, unicode: true });
  const parts = foldStrip(stripParts(study, last), MOST_PARTS, AROUND);
  const strip = drawStrip(parts, STRIP_WIDTH, surface).join("\n");
  const { open, close, tool, end } = stripMarks(true);
  const marked = markedSpikes(study).slice(0, MOST_SPIKES);
  return [
    `**Case ${escapeMarkdown(study.handle)}: ${escapeMarkdown(study.reason)}**`,
    escapeMarkdown(caseFacts(study).join("; ")),
    `Spikes of ${escapeMarkdown(checkpoint)} as ${open}a:…${close}, the first error as ${open}!:…${close}, tool output as ${tool}…${end}.`,
    codeLines(strip, "text"),
    ...(marked.length === 0
      ? []
      : [
          spikePipes(
            marked.map(({ figures }) => figures),
            checkpoint,
            report.reference,
          ),
        ]),
  ].join("\n\n");
}
