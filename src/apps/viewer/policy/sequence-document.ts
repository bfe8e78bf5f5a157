/**
 * One sequence of one policy as a document: its figures, its tokens colored by −log p, the least likely of them.
 *
 * @module
 */
import type { ShowResult } from "../../../analyses/show/index.ts";
import { formatCount, formatNumber, formatProbability, plural } from "../../../core/text/index.ts";
import { type Document, makeTable, textColumn } from "../../../render/document/index.ts";
import { escapeHtml } from "../../../render/html/index.ts";
import type { ShowSection, ShowToken } from "../../../results/show.ts";

/** Thresholds of the colors, nats of −log p: p below 0.78, 0.37, 0.14, 0.02 and 0.0003. */
const LEVELS = [0.25, 1, 2, 4, 8];

export function buildSequenceDocument(show: ShowResult, run: string): Document {
  const { sequence, policies } = show;
  const mean = sequence.log_prob_mean ?? null;
  const known = [
    ["reward", sequence.reward === null ? "" : formatNumber(sequence.reward)],
    ["answer", sequence.correct === null ? "" : sequence.correct === 1 ? "right" : "wrong"],
    ["group", sequence.group ?? ""],
    ["environment", sequence.environment ?? ""],
    ["file", sequence.file],
  ] as const;
  return {
    kind: "view",
    heading: "Sequence",
    name: `${run}: ${sequence.handle}`,
    input: [
      `one policy: ${policies} log-probs only`,
      `${formatCount(sequence.tokens)} of ${plural(sequence.response_tokens, "response token")} sampled by the policy`,
      plural(sequence.turns, "turn"),
    ],
    lead: [
      {
        kind: "facts",
        rows: [
          ["mean log-prob", formatNumber(mean)],
          ["perplexity", formatNumber(mean === null ? null : Math.exp(-mean))],
          [
            "least likely",
            sequence.worst === null
              ? "no token has a log-prob"
              : `log p ${formatNumber(sequence.log_prob_min)} at t${sequence.worst}`,
          ],
          ...known.filter(([, text]) => text !== ""),
        ],
      },
    ],
    sections: [
      {
        id: "tokens",
        title: "Tokens, colored by −log p",
        blocks: [
          { kind: "picture", html: drawLegend },
          { kind: "picture", html: () => drawPrompt(show) },
          ...show.sections.map((section) => ({
            kind: "picture" as const,
            html: () => drawSection(section, show.tokens),
          })),
        ],
      },
      { id: "least", title: "Least likely tokens", blocks: [{ kind: "table", table: worstTable(show) }] },
    ],
    footer: "A token's place, id and probability are shown where the pointer rests on it.",
  };
}

function drawLegend(): string {
  const swatches = LEVELS.map(
    (least, at) => `<span class=p${at + 1}>p ≤ ${escapeHtml(formatProbability(Math.exp(-least)))}</span>`,
  );
  return `<p class=legend>${swatches.join("")}</p>`;
}

function drawPrompt({ prompt }: ShowResult): string {
  if (prompt.length === 0) return "";
  const text = prompt.map((piece) => piece.text).join("");
  return `<details><summary>prompt</summary><div class=tokens><span class=prompt>${escapeHtml(text)}</span></div></details>`;
}

function drawSection(
  { kind, turn, from, to, ...figures }: ShowSection,
  tokens: readonly ShowToken[],
): string {
  const head =
    kind === "tool"
      ? `tool output or template, ${plural(to - from, "token")}, in no figure`
      : `turn ${turn}, ${plural(to - from, "token")}, mean log p ${formatNumber(figures.log_prob_mean)}`;
  return `<h3>${escapeHtml(head)}</h3><div class=tokens>${tokens.slice(from, to).map(drawToken).join("")}</div>`;
}

function drawToken(token: ShowToken): string {
  const logprob = token.rollout_logprob ?? token.trainer_logprob;
  const level =
    token.turn === null || logprob === null ? 0 : LEVELS.filter((least) => -logprob >= least).length;
  const name = token.turn === null ? "tool" : level === 0 ? "" : `p${level}`;
  const probability =
    logprob === null
      ? "no log-prob"
      : `log p ${formatNumber(logprob)}, p ${formatProbability(Math.exp(logprob))}`;
  const title = `t${token.token}${token.id === null ? "" : ` · id ${token.id}`} · ${probability}`;
  const text = token.kind === "id" ? `${token.text} ` : token.text;
  return `<span id=t${token.token}${name === "" ? "" : ` class=${name}`} title="${escapeHtml(title)}">${escapeHtml(text)}</span>`;
}

function worstTable({ worst, tokens, sequence }: ShowResult): ReturnType<typeof makeTable> {
  const rows = worst.map((at) => tokens[at]!);
  const logprobs = rows.map((token) => token.rollout_logprob ?? token.trainer_logprob);
  return makeTable("least", "Least likely tokens", [
    textColumn(
      "token",
      rows.map(({ token }) => `${sequence.handle}.t${token}`),
    ),
    textColumn(
      "text",
      rows.map(({ text }) => text),
    ),
    textColumn(
      "log p",
      logprobs.map((logprob) => formatNumber(logprob)),
      { align: "right" },
    ),
    textColumn(
      "p",
      logprobs.map((logprob) => formatProbability(logprob === null ? null : Math.exp(logprob))),
      { align: "right" },
    ),
  ]);
}
