/**
 * Requests log-probs and continuations from SGLang.
 *
 * @module
 */
import type { ForcedText, TopKScores } from "../../policy.ts";
import type { HttpClient } from "../http/client.ts";
import type { ResolvedOptions } from "../options.ts";
import { noteCapped } from "../replies/note-differences.ts";
import type { Notes } from "../replies/notes.ts";
import { forceSampled, type Protocol } from "../replies/policy.ts";
import { type Asked, makeRefusal } from "../replies/refusals.ts";
import { checkSampling, distinct, repeated } from "../replies/sampled.ts";
import { assembleScores } from "../replies/scores.ts";
import { metaInfo, parseInputLogprobs, parseNextToken, parseSampled } from "./parse.ts";
import { type GenerateBody, inputLogprobsBody, nextTokenBody, sampleBody } from "./requests.ts";

/** @param seeds - whether the server heeds a seed (`--enable-deterministic-inference`) */
export function sglangProtocol(
  client: HttpClient,
  resolved: ResolvedOptions,
  notes: Notes,
  seeds: boolean,
): Protocol {
  async function generate(body: GenerateBody, asked: Asked, signal?: AbortSignal): Promise<unknown> {
    const reply = await client.post("/generate", { ...body, ...resolved.extraBody }, { signal });
    if (!reply.ok) throw makeRefusal(reply.failure, asked.id);
    return reply.json;
  }

  async function score(text: ForcedText, asked: Asked, signal?: AbortSignal): Promise<TopKScores> {
    const k = resolved.topK;
    const json = await generate(inputLogprobsBody(text.ids, text.promptLength, k), asked, signal);
    const tokens = parseInputLogprobs(metaInfo(json, asked), text, resolved.vocabularySize ?? null, asked);
    const given = tokens.reduce((least, { alternatives }) => Math.min(least, alternatives.length), k);
    noteCapped(notes, given, k);
    return assembleScores(text, tokens, k, undefined, asked);
  }

  return {
    // Input and new tokens together must be fewer than the context; each row is that of a new token.
    room: 1,
    rowRoom: 2,
    score,
    async nextToken(prefix, vocabulary, asked, signal) {
      const json = await generate(nextTokenBody(prefix, vocabulary), asked, signal);
      return parseNextToken(metaInfo(json, asked), asked);
    },
    async sample(promptIds, options, asked, signal) {
      checkSampling(promptIds, options);
      if (!seeds && options.temperature > 0) {
        notes.add(
          "seed",
          "Sampled without a seed: SGLang heeds one only with --enable-deterministic-inference.",
        );
      }
      const sampled = await Promise.all(
        Array.from({ length: distinct(options) }, async (_, index) => {
          const body = sampleBody(promptIds, options, seeds ? options.seed + index : undefined);
          return parseSampled(await generate(body, asked, signal), asked);
        }),
      );
      // Log-probs of the output include the temperature; greedy sampling counts as 1.
      const raw = options.temperature === 0 || options.temperature === 1;
      return repeated(
        raw ? sampled : await forceSampled(score, promptIds, sampled, asked, signal),
        options.n,
      );
    },
  };
}
