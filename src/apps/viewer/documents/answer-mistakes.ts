/**
 * The most important mistakes, as the answer shows them: their text, what each policy says, whether they reach the
 * gradient.
 *
 * @module
 */
import { formatCounted, formatShare, formatSigned } from "../../../render/text/display/index.ts";
import { oneLine } from "../../../render/text/index.ts";
import type { AnswerMistake, AnswerSide } from "../../../results/answer-page.ts";
import type { EventAlternative, MistakeEvent } from "../../../results/events.ts";
import type { PageMove, PagePlace } from "../../../results/page.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { TopTokens } from "../../../results/view.ts";
import { decodeBriefs } from "../../../results/wire/briefs.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { findTokens } from "./token-contexts.ts";

const PROMPT_CHARACTERS = 40;

/** One token, or several that are the same mistake. */
interface Mistake {
  readonly handle: string;
  readonly rollout_logprob: number;
  readonly trainer_logprob: number;
  /** `7 of 8 answers`; empty for a single one. */
  readonly count: string;
  readonly reach: string;
  readonly alternatives: readonly EventAlternative[];
  readonly places: AnswerMistake["places"];
}

export async function answerMistakes(
  run: Pick<PreparedRun, "info" | "answer" | "sequence" | "briefs">,
  report: MismatchReport,
  top: Pick<TopTokens, "occurrences">,
): Promise<AnswerMistake[]> {
  const mistakes = await withAlternatives(run, listMistakes(report, top));
  const found = await findTokens(
    run,
    mistakes.map(({ handle }) => handle),
  );
  return Promise.all(mistakes.map((each) => tell(run, each, found.get(each.handle))));
}

/** Adds alternatives from the run's own mistakes: sums over selected steps only know the sampled tokens. */
async function withAlternatives(
  run: Pick<PreparedRun, "info" | "answer">,
  mistakes: readonly Mistake[],
): Promise<readonly Mistake[]> {
  if (run.info.top_k.length === 0 || mistakes.every(({ alternatives }) => alternatives.length > 1))
    return mistakes;
  const { assessment }: MismatchReport = JSON.parse(Buffer.from(await run.answer("report")).toString());
  const { list, by_raw } = assessment.events;
  const known = new Map([...list, ...by_raw].map(({ handle, alternatives }) => [handle, alternatives]));
  return mistakes.map((each) =>
    each.alternatives.length > 1
      ? each
      : { ...each, alternatives: known.get(each.handle) ?? each.alternatives },
  );
}

/** The mistakes of both orders; if no ratio is far from 1, the token with the largest |Δ|. */
function listMistakes(report: MismatchReport, top: Pick<TopTokens, "occurrences">): Mistake[] {
  const { list, by_raw, rank } = report.assessment.events;
  const byKey = new Map([...by_raw, ...list].map((event) => [event.key, event]));
  const all = [...byKey.values()];
  const placeIn = (order: readonly MistakeEvent[], { key }: MistakeEvent): number | null => {
    const at = order.findIndex((event) => event.key === key);
    return at < 0 ? null : at;
  };
  return all.length === 0
    ? furthest(report, top)
    : all.map((event) =>
        ofEvent(event, {
          gradient: rank === "gradient" ? placeIn(list, event) : null,
          raw: placeIn(by_raw, event),
        }),
      );
}

function ofEvent(event: MistakeEvent, places: Mistake["places"]): Mistake {
  const { answers, of_answers: all, reaches_gradient: reaches } = event;
  return {
    ...event,
    count:
      answers === 1
        ? ""
        : all === null
          ? formatCounted(answers, "answer")
          : `${answers} of ${formatCounted(all, "answer")}`,
    reach: sayReach(reaches, event.gradient_share),
    places,
  };
}

function sayReach(reaches: number | null, share: number | null): string {
  if (reaches === null) return "";
  if (reaches === 0) return "No advantage: not in the gradient.";
  return share === null ? "In the gradient." : `${formatShare(share)} of the gradient's error.`;
}

/** The furthest token. */
function furthest(
  { worst_tokens }: MismatchReport,
  { occurrences: [first] }: Pick<TopTokens, "occurrences">,
): Mistake[] {
  const token = first ?? worst_tokens[0];
  if (token === undefined) return [];
  const { handle, rollout_logprob, trainer_logprob } = token;
  const advantage = worst_tokens.find((each) => each.handle === handle)?.advantage;
  return [
    {
      ...{ handle, rollout_logprob, trainer_logprob, count: "", reach: sayAdvantage(advantage) },
      alternatives: [],
      places: { gradient: null, raw: 0 },
    },
  ];
}

function sayAdvantage(advantage: number | null | undefined): string {
  if (typeof advantage !== "number" || Number.isNaN(advantage)) return "";
  return advantage === 0
    ? "Its advantage is 0: not in the gradient."
    : `Its advantage is ${formatSigned(advantage)}: in the gradient.`;
}

async function tell(
  run: Pick<PreparedRun, "info" | "briefs">,
  mistake: Mistake,
  found: PagePlace | undefined,
): Promise<AnswerMistake> {
  const { handle, count, reach, places } = mistake;
  const { move = null, context = null } = found ?? {};
  const sequence = move?.sequence;
  const prompt = sequence === undefined ? "" : await promptOf(run, sequence);
  return {
    handle,
    move,
    group:
      sequence !== undefined && run.info.has.groups ? ({ view: "group", sequence } satisfies PageMove) : null,
    count,
    prompt,
    context,
    sides: (["engine", "trainer"] as const).map((name) => side(name, mistake, context?.[1] ?? null)),
    reach,
    places,
  };
}

async function promptOf(run: Pick<PreparedRun, "info" | "briefs">, sequence: number): Promise<string> {
  if (!run.info.has.briefs) return "";
  const bytes = await run.briefs([sequence]);
  const [brief] = bytes === undefined ? [] : decodeBriefs(bytes);
  const text = [...(brief?.prompt ?? "").trim()];
  const cut = text.length > PROMPT_CHARACTERS;
  return oneLine(`${text.slice(0, PROMPT_CHARACTERS).join("")}${cut ? "…" : ""}`);
}

/** The token that was written, then what the trainer prefers. */
function side(name: AnswerSide["name"], mistake: Mistake, written: string | null): AnswerSide {
  const logprob = name === "engine" ? mistake.rollout_logprob : mistake.trainer_logprob;
  const chance = (each: EventAlternative): number | null =>
    name === "engine" ? each.rollout_probability : each.trainer_probability;
  const own = mistake.alternatives.find(({ sampled }) => sampled);
  const other = mistake.alternatives
    .filter(({ sampled }) => !sampled)
    .toSorted((a, b) => (b.trainer_probability ?? 0) - (a.trainer_probability ?? 0))[0];
  const tokens = [
    { text: own?.text ?? written, is_written: true, p: Math.exp(logprob) },
    ...(other === undefined ? [] : [{ text: other.text, is_written: false, p: chance(other) }]),
  ];
  return {
    name,
    tokens: tokens
      .filter((token): token is typeof token & { p: number } => token.p !== null)
      .toSorted((a, b) => b.p - a.p)
      .map(({ text, is_written, p }) => ({
        text: text === null ? null : oneLine(text),
        is_written,
        probability: formatShare(p),
        bar: p,
      })),
  };
}
