/**
 * Results of Megatron-LM's inference examples (`tests/functional_tests/test_cases/gpt/*_logitsmatch`, commit
 * d98e8a64): `{id: {input_prompt, generated_tokens, generated_text, logprobs, …}}`, where `logprobs` starts with the
 * prompt's (from its second token on) and ends with the generated tokens'.
 *
 * @module
 */
import { isNumericArray } from "../../../core/base/index.ts";
import type { TreeMap } from "../../io/index.ts";
import { isMap } from "../shared/tree-values.ts";
import type { Scoring, ScoringFormat } from "./scoring.ts";

export function readMegatron(root: TreeMap): ScoringFormat | undefined {
  const scorings: Scoring[] = [];
  const ignored: string[] = [];
  const unusable: { row: number; message: string }[] = [];
  for (const [row, [key, entry]] of Object.entries(root).entries()) {
    const tokenIds = isMap(entry) ? entry.generated_tokens : undefined;
    const logprobs = isMap(entry) ? entry.logprobs : undefined;
    if (!isMap(entry) || !isNumericArray(tokenIds) || !isNumericArray(logprobs)) {
      ignored.push(key);
      continue;
    }
    const promptLogprobs = logprobs.length - tokenIds.length;
    if (promptLogprobs < 0) {
      unusable.push({
        row,
        message: `${key} has ${tokenIds.length} generated tokens and ${logprobs.length} log-probs`,
      });
      continue;
    }
    const { input_prompt: prompt, generated_text: text } = entry;
    scorings.push({
      key,
      promptText: typeof prompt === "string" ? prompt : undefined,
      responseText: typeof text === "string" ? text : undefined,
      promptLogprobs,
      tokenIds,
      logprobs: logprobs.subarray(promptLogprobs),
      row,
    });
  }
  if (scorings.length === 0 && unusable.length === 0) return undefined;
  return { what: "Megatron-LM inference results", scorings, ignored, unusable };
}
