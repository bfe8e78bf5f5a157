/**
 * The parts of inference servers' replies that scoring (which sends requests) and adapters (which read saved replies)
 * share: log-probs and their sentinels, OpenAI's `logprobs` blocks, vLLM's positions, SGLang's triples.
 *
 * Code that decides which reply holds which part belongs there.
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
export { listAt, member, numberAt, textAt } from "./json.ts";
export { parseLogprob } from "./logprob.ts";
export { listIds, readPosition } from "./positions.ts";
export { readTriples } from "./triples.ts";
