import { asSentence, formatChance, formatCount, inSentence, plural } from "../../core/text/index.ts";
import type { CauseGroup } from "../../results/assessment.ts";
import type { DoctorCause } from "../../results/diagnosis.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import type { VerdictLevel } from "../../results/report.ts";
import { type Block, type Document, type Entry, type Section, tableSections } from "../document/document.ts";
import { findingEntries } from "../document/findings.ts";
import { verdictWord } from "../document/verdict-word.ts";
import { causeSection, fixPlace } from "./cause-section.ts";
import { type DoctorInput, makeCommands } from "./commands.ts";
import { weighed } from "./evidence.ts";
import { experimentLead, experimentSections } from "./experiment.ts";
import { legSections, legSentence } from "./legs.ts";
import { otherTables } from "./other-tables.ts";
import { ownErrorSections, ownErrorSentence } from "./own-errors.ts";
import { servedSections } from "./served.ts";
import { causeTitle, chanceLevel, firstCauses } from "./words.ts";

/** Pieces of evidence shown under the likeliest cause of the first screen, and under the others. */
const FIRST_EVIDENCE = 2;
const OTHER_EVIDENCE = 1;
/** Levels at which a fault was found. */
const FOUND: ReadonlySet<VerdictLevel> = new Set(["broken", "not_comparable", "fault"]);

/**
 * Verdict, first causes with their strongest evidence, fix, where to look, the next experiment; then everything that
 * was tested, and what could not be.
 */
export function buildDoctorDocument(report: DoctorReport, input?: DoctorInput): Document {
  const { assessment, next_experiment: next, weights, checkpoints } = report;
  const word = verdictWord(assessment);
  const commands = makeCommands(report, input);
  const first = firstCauses(report);
  const [likeliest] = first;
  const [handle] = likeliest?.handles ?? [];
  const sentences = [
    ["legs", legSentence(report)],
    ["errors", ownErrorSentence(report)],
    ["weights", weights?.sentence],
    ["checkpoints", checkpoints?.sentence],
  ] as const;
  return {
    kind: "doctor",
    heading: "Diagnosis of",
    name: report.run,
    result: word,
    input: inputParts(report),
    verdict: { level: assessment.level, word, text: asSentence(assessment.sentence) },
    lead: [
      { kind: "entries", entries: leadEntries(report, first) },
      {
        kind: "facts",
        rows: sentences.flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as const])),
      },
      // Without a clear fault, a fix would suggest that there is one.
      ...(FOUND.has(assessment.level) ? fixLead(likeliest) : []),
      ...(handle === undefined
        ? []
        : [{ kind: "command", label: "look", command: commands.show(handle), handle } as const]),
      ...experimentLead(next),
      { kind: "facts", rows: untestedRows(report) },
    ],
    sections: [
      ...servedSections(report),
      ...first.map((cause) => causeSection(cause, commands)),
      ...healthSections(report),
      ...experimentSections(report),
      ...legSections(report),
      ...ownErrorSections(report),
      ...tableSections(otherTables(report)),
      {
        id: "findings",
        title: "Findings",
        blocks: [{ kind: "entries", entries: findingEntries(report.findings) }],
      },
      leftOutSection(report),
    ],
    footer:
      "Δ = log p trainer − log p rollout of the sampled token, in nats. The causes are described in docs/causes.",
  };
}

function inputParts({ metrics, sources }: DoctorReport): string[] {
  const { sequences, tokens } = metrics;
  const trainers = [...new Set(sources.map(({ trainer }) => trainer))];
  return [
    ...(sequences == null ? [] : [plural(sequences, "sequence")]),
    ...(tokens == null ? [] : [plural(tokens, "token")]),
    plural(sources.length, "file"),
    ...(trainers.length === 0 ? [] : [trainers.join(", ")]),
  ];
}

/** Groups of causes that look alike, with what tells each from the next; or a statement that nothing is wrong. */
function leadEntries({ assessment }: DoctorReport, first: readonly DoctorCause[]): Entry[] {
  const { causes } = assessment;
  if (causes.length === 0) return first.map((cause, at) => causeEntry(cause, at));
  return causes.map((group, at) => ({
    level: chanceLevel({ id: group.causes[0]?.id ?? "", probability: group.probability }),
    word: formatChance(group.probability),
    text: group.part === null ? causeTitle(group) : `${group.title}: ${group.part}`,
    isHeading: true,
    items: [
      ...(group.causes.length > 1 ? [sayMembers(group)] : []),
      ...group.evidence.slice(0, at === 0 ? FIRST_EVIDENCE : OTHER_EVIDENCE),
    ],
  }));
}

/** `likeliest: engine runs older weights (28 %), different checkpoints on the two sides (7 %)` */
function sayMembers({ causes }: CauseGroup): string {
  const named = causes
    .slice(0, MOST_MEMBERS)
    .map(({ title, probability }) => `${inSentence(title)} (${formatChance(probability)})`);
  return `likeliest: ${named.join(", ")}`;
}

const MOST_MEMBERS = 3;

function causeEntry(cause: DoctorCause, at: number): Entry {
  const most = at === 0 ? FIRST_EVIDENCE : OTHER_EVIDENCE;
  const strongest = cause.evidence.filter(({ weight }) => weight > 0).slice(0, most);
  return {
    level: chanceLevel(cause),
    word: formatChance(cause.probability),
    text: causeTitle(cause),
    isHeading: true,
    items: strongest.map(({ sentence }) => sentence),
  };
}

/** Lines to paste, if the likeliest cause has any; the notes stand with the cause. */
function fixLead(cause: DoctorCause | undefined): Block[] {
  const [fix] = cause?.fix ?? [];
  if (fix === undefined) return [];
  if (!fix.is_code) return [{ kind: "facts", rows: [["fix", `${asSentence(fix.line)} ${fix.note}`.trim()]] }];
  return [{ kind: "code", title: "fix", place: fixPlace(fix), language: "text", text: fix.line }];
}

/** In a healthy run this qualifies the verdict; in other runs it stands further below. */
function untestedRows({ verdict, untested }: DoctorReport): [string, string][] {
  if (verdict !== "healthy" || untested.length === 0) return [];
  const columns = untested.map(({ column }) => column).join(", ");
  return [["untested", `tests that need a missing column: ${columns}`]];
}

/** The reasons why nothing is wrong. */
function healthSections({ verdict, causes }: DoctorReport): Section[] {
  const health = causes.find(({ id }) => id === "healthy");
  if (verdict !== "healthy" || health === undefined || health.evidence.length === 0) return [];
  return [
    {
      id: "health",
      title: "Why this is healthy",
      blocks: [{ kind: "list", items: health.evidence.map(weighed) }],
    },
  ];
}

function leftOutSection({ excluded }: DoctorReport): Section {
  const rows = Object.entries(excluded).filter(([, count]) => count > 0);
  return {
    id: "left-out",
    title: "Left out",
    blocks: [
      {
        kind: "facts",
        rows: rows.map(([reason, count]): [string, string] => [
          reason.replaceAll("_", " "),
          formatCount(count),
        ]),
      },
    ],
  };
}
