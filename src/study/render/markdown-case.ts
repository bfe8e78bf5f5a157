import { codeLines, codeSpan, escapeMarkdown, pipeTable } from "../../render/index.ts";
import { makeSurface } from "../../render/terminal/index.ts";
import type { KlReport } from "../results/report.ts";
import type { CaseStudy, KlAlternative, SpikeFigures } from "../results/texts.ts";
import { caseFacts } from "./case-facts.ts";
import { foldStrip, lastRow, markedSpikes, stripParts } from "./case-strip.ts";
import { groupContinuations, tellOutcome } from "./continuation-tables.ts";
import { tellDependence } from "./gradient-tables.ts";
import { drawStrip, stripMarks } from "./terminal-strip.ts";
import { figure, NONE } from "./values.ts";

const MOST_SPIKES = 10;
const STRIP_WIDTH = 100;
const MOST_PARTS = 400;
const AROUND = 20;

/** Spikes, and what both policies would have said. */
export function spikePipes(spikes: readonly SpikeFigures[], checkpoint: string, reference: string): string {
  const hasGradients = spikes.some(({ depends_on }) => depends_on !== null);
  const heads = ["where", "token", "KL", "category", "since", checkpoint, reference];
  const rows = spikes.map((spike) => [
    codeSpan(spike.handle),
    codeSpan(spike.token),
    figure(spike.kl),
    escapeMarkdown(spike.category),
    escapeMarkdown(spike.since ?? NONE),
    alternatives(spike.alternatives),
    alternatives(spike.reference_alternatives),
    ...(hasGradients ? [dependences(spike)] : []),
  ]);
  return pipeTable(
    [...heads, ...(hasGradients ? ["depends on"] : [])].map(escapeMarkdown),
    ["l", "l", "r", "l", "l", "l", "l", ...(hasGradients ? (["l"] as const) : [])],
    rows,
  );
}

function alternatives(all: readonly KlAlternative[]): string {
  if (all.length === 0) return NONE;
  return all
    .slice(0, 3)
    .map(({ token, probability }) => `${codeSpan(token)} ${figure(probability, "share")}`)
    .join(", ");
}

function dependences({ depends_on: all }: SpikeFigures): string {
  if (all === null || all.length === 0) return NONE;
  return all
    .slice(0, 3)
    .map((one) => escapeMarkdown(tellDependence(one)))
    .join(", ");
}

/** How often each policy is right from each place, and what the first sample of each wrote. */
function continuationBlocks(study: CaseStudy): string[] {
  return groupContinuations(study).flatMap(({ title, all }) => [
    `**${escapeMarkdown(title)}:** ${escapeMarkdown(all.map(tellOutcome).join("; "))}`,
    ...all.slice(-1).map(({ policy, response }) => codeLines(`${policy}: ${response.trim()}`, "text")),
  ]);
}

/** One text: facts, strip, spikes, continuations. */
export function caseBlock(study: CaseStudy, report: KlReport): string {
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
    ...continuationBlocks(study),
  ].join("\n\n");
}
