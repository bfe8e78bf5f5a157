import type { MismatchReport } from "../../results/index.ts";
import { escapeHtml } from "../html/index.ts";
import { displayed } from "../text/display/index.ts";
import { plural } from "../text/index.ts";
import { type Picture, spreadPictures, stepPictures } from "./html-pictures.ts";
import { countOtherWarnings, inputParts, leftOutLines, otherFiles } from "./input.ts";
import { type KeyFigure, keyFigures, noInterval } from "./key-figures.ts";
import { verdictWord } from "./verdict-level.ts";

export function htmlHeader(report: MismatchReport): string {
  const { level, headline } = report.verdict;
  return (
    `<header><div class=top><h1>${escapeHtml(report.run)}</h1><button class=tool id=theme type=button hidden>colours</button></div>` +
    `<p class=muted>${escapeHtml(inputParts(report).join(" · "))}</p>` +
    `<div class=verdict><span class="level ${level}">${verdictWord(report.verdict)}</span><p>${escapeHtml(displayed(headline))}</p></div></header>`
  );
}

/** Key figures, facts, what is left out, the next command, pictures: in this order before any table. */
export function htmlOverview(report: MismatchReport): string {
  const facts = [...report.facts].sort((a, b) => b.weight - a.weight).slice(0, 3);
  return (
    `<div class=two><div>${htmlKeyFigures(keyFigures(report))}</div><div>` +
    (facts.length === 0
      ? ""
      : `<h3>What stands out</h3><ul>${facts.map((fact) => `<li>${escapeHtml(displayed(fact.text))}`).join("")}</ul>`) +
    `${htmlLeftOut(report)}${htmlNext(report)}</div></div>` +
    htmlPictures("Over the steps", "charts small", stepPictures(report)) +
    htmlPictures("How Δ is spread", "charts", spreadPictures(report))
  );
}

export function htmlFigure({ id, draw }: Picture): string {
  return `<figure id="chart-${id}">${draw()}</figure>`;
}

function htmlPictures(title: string, name: string, pictures: readonly Picture[]): string {
  if (pictures.length === 0) return "";
  return `<h2>${title}</h2><div class="${name}">${pictures.map(htmlFigure).join("\n")}</div>`;
}

function htmlKeyFigures(figures: readonly KeyFigure[]): string {
  const rows = figures.map((figure) => {
    const { label, meaning, value, interval, reading } = figure;
    const range = escapeHtml(
      displayed(interval === undefined ? noInterval(figure) : `${interval.low} – ${interval.high}`),
    );
    const badge =
      reading === undefined
        ? "<td class=p><span class=muted>–</span>"
        : `<td class=p title="${escapeHtml(reading.source)}"><span class="level ${reading.level}">${reading.level}</span> ${escapeHtml(displayed(reading.band))}`;
    return `<tr><td class=l title="${escapeHtml(meaning)}">${escapeHtml(label)}<td><b>${escapeHtml(displayed(value))}</b><td class=muted>${range}${badge}`;
  });
  return (
    "<div class=scroll><table><thead><tr><th scope=col class=l>figure<th scope=col>value<th scope=col>95 % interval" +
    `<th scope=col class=p>published baseline</thead><tbody>${rows.join("\n")}</tbody></table></div>`
  );
}

function htmlLeftOut(report: MismatchReport): string {
  const warnings = countOtherWarnings(report);
  const parts = leftOutLines(report).map(escapeHtml);
  const nothing = parts.length === 0;
  const more =
    warnings === 0
      ? ""
      : `<a href="#findings">${plural(warnings, nothing ? "warning" : "other warning")}</a>`;
  if (nothing)
    return `<h3>Left out</h3><p class=muted>${["nothing", ...otherFiles(report).map(escapeHtml), ...(more === "" ? [] : [more])].join("; ")}</p>`;
  const items = more === "" ? parts : [...parts, more];
  return `<h3>Left out</h3><ul class=warn>${items.map((part) => `<li>${part}`).join("")}</ul>`;
}

function htmlNext({ next }: MismatchReport): string {
  if (next.command === "") return "";
  return (
    `<h3>Run next</h3><div class=next><pre id=next>${escapeHtml(next.command)}</pre>` +
    "<button class=tool type=button data-copy=next hidden>copy</button></div>" +
    `<p class=note>${escapeHtml(next.why)}</p>`
  );
}
