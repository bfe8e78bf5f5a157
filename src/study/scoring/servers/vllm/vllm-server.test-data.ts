/**
 * vLLM's `/v1/completions`, answering as its serving code does (vllm/entrypoints/openai/completion), from the table of
 * logits.
 *
 * @module
 */
import {
  CONTEXT,
  type Entry,
  generate,
  logprobsAfter,
  ranked,
  tokenText,
  VOCABULARY,
} from "../bigram-model.test-data.ts";
import type { Answer, Asking, Handler } from "../http-server.test-data.ts";

export interface FakeVllm {
  readonly maxLogprobs?: number;
  readonly models?: readonly string[];
  readonly processed?: boolean;
  /** Whether it is a version before `prompt_logprobs` was part of this endpoint. */
  readonly onlyEcho?: boolean;
  /** Changes a choice before it is sent. */
  readonly spoil?: (choice: Record<string, unknown>) => void;
}

export interface CompletionRequest {
  readonly model: string;
  readonly prompt: number[];
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly n?: number;
  readonly seed?: number;
  readonly echo?: boolean;
  readonly logprobs?: number;
  readonly prompt_logprobs?: number;
  readonly stop_token_ids?: number[];
  readonly return_tokens_as_token_ids?: boolean;
  readonly return_token_ids?: boolean;
}

type Step = readonly Entry[] | null;

function refused(message: string, status = 400, type = "BadRequestError"): Answer {
  return { status, body: { error: { message, type, param: null, code: status } } };
}

/** The sampled token first, then the k most probable ones; a dict in Python, so no id twice. */
function step(last: number, id: number, k: number, temperature = 1): Step {
  const all = ranked(logprobsAfter(last, temperature));
  const own = all.find((entry) => entry.id === id)!;
  return [own, ...all.slice(0, k).filter((entry) => entry.id !== id)];
}

function promptSteps(ids: readonly number[], k: number): Step[] {
  return ids.map((id, index) => (index === 0 ? null : step(ids[index - 1]!, id, k)));
}

function promptLogprobs(steps: readonly Step[]): unknown {
  return steps.map(
    (entries) =>
      entries &&
      Object.fromEntries(
        entries.map(({ id, logprob, rank }) => [id, { logprob, rank, decoded_token: tokenText(id) }]),
      ),
  );
}

function completionLogprobs(
  ids: readonly number[],
  steps: readonly Step[],
  k: number,
  asIds: boolean,
): unknown {
  const name = (id: number): string => (asIds ? `token_id:${id}` : tokenText(id));
  return {
    text_offset: ids.map((_, index) => index),
    tokens: ids.map(name),
    token_logprobs: ids.map((_, index) => steps[index]?.[0]?.logprob ?? null),
    top_logprobs: ids.map((_, index) => {
      const entries = steps[index];
      return (
        entries &&
        Object.fromEntries(entries.filter((_entry, at) => k >= at).map((e) => [name(e.id), e.logprob]))
      );
    }),
  };
}

function checkRequest(
  request: CompletionRequest,
  fake: Required<Pick<FakeVllm, "maxLogprobs" | "models">>,
): Answer | undefined {
  const { prompt, max_tokens: maxTokens = 16, echo = false, n = 1 } = request;
  if (!fake.models.includes(request.model)) {
    return refused(`The model \`${request.model}\` does not exist.`, 404, "NotFoundError");
  }
  if (maxTokens < 1 && !echo) return refused(`max_tokens must be at least 1, got ${maxTokens}.`);
  if (prompt.length + maxTokens > CONTEXT) {
    return refused(
      `This model's maximum context length is ${CONTEXT} tokens. However, you requested ${maxTokens} output tokens and your prompt contains ${prompt.length} input tokens, for a total of ${prompt.length + maxTokens} tokens. Please reduce the length of the input prompt or the number of requested output tokens.`,
    );
  }
  const unknown = prompt.find((id) => id >= VOCABULARY);
  if (unknown !== undefined) return refused(`Token id ${unknown} is out of vocabulary`);
  if (request.temperature === 0 && n > 1) return refused(`n must be 1 when using greedy sampling, got ${n}.`);
  const allowed = fake.maxLogprobs === -1 ? VOCABULARY : fake.maxLogprobs;
  for (const [name, wanted = 0] of [
    ["sample", request.logprobs],
    ["prompt", request.prompt_logprobs],
  ] as const) {
    const count = wanted === -1 ? VOCABULARY : wanted;
    if (count > allowed) {
      return refused(`Requested ${name} logprobs of ${count}, which is greater than max allowed: ${allowed}`);
    }
  }
  return undefined;
}

function completion(request: CompletionRequest, fake: FakeVllm): Answer {
  const { prompt, max_tokens: maxTokens = 16, echo = false, n = 1, temperature = 1, seed = 0 } = request;
  const { logprobs, return_tokens_as_token_ids: asIds = false } = request;
  const wantsPrompt = fake.onlyEcho ? undefined : request.prompt_logprobs;
  const promptK = wantsPrompt ?? (echo ? logprobs : undefined);
  const steps =
    promptK === undefined ? undefined : promptSteps(prompt, promptK === -1 ? VOCABULARY : promptK);
  const choices = Array.from({ length: n }, (_, index) => {
    const made = generate(
      prompt,
      Math.max(1, maxTokens),
      temperature,
      request.stop_token_ids ?? [],
      seed + index,
    );
    const divisor = fake.processed && temperature > 0 ? temperature : 1;
    const madeSteps = made.ids.map((id, at) =>
      step(at === 0 ? prompt.at(-1)! : made.ids[at - 1]!, id, logprobs ?? 0, divisor),
    );
    const shownIds = echo ? (maxTokens === 0 ? prompt : [...prompt, ...made.ids]) : made.ids;
    const shown = echo ? [...(steps ?? []), ...madeSteps] : madeSteps;
    const choice: Record<string, unknown> = {
      index,
      text: shownIds.map(tokenText).join(""),
      logprobs: logprobs === undefined ? null : completionLogprobs(shownIds, shown, logprobs, asIds),
      finish_reason: made.finish,
      stop_reason: made.finish === "stop" ? made.ids.at(-1) : null,
      token_ids: request.return_token_ids ? made.ids : null,
      prompt_logprobs: steps === undefined || fake.onlyEcho ? null : promptLogprobs(steps),
      prompt_token_ids: request.return_token_ids ? prompt : null,
    };
    fake.spoil?.(choice);
    return choice;
  });
  const usage = { prompt_tokens: prompt.length, completion_tokens: Math.max(1, maxTokens) * n };
  return {
    body: { id: "cmpl-1", object: "text_completion", created: 1, model: request.model, choices, usage },
  };
}

export function vllmHandler(fake: FakeVllm = {}): Handler {
  const { models = ["tiny"], maxLogprobs = 20 } = fake;
  return ({ method, path, body }: Asking): Answer => {
    if (method === "GET" && path === "/v1/models") {
      const data = models.map((id) => ({ id, object: "model", owned_by: "vllm", max_model_len: CONTEXT }));
      return { body: { object: "list", data } };
    }
    if (method === "GET" && path === "/version") return { body: { version: "0.11.0" } };
    if (method === "POST" && path === "/v1/completions") {
      const request = body as CompletionRequest;
      return checkRequest(request, { models, maxLogprobs }) ?? completion(request, fake);
    }
    return { status: 404, body: { detail: "Not Found" } };
  };
}
