import { plural } from "../../core/text/index.ts";
import { heatBounds } from "../../render/charts/index.ts";
import { escapeHtml } from "../../render/html/index.ts";
import { formatCount } from "../../render/text/display/index.ts";
import type { KlReport } from "../results/report.ts";
import type { CaseStudy } from "../results/texts.ts";
import { caseFacts } from "./case-facts.ts";
import {
  foldStrip,
  largestKl,
  lastRow,
  markedSpikes,
  type StripPart,
  type StripToken,
  stripParts,
} from "./case-strip.ts";
import { groupContinuations, tellOutcome } from "./continuation-tables.ts";
import { htmlHeatMap } from "./html-heat-map.ts";
import { htmlSpike } from "./html-spikes.ts";
import { escapeLines, tokenText } from "./html-text.ts";
import { figure } from "./values.ts";

const MOST_PARTS = 4000;
const AROUND = 60;
/** Maximum number of a case's spikes that can be unfolded. */
const MOST_SPIKES = 40;

/** One text: facts, prompt, scale, strip, heat-map, spikes. `id` makes its anchors. */
export function htmlCase(study: CaseStudy, report: KlReport, id: string): string {
  const last = report.metrics.last_checkpoint;
  const checkpoint = study.checkpoints[lastRow(study, last)] ?? last;
  const parts = foldStrip(stripParts(study, last), MOST_PARTS, AROUND);
  const spikes = markedSpikes(study);
  const shown = spikes.slice(0, MOST_SPIKES);
  const linked = new Set(shown.map(({ mark }) => mark));
  const prompt =
    study.prompt_text === null
      ? ""
      : `<details><summary class=muted>prompt</summary><pre class=prompt>${escapeLines(study.prompt_text)}</pre></details>`;
  const cards = shown.map(({ mark, figures }, at) =>
    htmlSpike(figures, {
      checkpoint,
      reference: report.reference,
      id: `${id}-${mark}`,
      mark,
      open: at === 0,
      study,
    }),
  );
  return (
    `<h3 class=case id="${id}">${escapeHtml(`Case ${study.handle}: ${study.reason}`)}</h3>` +
    `<p class=muted>${escapeHtml(caseFacts(study).join(" · "))}</p>${prompt}` +
    `<h4>KL at ${escapeHtml(checkpoint)}, token by token</h4>${legend(study)}` +
    `<div class=strip dir=ltr tabindex=0 role=group aria-label="Response, colored by KL">${parts.map((part) => drawPart(part, id, linked)).join("")}</div>` +
    `<h4>Tokens × checkpoints</h4><p class=note>One scale for the whole text: the numbers in the cells are the levels above.</p>${htmlHeatMap(study, last)}` +
    htmlContinuations(study) +
    (cards.length === 0
      ? ""
      : `<h4>Spikes</h4>${cards.join("\n")}${spikes.length > shown.length ? `<p class=note>${plural(spikes.length - shown.length, "more spike")} in --json.</p>` : ""}`)
  );
}

/** How every policy continued the text from each place. */
function htmlContinuations(study: CaseStudy): string {
  return groupContinuations(study)
    .map(({ title, all }) => {
      const items = all.map(
        (one) =>
          `<details><summary>${escapeHtml(tellOutcome(one))}</summary><pre class=prompt>${escapeLines(one.response)}</pre></details>`,
      );
      return `<h4>Continued: ${escapeHtml(title)}</h4>${items.join("\n")}`;
    })
    .join("");
}

function legend(study: CaseStudy): string {
  const largest = largestKl(study);
  const levels = heatBounds(largest).map(
    (bound, level) =>
      `<li><b class=k${level}>${level === 0 ? "&nbsp;" : level}</b>${level === 0 ? "from 0" : `≥ ${figure(bound)}`}`,
  );
  return (
    `<ul class=key aria-label="Scale, nats">${largest > 0 ? levels.join("") : ""}` +
    "<li><b class=tool-output>x</b>tool output, not scored<li><b class=unknown>–</b>no score<li><b class=spike>x</b>spike" +
    `${study.error_token === null ? "" : "<li><b class=error>x</b>first error"}</ul>`
  );
}

function drawPart(part: StripPart, id: string, linked: ReadonlySet<string>): string {
  if (part.kind === "gap") {
    const most = part.most === null ? "" : `, KL at most ${figure(part.most)}`;
    return `\n<span class=gap>… ${formatCount(part.to - part.from)} tokens${most} …</span>\n`;
  }
  if (part.kind === "token") return drawToken(part, id, linked);
  const told = part.kind === "tool" ? "tool output, not scored" : "no score";
  const name = part.kind === "tool" ? "tool-output" : "unknown";
  return `<span class=${name} title="${told}">${tokenText(part.text)}</span>`;
}

/** Tokens with negligible KL become plain text, to keep a long page small. */
function drawToken(token: StripToken, id: string, linked: ReadonlySet<string>): string {
  const { position, text, kl, level, spike, error } = token;
  const shown = tokenText(text);
  if (level === 0 && spike === null && !error) return shown;
  const names = [`k${level}`, ...(spike === null ? [] : ["spike"]), ...(error ? ["error"] : [])].join(" ");
  const told = `token ${position}, KL ${figure(kl)}${error ? ", the first error" : ""}`;
  const attributes = `class="${names}" title="${escapeHtml(told)}"`;
  if (spike === null || !linked.has(spike.mark)) return `<span ${attributes}>${shown}</span>`;
  return `<a href="#${id}-${spike.mark}" ${attributes}>${shown}</a>`;
}
