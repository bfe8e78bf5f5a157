/**
 * A completions server of the older OpenAI kind: texts instead of ids, at most 5 alternatives, no unknown parameters.
 *
 * @module
 */
import { encode, generate, logprobsAfter, ranked, tokenText } from "../bigram-model.test-data.ts";
import type { Answer, Asking, Handler } from "../http-server.test-data.ts";

export interface FakeOpenAi {
  /** Whether `max_tokens` 0 is refused. */
  readonly needsAToken?: boolean;
  /** Tokens added in front of a prompt that is sent as text. */
  readonly startTokens?: readonly number[];
  readonly listsModels?: boolean;
  readonly noEcho?: boolean;
  readonly asIds?: boolean;
  readonly spoil?: (choice: Record<string, unknown>) => void;
}

const MOST = 5;
const KNOWN = new Set("model prompt echo logprobs max_tokens temperature top_p n seed".split(" "));

function refused(message: string): Answer {
  return {
    status: 400,
    body: { error: { message, type: "invalid_request_error", param: null, code: null } },
  };
}

interface Body {
  readonly prompt: string | readonly number[];
  readonly echo?: boolean;
  readonly logprobs?: number;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly n?: number;
  readonly seed?: number;
}

function block(
  ids: readonly number[],
  before: number | undefined,
  k: number,
  name: (id: number) => string,
): unknown {
  const lasts = ids.map((_, index) => (index === 0 ? before : ids[index - 1]));
  const rows = ids.map((id, index) => {
    const last = lasts[index];
    if (last === undefined) return null;
    const all = ranked(logprobsAfter(last));
    const own = all.find((entry) => entry.id === id)!;
    return { own, entries: [...all.slice(0, Math.min(k, MOST)).filter((entry) => entry.id !== id), own] };
  });
  return {
    tokens: ids.map(name),
    token_logprobs: rows.map((row) => row?.own.logprob ?? null),
    top_logprobs: rows.map(
      (row) => row && Object.fromEntries(row.entries.map((e) => [name(e.id), e.logprob])),
    ),
    text_offset: ids.map((_, index) => index),
  };
}

function completion(body: Body, fake: FakeOpenAi): Answer {
  const {
    prompt,
    echo = false,
    logprobs,
    max_tokens: maxTokens = 16,
    temperature = 1,
    n = 1,
    seed = 1,
  } = body;
  if (echo && fake.noEcho)
    return refused("Setting 'echo' and 'logprobs' at the same time is not supported for this model.");
  if (maxTokens === 0 && fake.needsAToken) return refused("max_tokens must be at least 1");
  const ids = typeof prompt === "string" ? [...(fake.startTokens ?? []), ...encode(prompt)] : prompt;
  const name = (id: number): string => (fake.asIds ? `token_id:${id}` : tokenText(id));
  const choices = Array.from({ length: n }, (_, index) => {
    const made = generate(ids, maxTokens, temperature, [], seed + index);
    const shown = echo ? [...ids, ...made.ids] : made.ids;
    const choice: Record<string, unknown> = {
      index,
      text: shown.map(tokenText).join(""),
      finish_reason: made.finish,
      logprobs: logprobs === undefined ? null : block(shown, echo ? undefined : ids.at(-1), logprobs, name),
    };
    fake.spoil?.(choice);
    return choice;
  });
  const usage = { prompt_tokens: ids.length, completion_tokens: maxTokens * n };
  return { body: { id: "cmpl-1", object: "text_completion", choices, usage } };
}

export function openAiHandler(fake: FakeOpenAi = {}): Handler {
  return ({ path, body }: Asking): Answer => {
    if (path === "/v1/models" && fake.listsModels !== false) {
      return { body: { object: "list", data: [{ id: "tiny", object: "model" }] } };
    }
    if (path !== "/v1/completions")
      return { status: 404, body: { error: { message: "Unknown request URL" } } };
    const extra = Object.keys(body as object).find((key) => !KNOWN.has(key));
    if (extra !== undefined) return refused(`Unrecognized request argument supplied: ${extra}`);
    return completion(body as Body, fake);
  };
}
