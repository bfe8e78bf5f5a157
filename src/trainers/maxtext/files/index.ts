/**
 * MaxText's golden data (`test_assets/golden_data_*.jsonl`, commits 93db9d62 and 41a6bdc3): N tokens with N − 1
 * log-probs of a reference implementation, where entry i scores token i + 1, as MaxText's tests compare them.
 *
 * @module
 */

import { MissingSideError, Unavailable } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { Adapter } from "../../../input/adapters/adapter.ts";
import { listNumbers, readObjects, sampleObjects } from "../../../input/adapters/shared/objects.ts";
import type { TreeMap } from "../../../input/io/index.ts";

const LOGPROBS = "token_log_probs";

function readGolden(object: TreeMap): readonly SequenceDraft[] | Unavailable {
  const [ids, logprobs] = [listNumbers(object.tokens), listNumbers(object[LOGPROBS])];
  if (ids === undefined || logprobs === undefined) return new Unavailable("no tokens with token_log_probs");
  if (logprobs.length !== ids.length - 1)
    return new Unavailable(
      `${LOGPROBS} has ${plural(logprobs.length, "value")}, expected one fewer than the ${ids.length} tokens`,
    );
  const mask = listNumbers(object.attention_mask)?.subarray(1);
  return [
    {
      length: logprobs.length,
      // Nothing precedes the first token that could predict it.
      responseMask: mask ?? new Uint8Array(logprobs.length).fill(1),
      trainerLogprobs: logprobs,
      responseTokenIds: ids.subarray(1),
      promptTokenIds: ids.subarray(0, 1),
    },
  ];
}

export const maxtext: Adapter = {
  name: "maxtext",
  async detect(document) {
    const objects = sampleObjects(document);
    const isGolden = (object: TreeMap): boolean => {
      const [ids, logprobs] = [listNumbers(object.tokens), listNumbers(object[LOGPROBS])];
      return ids !== undefined && logprobs !== undefined && logprobs.length + 1 === ids.length;
    };
    const isGrpo = objects.some((object) =>
      Object.keys(object).some((name) => name.startsWith("maxtext_per_token_logps")),
    );
    if (!isGrpo && !objects.some(isGolden)) return undefined;
    const error = new MissingSideError(
      isGrpo
        ? "this is MaxText's GRPO golden file: it holds one policy's log-probs of the generated part"
        : "this is MaxText golden data: it holds one policy's log-probs",
      {
        at: { file: document.file },
        likely: "MaxText's tests compare a forward pass with this file",
        hint: "write the second policy's log-probs of the same tokens to a file and give both",
      },
    );
    return {
      score: 0.9,
      found: isGrpo
        ? ["MaxText GRPO golden data"]
        : [
            "trainer log-probs: token_log_probs, of tokens 1 to N − 1",
            "prompt and response token ids: tokens",
          ],
      guessed: isGrpo ? [] : ["the first token counts as the prompt, since nothing predicts it"],
      missing: ["rollout log-probs"],
      ...(isGrpo
        ? { problem: error }
        : { onePolicy: { has: "trainer", what: "MaxText golden data", error } as const }),
    };
  },
  async read(document, { findings }) {
    return { alignment: "next-token", sampling: {}, blocks: readObjects(document, findings, readGolden) };
  },
};
