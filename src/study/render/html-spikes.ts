import { element, PALETTE } from "../../render/charts/index.ts";
import { makeTable, textColumn } from "../../render/document/index.ts";
import { escapeHtml, htmlTable } from "../../render/html/index.ts";
import type { CaseStudy, SpikeFigures } from "../results/texts.ts";
import { tellDependence } from "./gradient-tables.ts";
import { tokenText, visibleToken } from "./html-text.ts";
import { listChoices } from "./spike-choices.ts";
import { column, figure, quoted } from "./values.ts";

export interface HtmlSpikeOptions {
  readonly checkpoint: string;
  readonly reference: string;
  /** The anchor for links to it; without one, nothing links to it. */
  readonly id?: string;
  /** Stands before the token. */
  readonly mark: string;
  readonly open: boolean;
  /** Present in a case: the token's values at every checkpoint. */
  readonly study?: CaseStudy;
}

/** One spike, folded: its context, what both policies would have said, its KL at every checkpoint. */
export function htmlSpike(spike: SpikeFigures, options: HtmlSpikeOptions): string {
  const { checkpoint, reference, id, mark, open, study } = options;
  const { token, kl, zscore, category, region, since, handle, problem } = spike;
  const facts = [
    `KL ${figure(kl)}`,
    `z ${figure(zscore)}`,
    category,
    region,
    ...(since === null ? [] : [`since ${since}`]),
    handle,
    problem,
  ];
  const anchor = id === undefined ? "" : ` id="${id}"`;
  return (
    `<details class=one${open ? " open" : ""}><summary>${escapeHtml(mark)} <b class=tok>${escapeHtml(quoted(token))}</b> ` +
    `<span class=muted>${escapeHtml(facts.join(" · "))}</span></summary><div${anchor}>` +
    `<p class=around>${tokenText(spike.before)}<b>${tokenText(token)}</b>${tokenText(spike.after)}</p>` +
    `${dependences(spike)}<div class=two><div>${alternativeTable(spike, checkpoint, reference)}</div><div>${study === undefined ? "" : valueTable(spike, study)}</div></div></div></details>`
  );
}

/** The earlier tokens that its KL depends on; nothing if gradients were not requested. */
function dependences({ depends_on: all }: SpikeFigures): string {
  if (all === null || all.length === 0) return "";
  return `<p>Depends on ${all.map((one) => `<span class=tok>${escapeHtml(tellDependence(one))}</span>`).join(", ")} <span class=muted>(share of Σ |gradient × input|; below 0, the token lowers the KL)</span></p>`;
}

function alternativeTable(spike: SpikeFigures, checkpoint: string, reference: string): string {
  const choices = listChoices(spike);
  const rows = choices.map(({ token, own, reference: theirs }) => {
    const isForced = token === spike.token;
    const name = `<span class=tok>${visibleToken(token, 40)}</span>`;
    return `<tr><td class=l>${isForced ? `<b>${name}</b> <span class=muted>forced</span>` : name}${share(own, PALETTE.orange)}${share(theirs, PALETTE.grey)}`;
  });
  const unlisted =
    spike.alternatives.length === 0
      ? "<p class=note>The back end does not report alternatives.</p>"
      : "<p class=note>–: not among the tokens kept.</p>";
  return (
    `<div class=scroll><table><caption>Next token: probability</caption><thead><tr><th scope=col class=l>token<th scope=col class=b>${escapeHtml(checkpoint)}<th scope=col class=b>${escapeHtml(reference)}</thead>` +
    `<tbody>${rows.join("\n")}</tbody></table></div>${unlisted}`
  );
}

const BAR = 60;

function share(probability: number | null, color: string): string {
  const length = probability === null ? 0 : Math.max(1, probability * BAR);
  const rect = element("rect", { width: length, height: 9, fill: color });
  return `<td>${figure(probability, "share")}${element("svg", { width: BAR, height: 9, "aria-hidden": "true" }, rect)}`;
}

/** KL and Δ of the spike's token at every checkpoint of the case. */
function valueTable({ position }: SpikeFigures, { checkpoints, kl, delta }: CaseStudy): string {
  const title = "This token at every checkpoint";
  return htmlTable(
    makeTable("values", title, [
      textColumn("checkpoint", checkpoints),
      column(
        "KL",
        "number",
        checkpoints.map((_, row) => kl[row]?.[position]),
        { bars: true },
      ),
      column(
        "Δ log p",
        "signed",
        checkpoints.map((_, row) => delta[row]?.[position]),
      ),
    ]),
    title,
  );
}
