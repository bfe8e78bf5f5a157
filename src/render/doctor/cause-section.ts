import { asSentence, formatChance } from "../../core/text/index.ts";
import type { DoctorCause, Fix } from "../../results/diagnosis.ts";
import { anchor, type Block, type Picture, type Section } from "../document/document.ts";
import { codeLines } from "../markdown/text.ts";
import { makeSurface } from "../terminal/surface.ts";
import type { DoctorCommands } from "./commands.ts";
import { type EvidencePart, splitEvidence, weighed } from "./evidence.ts";
import { evidenceChart } from "./evidence-charts.ts";
import { drawEvidence } from "./evidence-lines.ts";
import { causeTitle } from "./words.ts";

/** Number of handles whose commands are written out; `--json` has them all. */
const MOST_HANDLES = 3;
const MARKDOWN_WIDTH = 80;

/** All evidence for and against a cause, with pictures; where to look, and every fix. */
export function causeSection(cause: DoctorCause, commands: DoctorCommands): Section {
  const { id, description, probability, handles, fix } = cause;
  return {
    id: anchor(`cause-${id}`),
    title: `${formatChance(probability)}: ${causeTitle(cause)}`,
    blocks: [
      { kind: "text", text: description },
      ...splitEvidence(cause).flatMap(evidenceBlocks),
      ...handles
        .slice(0, MOST_HANDLES)
        .map((handle): Block => ({ kind: "command", label: "look", command: commands.show(handle), handle })),
      ...fix.flatMap(fixBlocks),
      ...(isPage(id) ? [{ kind: "text", text: `More: docs/causes/${id}.md`, muted: true } as const] : []),
    ],
  };
}

/** Every cause has a page, except the two answers that name no cause. */
function isPage(id: string): boolean {
  return id !== "cannot_tell" && id !== "healthy";
}

function evidenceBlocks({ title, evidence }: EvidencePart): Block[] {
  const pictures = evidence.flatMap(({ picture }): Picture[] => {
    if (picture === undefined) return [];
    return [
      {
        kind: "picture",
        chart: "large",
        terminal: (surface) => drawEvidence(picture, surface),
        markdown: () =>
          codeLines(
            drawEvidence(picture, makeSurface({ width: MARKDOWN_WIDTH, color: false, unicode: true })).join(
              "\n",
            ),
            "text",
          ),
        svg: () => evidenceChart(picture),
        // The picture's numbers, one row for each x.
        raw: () =>
          picture.x.map((at, index) => ({
            [picture.x_label]: at,
            ...Object.fromEntries(picture.series.map(({ name, y }) => [name, y[index] ?? null])),
          })),
      },
    ];
  });
  return [{ kind: "list", title, items: evidence.map(weighed) }, ...pictures];
}

function fixBlocks(fix: Fix): Block[] {
  return [
    ...(fix.is_code
      ? [{ kind: "code", title: "Fix", place: fixPlace(fix), language: "text", text: fix.line } as const]
      : [{ kind: "facts", rows: [["fix", asSentence(fix.line)]] } as const]),
    ...(fix.note === "" ? [] : [{ kind: "text", text: fix.note, muted: true } as const]),
  ];
}

export function fixPlace({ trainer }: Fix): string {
  return trainer === null ? "for any trainer" : `for ${trainer}`;
}
