/**
 * Results of Megatron-LM's inference examples (`tests/functional_tests/test_cases/gpt/*_logitsmatch`, commit
 * d98e8a64): `{id: {input_prompt, generated_tokens, generated_text, logprobs, …}}`, where `logprobs` starts with the
 * prompt's (from its second token on) and ends with the generated tokens'.
 *
 * @module
 */
import { isNumericArray, isObject } from "../../../core/base/index.ts";
import { member, textAt } from "../../replies/json.ts";
import type { Reply } from "./reply.ts";
import { toIds } from "./tokens.ts";

/** One entry, under its id; undefined for anything else in such a file (`throughput`). */
export function readMegatronEntry(key: string, entry: unknown): Reply | undefined {
  const ids =
    isObject(entry) && isNumericArray(entry.generated_tokens) ? toIds(entry.generated_tokens) : undefined;
  const logprobs = member(entry, "logprobs");
  if (ids === undefined || !isNumericArray(logprobs)) return undefined;
  const server = "Megatron-LM inference results";
  const prompt = logprobs.length - ids.length;
  if (prompt < 0) {
    const message = `${key} has ${ids.length} generated tokens and ${logprobs.length} log-probs`;
    return { server, texts: [], problem: { message } };
  }
  const all = Float64Array.from(logprobs);
  return {
    server,
    texts: [
      {
        tokens: { logprobs: all.subarray(prompt), ids },
        // The prompt's ids are not in the file; its text says whether two prompts are the same.
        prompt: { logprobs: all.subarray(0, prompt) },
        promptText: textAt(entry, "input_prompt"),
        text: textAt(entry, "generated_text"),
        choice: 0,
        key,
      },
    ],
  };
}
