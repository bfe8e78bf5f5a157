import { formatCount, formatId, formatNumber, formatShare, MISSING, plural } from "../../core/text/index.ts";
import type { MistakeEvent, MistakeEvents } from "../../results/events.ts";
import type { Section } from "../document/document.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";

/** Characters of text on either side of the token. */
const BEFORE = 16;
const AFTER = 8;

const RANKED_BY = {
  gradient: "by what reaches the gradient, Σ|A||ρ − 1|",
  raw: "by Σ|Δ|",
} as const satisfies Record<MistakeEvents["rank"], string>;

/** The mistakes of a run, one line each. */
export function eventsSection(events: MistakeEvents): Section {
  const { list, delta_abs_from: from } = events;
  return {
    id: "events",
    title: "",
    blocks:
      list.length === 0
        ? [{ kind: "text", text: `no token has |Δ| of ${formatNumber(from)} nats or more` }]
        : [{ kind: "table", table: eventsTable(events) }],
  };
}

function eventsTable({ rank, list, count, tokens, tokens_kept: kept }: MistakeEvents): Table {
  const share = (value: number | null): string => (value === null ? MISSING : formatShare(value));
  const parts = [
    count > list.length ? `the first ${list.length} of ${formatCount(count)}` : "",
    kept < tokens
      ? `from the ${formatCount(kept)} worst of ${plural(tokens, "token")}: counts are at least these`
      : "",
  ].filter((part) => part !== "");
  return makeTable(
    "events",
    `Mistakes ${RANKED_BY[rank]}`,
    [
      textColumn(
        "worst at",
        list.map(({ handle }) => handle),
      ),
      textColumn("in", list.map(formatAnswers), { priority: 1 }),
      textColumn("steps", list.map(formatSteps), { priority: 4, align: "right" }),
      textColumn(
        "of Σ|Δ|",
        list.map((event) => share(event.delta_abs_share)),
        { align: "right", priority: 1 },
      ),
      textColumn(
        "of gradient",
        list.map((event) => share(event.gradient_share)),
        { align: "right", priority: 1 },
      ),
      textColumn("text", list.map(formatText), { priority: 2 }),
    ],
    parts.length === 0 ? undefined : parts.join("; "),
  );
}

/** `7 of 8 answers` */
function formatAnswers({ answers, of_answers: of }: MistakeEvent): string {
  return of === null ? plural(answers, "answer") : `${formatCount(answers)} of ${plural(of, "answer")}`;
}

function formatSteps({ steps }: MistakeEvent): string {
  const [first] = steps;
  if (first === undefined) return MISSING;
  return steps.length === 1 ? formatId(first) : `${formatId(first)}–${formatId(steps.at(-1)!)}`;
}

function formatText({ text, token_id: id }: MistakeEvent): string {
  if (text === null) return id === null ? MISSING : `#${id}`;
  const [before, after] = [[...text.before].slice(-BEFORE), [...text.after].slice(0, AFTER)];
  return `${before.join("")}»${text.token}«${after.join("")}`.replaceAll("\n", "⏎");
}
