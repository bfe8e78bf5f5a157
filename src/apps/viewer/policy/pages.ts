import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { isLogratioError } from "../../../core/base/index.ts";
import type { Document } from "../../../render/document/index.ts";
import {
  escapeHtml,
  SCRIPT,
  type ServedPage,
  STYLE,
  TEXT_STYLE,
  writePage,
} from "../../../render/html/index.ts";
import { formatCount, formatNumber, formatPlain, plural } from "../../../render/index.ts";
import { describeInput, renderPolicyHtml } from "../../../render/policy/index.ts";
import { displayed } from "../../../render/text/display/index.ts";
import type { PolicyView, SequenceRow } from "./prepare-policy.ts";
import { buildSequenceDocument } from "./sequence-document.ts";
import { POLICY_STYLE } from "./style.ts";

const HTML = "text/html; charset=utf-8";
/** Rows of one page of the list. */
const LISTED = 200;

const VIEWS = [
  ["/", "Overview"],
  ["/sequences", "Sequences"],
] as const;
/** Views of the built page that compare the policies, and the subject of the sentence shown instead. */
const COMPARING = [
  ["/tokens", "Tokens", "Listing the tokens that differ most"],
  ["/correct", "Correction", "A correction"],
  ["/compare", "Compare", "The comparison with another run"],
] as const;

const STYLE_SHEET = STYLE + TEXT_STYLE + POLICY_STYLE;

/** The pages of a run of one policy: overview, list of sequences, one sequence, and a note on what needs both. */
export function policyPages(view: PolicyView): Hono {
  const pages = new Hono();
  const { report } = view;
  const write = (c: Context, html: string, status: 200 | 400 | 404 = 200): Response =>
    c.body(html, status, { "content-type": HTML, "cache-control": "private, no-cache" });
  const page = (c: Context, document: Document, status: 200 | 400 | 404 = 200): Response =>
    write(c, writePage(document, makeFrame(c.req.path)), status);
  const say = (c: Context, name: string, text: string, status: 200 | 400 | 404): Response =>
    page(c, sentencePage(report.run, name, text), status);

  pages.get("/", (c) => write(c, renderPolicyHtml(report, makeFrame("/"))));
  pages.get("/sequences", (c) => page(c, listDocument(view, c.req.query("by"), Number(c.req.query("from")))));
  pages.get("/sequence/:handle", async (c) => {
    const handle = c.req.param("handle");
    try {
      return page(c, buildSequenceDocument(await view.readSequence(handle), report.run));
    } catch (error) {
      if (!isLogratioError(error, "UsageError") && !isLogratioError(error, "EmptyInputError")) throw error;
      return say(c, handle, [error.message, error.hint ?? ""].filter(Boolean).join("; "), 404);
    }
  });
  for (const [path, title, what] of COMPARING) {
    pages.get(path, (c) =>
      say(
        c,
        title,
        `${what} needs both policies, and the files have ${report.policies} log-probs only.`,
        200,
      ),
    );
  }
  const file = (path: string, type: string, text: string): void => {
    const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 16)}"`;
    pages.get(path, (c) =>
      c.body(text, 200, { "content-type": type, etag, "cache-control": "private, no-cache" }),
    );
  };
  file("/style.css", "text/css; charset=utf-8", STYLE_SHEET);
  file("/page.js", "text/javascript; charset=utf-8", SCRIPT);
  return pages;
}

function makeFrame(path: string): ServedPage {
  const links = [...VIEWS, ...COMPARING].map(([href, title]) => {
    const current = href === path ? " aria-current=page" : "";
    return `<a href="${href}"${current}>${title}</a>`;
  });
  return {
    style: "/style.css",
    script: "/page.js",
    links: `<nav class=views aria-label=Views>${links.join("")}</nav>`,
  };
}

function sentencePage(run: string, name: string, text: string): Document {
  return {
    kind: "view",
    heading: name,
    name: `${run}: ${name}`,
    input: [],
    lead: [{ kind: "text", text }],
    sections: [],
  };
}

const ORDERS: Readonly<Record<string, (a: SequenceRow, b: SequenceRow) => number>> = {
  ppl: (a, b) => order(a.logprobMean, b.logprobMean),
  length: (a, b) => order(b.tokens, a.tokens),
  reward: (a, b) => order(a.reward, b.reward),
};

/** Ascending; what is not known last. */
function order(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a - b;
}

function listDocument({ report, sequences }: PolicyView, by: string | undefined, asked: number): Document {
  const compare = by === undefined || !Object.hasOwn(ORDERS, by) ? undefined : ORDERS[by];
  const sorted = compare === undefined ? sequences : [...sequences].sort(compare);
  const from = Number.isInteger(asked) && asked > 0 && asked < sorted.length ? asked : 0;
  const rows = sorted.slice(from, from + LISTED);
  const to = from + rows.length;
  const place = (at: number): string =>
    `/sequences?${new URLSearchParams({ ...(compare && { by: by! }), from: String(at) })}`;
  return {
    kind: "view",
    heading: "Sequences",
    name: `${report.run}: sequences`,
    input: [describeInput(report), plural(sequences.length, "sequence")],
    lead: [
      {
        kind: "picture",
        html: () =>
          `<p class=views>in order of <a href="/sequences">place</a><a href="/sequences?by=ppl">perplexity</a><a href="/sequences?by=length">length</a><a href="/sequences?by=reward">reward</a></p>`,
      },
      { kind: "picture", html: () => drawList(rows) },
      {
        kind: "picture",
        html: () =>
          `<p class=views>${formatCount(from + 1)} to ${formatCount(to)} of ${formatCount(sorted.length)}` +
          `${from > 0 ? `<a href="${escapeHtml(place(Math.max(0, from - LISTED)))}">previous</a>` : ""}` +
          `${to < sorted.length ? `<a href="${escapeHtml(place(to))}">next</a>` : ""}</p>`,
      },
    ],
    sections: [],
  };
}

function drawList(rows: readonly SequenceRow[]): string {
  const known = (value: number, text: string): string => (Number.isNaN(value) ? "" : text);
  const cells = rows.map(({ handle, tokens, logprobMean, reward, correct, environment }) =>
    [
      `<td class=l><a href="/sequence/${encodeURIComponent(handle)}">${escapeHtml(handle)}</a></td>`,
      ...[
        formatCount(tokens),
        known(logprobMean, displayed(formatNumber(logprobMean))),
        known(logprobMean, formatNumber(Math.exp(-logprobMean))),
        known(reward, formatPlain(reward)),
        known(correct, correct === 1 ? "right" : "wrong"),
        environment ?? "",
      ].map((text) => `<td>${escapeHtml(text)}</td>`),
    ].join(""),
  );
  const heads = ["tokens", "mean log p", "perplexity", "reward", "answer", "environment"];
  return `<div class=scroll><table><thead><tr><th class=l>sequence</th>${heads.map((head) => `<th>${head}</th>`).join("")}</tr></thead><tbody>${cells.map((row) => `<tr>${row}</tr>`).join("\n")}</tbody></table></div>`;
}
