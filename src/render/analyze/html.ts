import { formatPlace } from "../../core/base/index.ts";
import type { AnalyzeReport, Scenario } from "../../results/index.ts";
import { type ChartSpec, type ChartValues, lineChart } from "../charts/index.ts";
import { escapeHtml, htmlTable, SCRIPT, SECURITY_POLICY, STYLE } from "../html/index.ts";
import { binChart } from "./bin-chart.ts";
import { inputParts, keyLines, orderedScenarios, scenarioLevel } from "./summary.ts";
import { analyzeTables } from "./tables.ts";

const SIZE = { width: 480, height: 250 };
const LIMITS = { iterations: 1000, sources: 100 };

/** The analysis as one page: no network, opens from `file://`, reads without its script, prints. */
export function renderAnalyzeHtml(report: AnalyzeReport): string {
  const tables = analyzeTables(report, LIMITS);
  const sections = [
    { id: "scenarios", title: "Diagnostic scenarios", body: htmlScenarios(report) },
    ...tables.map(({ id, title, note, ...table }) => ({
      id: `t-${id}`,
      title,
      body: `${note === undefined ? "" : `<p class=note>${escapeHtml(note)}</p>`}${htmlTable({ id, title, ...table })}`,
    })),
    ...(report.findings.length === 0
      ? []
      : [{ id: "findings", title: "Findings", body: htmlFindings(report) }]),
  ];
  const title = `${report.log} · logratio analyze`;
  return [
    "<!doctype html>",
    '<html lang=en><head><meta charset=utf-8><meta name=generator content="logratio analyze"><meta name=viewport content="width=device-width,initial-scale=1">',
    `<meta http-equiv=Content-Security-Policy content="${SECURITY_POLICY}">`,
    `<meta name=referrer content=no-referrer><title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style></head><body>`,
    `<header><div class=top><h1>${escapeHtml(report.log)}</h1><button class=tool id=theme type=button hidden>colours</button></div>`,
    `<p class=muted>${escapeHtml(inputParts(report).join(" · "))}</p></header>`,
    "<main>",
    `<dl>${keyLines(report)
      .map(([label, text]) => `<dt>${escapeHtml(label)}<dd>${escapeHtml(text)}`)
      .join("\n")}</dl>`,
    `<div class=charts>${pictures(report)
      .map((svg) => `<figure>${svg}</figure>`)
      .join("\n")}</div>`,
    `<nav aria-label=Sections>${sections.map(({ id, title: name }) => `<a href="#${id}">${escapeHtml(name)}</a>`).join(" ")}</nav>`,
    ...sections.map(
      ({ id, title: name, body }) =>
        `<section id="${id}"><h2><a href="#${id}">${escapeHtml(name)}</a></h2>${body}</section>`,
    ),
    ...report.absent.map((line) => `<p class=note>${escapeHtml(line)}</p>`),
    "</main>",
    "<footer>logratio analyze. Divergence = |p rollout − p trainer| of the sampled token. A high-divergence log holds the tokens that passed its threshold and top k; every figure is about those. ",
    "This page holds token texts and contexts from the log, and loads nothing.</footer>",
    `<script>${SCRIPT}</script></body></html>\n`,
  ].join("\n");
}

function pictures({ divergence_bins: bins, positions, per_iteration: rows }: AnalyzeReport): string[] {
  const charts: string[] = [];
  if (bins !== null) {
    charts.push(
      binChart(
        [
          { label: "correct", colour: "blue", counts: bins.correct },
          { label: "incorrect", colour: "orange", counts: bins.incorrect },
          { label: "unknown", colour: "grey", counts: bins.unknown },
        ],
        {
          title: "Divergence by correctness of the answer",
          xLabel: "|Δp|",
          edges: bins.edges,
          shares: true,
        },
      ),
    );
  }
  const known = rows.filter(({ iteration }) => iteration !== null);
  if (known.length > 1) {
    const xs = known.map(({ iteration }) => iteration!);
    const of = (pick: (row: (typeof known)[number]) => number | null): ChartValues => known.map(pick);
    const common = {
      xLabel: "iteration",
      xs,
      scale: "linear",
      kind: "number",
      fromZero: true,
      extreme: "most",
    } as const;
    const hasCorrectness = known.some(
      ({ correct_count, incorrect_count }) => correct_count + incorrect_count > 0,
    );
    const specs: ChartSpec[] = [
      {
        id: "mean-by-iteration",
        title: `Mean divergence over iterations${hasCorrectness ? ", by correctness" : ""}`,
        unit: "|Δp|",
        ...common,
        lines: hasCorrectness
          ? [
              { label: "correct", colour: "blue", values: of((row) => row.correct_mean) },
              { label: "incorrect", colour: "orange", values: of((row) => row.incorrect_mean) },
            ]
          : [{ label: "mean", colour: "blue", values: of((row) => row.mean) }],
      },
      {
        id: "logged-by-iteration",
        title: "Logged tokens over iterations",
        unit: "tokens",
        ...common,
        kind: "count",
        lines: [
          { label: "all", colour: "grey", values: of((row) => row.count) },
          ...(hasCorrectness
            ? [{ label: "correct", colour: "blue", values: of((row) => row.correct_count) } as const]
            : []),
        ],
      },
    ];
    charts.push(...specs.map((spec) => lineChart(spec, SIZE)));
  }
  if (positions !== null)
    charts.push(
      binChart([{ label: "tokens", colour: "blue", counts: positions.counts }], {
        title: "Positions of divergent tokens",
        xLabel: "position in the response",
        edges: positions.edges,
      }),
    );
  return charts;
}

function htmlScenarios(report: AnalyzeReport): string {
  const rows = orderedScenarios(report).map(
    (scenario) =>
      `<tr><td class=p>${escapeHtml(scenario.observation)}<td class=l><span class="level ${scenarioLevel(scenario)}">${scenario.status}</span>` +
      `<td class=p>${escapeHtml(scenario.measured)}<td class=p>${meaning(scenario)}`,
  );
  return (
    "<div class=scroll><table><thead><tr><th scope=col class=p>observation<th scope=col class=l>holds<th scope=col class=p>measured<th scope=col class=p>means, and next" +
    `</thead><tbody>${rows.join("\n")}</tbody></table></div>`
  );
}

/** Of a row that does not hold, the meaning must not be taken for a finding. */
function meaning({ status, interpretation, next_step }: Scenario): string {
  return status === "yes"
    ? `${escapeHtml(interpretation)}. Next: ${escapeHtml(next_step)}`
    : `<span class=muted>would mean: ${escapeHtml(interpretation)}; then: ${escapeHtml(next_step)}</span>`;
}

function htmlFindings({ findings }: AnalyzeReport): string {
  return findings
    .map(({ severity, message, at, hint }) => {
      const place = formatPlace(at);
      const rest = [place, hint ?? ""].filter((text) => text !== "").map(escapeHtml);
      return `<p${severity === "info" ? "" : " class=warn"}><b>${severity}</b> ${escapeHtml(message)}${rest.map((text) => `<br><span class=muted>${text}</span>`).join("")}</p>`;
    })
    .join("");
}
