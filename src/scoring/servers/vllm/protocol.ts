/**
 * Asking vLLM for log-probs and continuations.
 *
 * @module
 */
import type { ForcedText, TopKScores } from "../../policy.ts";
import type { HttpClient } from "../http/client.ts";
import { listAt } from "../json.ts";
import type { ServerSettings } from "../options.ts";
import { noteCapped, noteOtherText } from "../replies/note-differences.ts";
import type { Notes } from "../replies/notes.ts";
import { forceSampled, type Protocol } from "../replies/policy.ts";
import { type Asked, refusalOf, refuse } from "../replies/refusals.ts";
import { checkSampling, distinct, repeated } from "../replies/sampled.ts";
import { assembleScores, fewestGiven } from "../replies/scores.ts";
import { firstChoice, parseEcho, parseNextToken, parsePromptLogprobs, parseSampled } from "./parse.ts";
import { type CompletionBody, echoBody, nextTokenBody, promptLogprobsBody, sampleBody } from "./requests.ts";

export type LogprobsMode = "raw_logprobs" | "processed_logprobs";

export function vllmProtocol(
  client: HttpClient,
  settings: ServerSettings,
  model: string,
  notes: Notes,
  mode: LogprobsMode,
): Protocol {
  let echoes = false;

  async function complete(body: CompletionBody, asked: Asked, signal?: AbortSignal): Promise<unknown> {
    const reply = await client.post("/v1/completions", { ...body, ...settings.extraBody }, { signal });
    if (!reply.ok) throw refusalOf(reply.failure, asked.id);
    return reply.json;
  }

  async function score(text: ForcedText, asked: Asked, signal?: AbortSignal): Promise<TopKScores> {
    const echo = echoes;
    const body = (echo ? echoBody : promptLogprobsBody)(model, text.ids, settings.topK);
    const choice = firstChoice(await complete(body, asked, signal));
    const parsed = (echo ? parseEcho : parsePromptLogprobs)(choice, text, asked);
    if (parsed === undefined && !echo) {
      echoes = true;
      notes.add("echo", "This server gives no prompt_logprobs; its echo was read.");
      return score(text, asked, signal);
    }
    if (parsed === undefined) {
      throw refuse(asked, "the reply has no log-probs of the prompt", {
        reason: "no-logprobs",
        likely: "a server that knows neither prompt_logprobs nor echo",
        hint: "see that vLLM itself answers there, not a gateway that drops these fields",
      });
    }
    noteCapped(notes, fewestGiven(parsed.offers, settings.topK), settings.topK);
    noteOtherText(notes, text, parsed.text);
    return assembleScores(text, parsed.tokens, settings.topK, parsed.offers, asked);
  }

  return {
    // One token is generated.
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
      const changed =
        mode === "processed_logprobs" && (options.topP < 1 || ![0, 1].includes(options.temperature));
      return repeated(
        changed ? await forceSampled(score, promptIds, sampled, asked, signal) : sampled,
        options.n,
      );
    },
  };
}
