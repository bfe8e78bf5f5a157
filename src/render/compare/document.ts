import { formatCount, formatPlain, formatPlainShare, formatShare, plural } from "../../core/text/index.ts";
import type { Certificate, ColumnComparison, CompareReport, Pairing } from "../../results/compare.ts";
import type { VerdictLevel } from "../../results/report.ts";
import { type Block, type Document, type Section, tableSections } from "../document/document.ts";
import { findingEntries } from "../document/findings.ts";
import { writePage } from "../html/document.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { drawScreen, type ScreenOptions } from "../terminal/screen.ts";
import {
  certificateTable,
  columnTable,
  figureTable,
  inputTable,
  nameColumns,
  sliceTable,
  tokenTable,
  ulpTable,
} from "./tables.ts";

interface Limits {
  readonly worst: number;
  readonly slices: number;
  readonly inputs: number;
  /** Whether only the main figures are shown. */
  readonly isShort?: boolean;
}

const TERMINAL: Limits = { worst: 5, slices: 12, inputs: 0 };
const MARKDOWN: Limits = { worst: 5, slices: 12, inputs: 20 };
const PAGE: Limits = { worst: 10, slices: 1000, inputs: 200 };

const LEVELS = {
  equal: "normal",
  equivalent: "normal",
  undecidable: "elevated",
  different: "high",
} as const satisfies Record<Certificate, VerdictLevel>;

const MODES = {
  paired: "paired token by token",
  columns: "two columns of one source",
  unpaired: "two runs of different texts",
} as const;

/** The certificate, its basis, where differences are, and what was compared with what. */
function buildCompareDocument(report: CompareReport, limits: Limits): Document {
  const { certificate, sentence, mode, a, b, columns } = report;
  const [worst] = columns;
  return {
    kind: "compare",
    heading: "Comparison of",
    name:
      mode === "columns" && worst !== undefined
        ? `${a.name}: ${nameColumns(worst)}`
        : `${a.name} and ${b.name}`,
    result: certificate,
    input: inputParts(report),
    verdict: { level: LEVELS[certificate], word: certificate.toUpperCase(), text: sentence },
    lead: [
      ...(worst === undefined
        ? [tableBlock(figureTable(report))]
        : [tableBlock(certificateTable(worst, report, limits.isShort))]),
      { kind: "facts", rows: worst === undefined ? [] : differenceFacts(worst) },
      { kind: "list", items: report.caveats, muted: true },
    ],
    aside: nextBlocks(report),
    sections: [
      ...(columns.length > 1 ? tableSections([columnTable(columns)]) : []),
      ...(worst === undefined ? [] : differenceSections(worst, limits)),
      { id: "pairing", title: "Pairing", blocks: [{ kind: "facts", rows: pairingFacts(report) }] },
      { id: "test", title: "Test", blocks: [{ kind: "facts", rows: testFacts(report) }] },
      ...(limits.inputs > 0
        ? tableSections([
            inputTable(
              report.mode === "columns"
                ? [["A, B", report.a]]
                : [
                    ["A", report.a],
                    ["B", report.b],
                  ],
              limits.inputs,
            ),
          ])
        : []),
      {
        id: "findings",
        title: "Findings",
        blocks: [{ kind: "entries", entries: findingEntries(report.findings) }],
      },
    ],
    footer:
      "Δ is B − A in nats, over tokens with mask 1 on both sides. docs/compare.md explains certificates.",
  };
}

function tableBlock(table: ReturnType<typeof figureTable>): Block {
  return { kind: "table", table };
}

function inputParts({ mode, a, b, metrics, by, date }: CompareReport): string[] {
  const tokens = metrics.tokens;
  return [
    MODES[mode],
    ...(typeof tokens === "number"
      ? [plural(tokens, "token")]
      : [`${formatCount(a.tokens)} and ${formatCount(b.tokens)} tokens`]),
    ...(by === null ? [] : [`by ${by}`]),
    ...(date === null ? [] : [date]),
  ];
}

/** Where the difference starts, and how the column is stored. */
function differenceFacts({ first, starts, stored, metrics }: ColumnComparison): [string, string][] {
  if (first === null) return [["stored in", stored.a]];
  return [
    ["first", `${first.handle}, turn ${first.turn}, in ${first.file}`],
    ...starts.map(({ by, at, equal_before: before }): [string, string] => [
      "starts",
      `at ${by} ${at}: ${plural(before, "token")} before it are equal`,
    ]),
    ["stored in", stored.a === stored.b ? stored.a : `A ${stored.a}, B ${stored.b}`],
    ...(metrics.one_sided === 0
      ? []
      : [
          [
            "one side only",
            `${plural(metrics.one_sided, "token")} without a finite log-prob on one side`,
          ] as [string, string],
        ]),
  ];
}

function differenceSections(column: ColumnComparison, limits: Limits): Section[] {
  if (column.metrics.unequal === 0) return [];
  const several = (slices: ColumnComparison["per_step"]): ColumnComparison["per_step"] =>
    slices.length > 1 ? slices.slice(0, limits.slices) : [];
  return tableSections([
    ulpTable(column),
    tokenTable("Tokens that differ most", column.worst.slice(0, limits.worst)),
    sliceTable("step", "By step", several(column.per_step)),
    sliceTable("turn", "By turn", several(column.per_turn)),
  ]);
}

function pairingFacts({ pairing }: CompareReport): [string, string][] {
  if (pairing === null) return [];
  const by = Object.entries(pairing.by).map(([way, count]) => `${formatCount(count)} by ${way}`);
  return [
    ["partners", by.join(", ")],
    [
      "compared",
      `${plural(pairing.tokens, "token")}: ${formatShare(pairing.token_share.a)} of A's, ${formatShare(pairing.token_share.b)} of B's`,
    ],
    ...unpairedFacts(pairing),
  ];
}

function unpairedFacts(pairing: Pairing): [string, string][] {
  const { a, b } = pairing.unpaired_sequences;
  const counted: (readonly [boolean, string, string])[] = [
    [a + b > 0, "no partner", `${plural(a, "sequence")} of A, ${formatCount(b)} of B`],
    [
      pairing.other_prompts > 0,
      "other prompts",
      `${plural(pairing.other_prompts, "sequence")} of the same name but with another prompt: not compared`,
    ],
    [
      pairing.parted_sequences > 0,
      "part",
      `${plural(pairing.parted_sequences, "sequence")}: ${plural(pairing.parted_tokens, "token")} after the last common one are not compared`,
    ],
    [
      pairing.mask_differs > 0,
      "masks",
      `${plural(pairing.mask_differs, "token")} with mask 1 on one side only: not compared`,
    ],
  ];
  return counted.filter(([isThere]) => isThere).map(([, label, text]) => [label, text]);
}

function testFacts({ test, logratio, a, b, mode }: CompareReport): [string, string][] {
  const level = formatPlainShare(1 - test.alpha);
  const facts = (side: CompareReport["a"]): string => side.facts.join("; ");
  return [
    ["tolerance", `${formatPlain(test.within)} nats of mean |Δ| (${test.within_reason})`],
    [
      "method",
      `two one-sided tests at α = ${formatPlain(test.alpha)}, clustered by ${test.unit} (at least ${test.clusters_least}); bounds hold with ${level} each`,
    ],
    ...(facts(a) === "" ? [] : [[mode === "columns" ? "run" : "A", facts(a)] as [string, string]]),
    ...(mode === "columns" || facts(b) === "" ? [] : [["B", facts(b)] as [string, string]]),
    ["made with", `logratio ${logratio}`],
  ];
}

function nextBlocks({ next }: CompareReport): Block[] {
  if (next === null) return [];
  if (next.command === null) return [{ kind: "facts", rows: [["next", next.why]] }];
  return [{ kind: "command", label: "next", command: next.command, why: next.why }];
}

export function renderCompareTerminal(report: CompareReport, options: ScreenOptions): string {
  const document = buildCompareDocument(report, TERMINAL);
  const first = buildCompareDocument(report, { ...TERMINAL, isShort: true });
  return drawScreen(document, options, [{ ...first, sections: [] }]);
}

export function renderCompareMarkdown(report: CompareReport, options: MarkdownOptions = {}): string {
  return writeMarkdown(buildCompareDocument(report, MARKDOWN), options);
}

export function renderCompareHtml(report: CompareReport): string {
  return writePage(buildCompareDocument(report, PAGE));
}
