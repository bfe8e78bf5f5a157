/**
 * What was written at a mistake and what the policies would have written, from the source's texts or from token ids.
 *
 * @module
 */
import type { Candidates, LargeToken, LargeTokenDetails } from "../../core/summaries/index.ts";
import type { EventAlternative, EventText, MistakeEvent, MistakeEvents } from "../../results/events.ts";
import type { ShowPieceKind } from "../../results/show.ts";

/** Characters shown on either side of the token, and of a prompt. */
const CHARACTERS = 40;
const PROMPT_CHARACTERS = 400;
const ALTERNATIVES = 5;

/** Converts token ids to text: the `Speller` of `show`. */
export interface EventSpeller {
  pieces(ids: ArrayLike<number>): readonly { readonly text: string; readonly kind: ShowPieceKind }[];
  textOf(id: number): string | null;
}

/** The text around a token, for a source that has its tokens as text. */
export function sourceText({ texts, promptText }: LargeTokenDetails): EventText | null {
  if (texts === null) return null;
  const [before, token, after] = texts;
  return cutText({ before, token, after, prompt: promptText });
}

/** Adds texts to the mistakes as far as the tokenizer knows them; keeps texts from the source. */
export function spellEvents(events: MistakeEvents, speller: EventSpeller): MistakeEvents {
  const spell = (event: MistakeEvent): MistakeEvent => {
    const alternatives = event.alternatives.map((each) => ({
      ...each,
      text: each.text ?? (each.token_id === null ? null : speller.textOf(each.token_id)),
    }));
    return { ...event, alternatives, text: event.text ?? textOfIds(event, speller) };
  };
  return { ...events, list: events.list.map(spell), by_raw: events.by_raw.map(spell) };
}

/** Removes all texts from the mistakes, even those from the source; ids stay. */
export function withoutTexts(events: MistakeEvents): MistakeEvents {
  const strip = (event: MistakeEvent): MistakeEvent => ({
    ...event,
    text: null,
    alternatives: event.alternatives.map((each) => ({ ...each, text: null })),
  });
  return { ...events, list: events.list.map(strip), by_raw: events.by_raw.map(strip) };
}

function textOfIds({ token_id: id, context }: MistakeEvent, speller: EventSpeller): EventText | null {
  if (id === null || context === null || speller.textOf(id) === null) return null;
  const { before_ids: before, after_ids: after, prompt_ids: prompt } = context;
  const pieces = speller.pieces([...before, id, ...after]);
  const join = (from: number, to?: number): string =>
    pieces
      .slice(from, to)
      .map(({ text }) => text)
      .join("");
  // Special tokens such as <bos> are not part of a question.
  const asked = speller.pieces(prompt).filter(({ kind }) => kind !== "special");
  return cutText({
    before: join(0, before.length),
    token: join(before.length, before.length + 1),
    after: join(before.length + 1),
    prompt: prompt.length === 0 ? null : asked.map(({ text }) => text).join(""),
  });
}

function cutText({ before, token, after, prompt }: EventText): EventText {
  return {
    before: [...before].slice(-CHARACTERS).join(""),
    token,
    after: [...after].slice(0, CHARACTERS).join(""),
    prompt: prompt === null ? null : [...prompt.trim()].slice(-PROMPT_CHARACTERS).join(""),
  };
}

/** The sampled token and each policy's most probable ones, likeliest first. */
export function listAlternatives(
  token: LargeToken,
  details: LargeTokenDetails | undefined,
): EventAlternative[] {
  const sides = [details?.rollout ?? null, details?.trainer ?? null] as const;
  const ids = new Set(sides.flatMap((side) => [...(side?.ids ?? [])]));
  ids.delete(token.id);
  const sampled: EventAlternative = {
    token_id: token.id < 0 ? null : token.id,
    text: details?.texts?.[1] ?? null,
    sampled: true,
    rollout_probability: Math.exp(token.rollout),
    trainer_probability: Math.exp(token.trainer),
  };
  const others = [...ids].map(
    (id): EventAlternative => ({
      token_id: id,
      text: null,
      sampled: false,
      rollout_probability: probabilityOf(sides[0], id),
      trainer_probability: probabilityOf(sides[1], id),
    }),
  );
  const shown = others.sort(compareLikeliest).slice(0, ALTERNATIVES - 1);
  return [sampled, ...shown].sort(compareLikeliest);
}

function probabilityOf(side: Candidates | null, id: number): number | null {
  const at = side?.ids.indexOf(id) ?? -1;
  return at < 0 ? null : Math.exp(side!.logprobs[at]!);
}

function compareLikeliest(a: EventAlternative, b: EventAlternative): number {
  const likeliest = ({
    rollout_probability: rollout,
    trainer_probability: trainer,
  }: EventAlternative): number => Math.max(rollout ?? 0, trainer ?? 0);
  return likeliest(b) - likeliest(a) || (a.token_id ?? -1) - (b.token_id ?? -1);
}
