/**
 * The parts of inference servers' replies that scoring (which sends requests) and adapters (which read saved replies)
 * share: log-probs and their sentinels, OpenAI's `logprobs` blocks, vLLM's positions, SGLang's triples.
 *
 * Which reply holds which part is decided there.
 *
 * @module
 */
export type { Alternative, Offer } from "./alternatives.ts";
export {
  type EchoToken,
  echoTokens,
  type IdOf,
  listAlternatives,
  placeholderId,
  readOffer,
} from "./echo.ts";
export { type JsonObject, listAt, member, numberAt, textAt, toList } from "./json.ts";
export { parseLogprob } from "./logprob.ts";
export { listIds, type Position, readPosition } from "./positions.ts";
export { readTriples, type Triple } from "./triples.ts";
