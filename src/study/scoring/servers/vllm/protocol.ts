/**
 * Requests log-probs and continuations from vLLM.
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
import { forceSampled, type Protocol } from "../replies/policy.ts";
import { type Asked, makeRefusal, refuse } from "../replies/refusals.ts";
import { checkSampling, distinct, repeated } from "../replies/sampled.ts";
import { assembleScores, fewestGiven } from "../replies/scores.ts";
import {
  firstChoice,
  isCompletion,
  type ParsedText,
  parseEcho,
  parseNextToken,
  parsePromptLogprobs,
  parseSampled,
} from "./parse.ts";
import { type CompletionBody, echoBody, nextTokenBody, promptLogprobsBody, sampleBody } from "./requests.ts";

export type LogprobsMode = "raw_logprobs" | "processed_logprobs";

/** Whether a refusal is about the parameter itself, not its value. */
function isUnknownParameter({ status, message }: Failure): boolean {
  return (
    (status === 400 || status === 422) &&
    /prompt_logprobs/i.test(message) &&
    /not permitted|unrecogni[sz]ed|unknown|unexpected|unsupported|not supported/i.test(message)
  );
}

const LOST = {
  likely: "the server or a proxy lost part of the reply",
  hint: "look at the server's log, and score again",
};
const UNSUPPORTED = {
  likely: "the server supports neither prompt_logprobs nor echo",
  hint: "make sure that vLLM itself answers there, not a gateway that drops these fields",
};

function refuseReply(asked: Asked, why: typeof LOST): ReturnType<typeof refuse> {
  return refuse(asked, "the reply has no log-probs of the prompt", { reason: "no-logprobs", ...why });
}

export function vllmProtocol(
  client: HttpClient,
  resolved: ResolvedOptions,
  model: string,
  notes: Notes,
  mode: LogprobsMode,
): Protocol {
  // The server's abilities are learned from its replies; one bad reply must not change how all later texts are
  // requested.
  let gives: "unknown" | "prompt_logprobs" | "echo" = "unknown";

  const post = (body: CompletionBody, signal?: AbortSignal) =>
    client.post("/v1/completions", { ...body, ...resolved.extraBody }, { signal });

  async function complete(body: CompletionBody, asked: Asked, signal?: AbortSignal): Promise<unknown> {
    const reply = await post(body, signal);
    if (!reply.ok) throw makeRefusal(reply.failure, asked.id);
    return reply.json;
  }

  /** Undefined if this server gives no `prompt_logprobs`. */
  async function byPromptLogprobs(
    text: ForcedText,
    asked: Asked,
    signal?: AbortSignal,
  ): Promise<ParsedText | undefined> {
    const reply = await post(promptLogprobsBody(model, text.ids, resolved.topK), signal);
    if (!reply.ok) {
      if (gives !== "prompt_logprobs" && isUnknownParameter(reply.failure)) return undefined;
      throw makeRefusal(reply.failure, asked.id);
    }
    const choice = firstChoice(reply.json);
    const parsed = parsePromptLogprobs(choice, text, asked);
    if (parsed !== undefined) gives = "prompt_logprobs";
    else if (gives === "prompt_logprobs" || !isCompletion(choice)) throw refuseReply(asked, LOST);
    return parsed;
  }

  async function score(text: ForcedText, asked: Asked, signal?: AbortSignal): Promise<TopKScores> {
    let parsed = gives === "echo" ? undefined : await byPromptLogprobs(text, asked, signal);
    if (parsed === undefined) {
      const reply = await complete(echoBody(model, text.ids, resolved.topK), asked, signal);
      parsed = parseEcho(firstChoice(reply), text, asked);
      if (parsed !== undefined && gives === "unknown") gives = "echo";
      notes.add("echo", "This server returns no prompt_logprobs; its echo was read.");
    }
    if (parsed === undefined) throw refuseReply(asked, UNSUPPORTED);
    noteCapped(notes, fewestGiven(parsed.offers, resolved.topK), resolved.topK);
    noteOtherText(notes, text, parsed.text);
    return assembleScores(text, parsed.tokens, resolved.topK, parsed.offers, asked);
  }

  return {
    // One token must be generated.
    room: 1,
    score,
    async nextToken(prefix, vocabulary, asked, signal) {
      const json = await complete(nextTokenBody(model, prefix, vocabulary), asked, signal);
      return parseNextToken(firstChoice(json), asked);
    },
    async sample(promptIds, options, asked, signal) {
      checkSampling(promptIds, options);
      const n = distinct(options);
      const json = await complete(sampleBody(model, promptIds, options, n), asked, signal);
      const choices = listAt(json, "choices") ?? [];
      if (choices.length < n) {
        throw refuse(asked, `${choices.length} of ${n} continuations came back`, { reason: "server-failed" });
      }
      const sampled = choices.map((choice) => parseSampled(choice, asked));
      const isChanged =
        mode === "processed_logprobs" && (options.topP < 1 || ![0, 1].includes(options.temperature));
      const raw = isChanged ? await forceSampled(score, promptIds, sampled, asked, signal) : sampled;
      return repeated(raw, options.n);
    },
  };
}
