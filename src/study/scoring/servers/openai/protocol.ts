/**
 * Requests log-probs from a completions server with echo, and continuations from any.
 *
 * @module
 */

import { listAt } from "../../../../input/replies/index.ts";
import type { ForcedText, TopKScores } from "../../policy.ts";
import type { HttpClient } from "../http/client.ts";
import type { Failure } from "../http/failure.ts";
import type { ResolvedOptions } from "../options.ts";
import { noteCapped, noteOtherText } from "../replies/note-differences.ts";
import type { Notes } from "../replies/notes.ts";
import type { Protocol } from "../replies/policy.ts";
import { type Asked, makeRefusal, refuse } from "../replies/refusals.ts";
import { checkSampling, distinct, repeated } from "../replies/sampled.ts";
import { assembleScores, fewestGiven } from "../replies/scores.ts";
import { type Encode, idReader, parseEchoedText, parseSampled } from "./parse.ts";
import { type CompletionBody, echoBody, type Prompt, sampleBody } from "./requests.ts";

export interface Tokenizing {
  readonly encode?: Encode | undefined;
  readonly decode?: ((ids: readonly number[]) => string) | undefined;
}

/** Matches a refusal of `max_tokens: 0` itself, not of a text that is too long. */
const NEEDS_A_TOKEN = /max_tokens|max_new_tokens|max_completion_tokens/i;

function needsToken({ status }: Failure, { reason, message }: ReturnType<typeof makeRefusal>): boolean {
  const isInvalid = status === 400 || status === 422;
  return isInvalid && reason === "server-refused" && NEEDS_A_TOKEN.test(message);
}

const UNKNOWN_ALTERNATIVES =
  "Alternatives whose text is not a single token were left out, as were all less probable ones at that token.";

export function openAiProtocol(
  client: HttpClient,
  resolved: ResolvedOptions,
  model: string,
  notes: Notes,
  { encode, decode }: Tokenizing,
): Protocol {
  const readId = idReader(encode);
  let least: 0 | 1 = 0;
  const writePrompt = (ids: Int32Array): Prompt =>
    decode === undefined ? Array.from(ids) : decode(Array.from(ids));

  const complete = (body: CompletionBody, signal?: AbortSignal) =>
    client.post("/v1/completions", { ...body, ...resolved.extraBody }, { signal });

  async function score(text: ForcedText, asked: Asked, signal?: AbortSignal): Promise<TopKScores> {
    const k = resolved.topK;
    const maxTokens = least;
    const reply = await complete(echoBody(model, writePrompt(text.ids), k, maxTokens), signal);
    if (!reply.ok) {
      const refusal = makeRefusal(reply.failure, asked.id);
      if (maxTokens > 0 || !needsToken(reply.failure, refusal)) throw refusal;
      least = 1;
      return score(text, asked, signal);
    }
    const parsed = parseEchoedText(
      reply.json,
      text,
      { k, maxTokens, asText: decode !== undefined },
      readId,
      asked,
    );
    if (parsed === undefined)
      throw refuse(asked, "the reply has no log-probs", {
        reason: "no-logprobs",
        likely: "the server does not support echo with logprobs",
        hint: "score with vLLM or SGLang",
      });
    noteCapped(notes, fewestGiven(parsed.offers, k), k);
    noteOtherText(notes, text, parsed.text);
    if (parsed.unknown > 0) notes.add("unknown-alternatives", UNKNOWN_ALTERNATIVES);
    return assembleScores(text, parsed.tokens, k, parsed.offers, asked);
  }

  return {
    room: 0,
    score,
    async sample(promptIds, options, asked, signal) {
      checkSampling(promptIds, options);
      if (options.stopIds.length > 0) {
        notes.add("stop", "This protocol has no stop ids: texts end where the server ends them.");
      }
      const n = distinct(options);
      const reply = await complete(sampleBody(model, writePrompt(promptIds), options, n), signal);
      if (!reply.ok) throw makeRefusal(reply.failure, asked.id);
      const choices = listAt(reply.json, "choices") ?? [];
      if (choices.length < n) {
        throw refuse(asked, `${choices.length} of ${n} continuations came back`, { reason: "server-failed" });
      }
      // Servers differ in what a log-prob at another temperature means.
      const raw = options.topP === 1 && options.temperature === 1;
      return repeated(
        choices.map((choice) => parseSampled(choice, readId, raw, asked)),
        options.n,
      );
    },
  };
}
