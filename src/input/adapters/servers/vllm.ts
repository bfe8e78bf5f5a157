/**
 * Forms that only vLLM writes: `prompt_logprobs` of its HTTP replies, outputs of its offline engine, and the recorded
 * outputs of its own tests.
 *
 * @module
 */
import { listAt, numberAt, textAt, toList } from "../../replies/json.ts";
import { type Reply, type ReplyProblem, type ServerText, withoutLogprobs } from "./reply.ts";
import { readPositions, toIds } from "./tokens.ts";

type Prompt = Pick<ServerText, "prompt" | "promptIds">;

/** The id at a position when the prompt's ids are absent: that of its only entry. */
function readOnlyId(place: unknown): number | undefined {
  const names = typeof place === "object" && place !== null ? Object.keys(place) : [];
  return names.length === 1 ? Number(names[0]) : undefined;
}

/** `prompt_logprobs` and `prompt_token_ids` of a reply, a choice or an offline output; undefined without the former. */
export function readVllmPrompt(holder: unknown): Prompt | undefined {
  const places = listAt(holder, "prompt_logprobs");
  const promptIds = toIds(listAt(holder, "prompt_token_ids"));
  if (places === undefined || places.length === 0) return promptIds && { promptIds };
  // Without ids, a position with several entries does not say which is the prompt's own token.
  const ids = promptIds ?? toIds(places.slice(1).map((place) => readOnlyId(place) ?? NaN));
  if (ids === undefined) return undefined;
  const read = readPositions(ids, promptIds === undefined ? places.slice(1) : places);
  return "missing" in read ? { promptIds } : { prompt: read, promptIds };
}

function misplaced(ids: Float64Array, index: number): ReplyProblem {
  return {
    message: `token ${index} has id ${ids[index]}, which is not among the log-probs at its position`,
    likely: "ids and log-probs belong to different outputs",
  };
}

/** `{prompt_token_ids, outputs: [{token_ids, logprobs: [{"<id>": {logprob, rank, decoded_token}}]}]}` */
export function readVllmOutput(reply: unknown): Reply | undefined {
  const server = "vLLM's offline outputs";
  const outputs = listAt(reply, "outputs");
  if (outputs === undefined || outputs.length === 0) return undefined;
  if (!outputs.every((output) => listAt(output, "token_ids") !== undefined)) return undefined;
  const prompt = readVllmPrompt(reply);
  const texts: ServerText[] = [];
  for (const [index, output] of outputs.entries()) {
    const ids = toIds(listAt(output, "token_ids"));
    const places = listAt(output, "logprobs");
    if (ids === undefined || (places === undefined && prompt?.prompt === undefined)) continue;
    const tokens = readPositions(ids, places ?? []);
    if ("missing" in tokens) return { server, texts: [], problem: misplaced(ids, tokens.missing) };
    texts.push({
      tokens,
      ...prompt,
      promptText: textAt(reply, "prompt"),
      text: textAt(output, "text"),
      choice: numberAt(output, "index") ?? index,
      key: textAt(reply, "request_id"),
      finishReason: textAt(output, "finish_reason"),
      cachedTokens: numberAt(reply, "num_cached_tokens"),
    });
  }
  if (texts.length === 0) return withoutLogprobs(server, "SamplingParams(logprobs=1)");
  return { server, texts };
}

/** `[ids, text, [{"<id>": {logprob, rank, decoded_token}}]]` (vllm/tests/models/utils.py, TokensTextLogprobs). */
export function readVllmRecorded(element: unknown): Reply | undefined {
  const [first, text, third, ...more] = toList(element) ?? [];
  const ids = toIds(first);
  const places = toList(third);
  if (ids === undefined || typeof text !== "string" || places === undefined || more.length > 0)
    return undefined;
  const server = "vLLM's recorded outputs";
  if (places.length !== ids.length) {
    return {
      server,
      texts: [],
      problem: { message: `${ids.length} token ids and ${places.length} log-probs` },
    };
  }
  const tokens = readPositions(ids, places);
  if ("missing" in tokens) return { server, texts: [], problem: misplaced(ids, tokens.missing) };
  return { server, texts: [{ tokens, text, choice: 0 }] };
}
