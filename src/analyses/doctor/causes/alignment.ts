import { anyTrainer, type Cause, forTrainer } from "./cause.ts";

export const ALIGNMENT: readonly Cause[] = [
  {
    id: "token_shift",
    family: "alignment",
    title: "Column shifted against the other",
    description:
      "Log-probs of one column belong to a neighboring token, or logits were looked up one position late.",
    // ms-swift#8196, prime-rl#605, open-instruct#1483.
    fix: [
      anyTrainer(
        "logprobs = log_softmax(logits[:, :-1]).gather(-1, ids[:, 1:, None])",
        "Logits at position t score token t + 1.",
      ),
      anyTrainer(
        "logratio report PATH --align auto",
        "Shows the figures with the column moved into place, until the code is fixed.",
      ),
    ],
  },
  {
    id: "rows_shuffled_batch",
    family: "alignment",
    title: "Rows swapped in the batch",
    description: "The rollout log-probs of a sequence belong to another sequence of its step.",
    // verl#4232, verl#7758.
    fix: [
      anyTrainer(
        "join by request id",
        "Match rollout and trainer rows by id, not by order: balancing, filtering and asynchronous replies reorder them.",
      ),
    ],
  },
  {
    id: "rows_shuffled_group",
    family: "alignment",
    title: "Rows swapped within a prompt",
    description: "The rollout log-probs of a sequence belong to another response to the same prompt.",
    fix: [
      anyTrainer(
        "join by (prompt id, sample index)",
        "The samples of a prompt come back in any order; keep their index from the request on.",
      ),
    ],
  },
  {
    id: "duplicated_rows",
    family: "alignment",
    title: "Sequences counted twice",
    description: "Some sequences of a step are copies of others, tokens and log-probs included.",
    fix: [
      anyTrainer(
        "drop repeated (step, sample id)",
        "Look at padding to a multiple of the ranks, at retries, and at samplers that draw with replacement.",
      ),
    ],
  },
  {
    id: "retokenized_turns",
    family: "alignment",
    title: "Turns tokenized again",
    description:
      "The trainer encoded text that the engine had as tokens, and got other ids where a turn begins.",
    // rllm#816, trl#6250, verl#6719, verifiers#37.
    fix: [
      anyTrainer(
        "train on the engine's token ids",
        "Pass ids from the engine to the trainer and back into the next turn; never encode what was decoded.",
      ),
      forTrainer("vllm", "return_token_ids = true", "Chat and completion replies then carry the ids."),
    ],
  },
  {
    id: "cp_boundary",
    family: "alignment",
    title: "Labels wrong where chunks begin",
    description:
      "Labels were rolled within the chunks of context parallelism, so the token at each chunk's start is scored for another id.",
    fix: [
      anyTrainer(
        "roll labels before splitting the sequence",
        "Shift ids by one over the whole sequence, then cut it for context parallelism.",
      ),
    ],
  },
];
