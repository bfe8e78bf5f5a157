import { advise, anyTrainer, type CauseText, forEngine } from "./cause.ts";

export const ALIGNMENT: readonly CauseText[] = [
  {
    id: "token_shift",
    family: "alignment",
    title: "One column is shifted",
    description:
      "The log-probs in one column belong to neighboring tokens, or the logits were read one position late.",
    // ms-swift#8196, prime-rl#605, open-instruct#1483.
    fix: [
      anyTrainer(
        "logprobs = log_softmax(logits[:, :-1]).gather(-1, ids[:, 1:, None])",
        "Logits at position t score token t + 1.",
      ),
      anyTrainer(
        "logratio report PATH --align auto",
        "Until the code is fixed, this shows the figures with the column shifted back into place.",
      ),
    ],
  },
  {
    id: "columns_swapped",
    family: "alignment",
    title: "The two columns are swapped",
    description: "The rollout's log-probs are in the trainer's column and the trainer's in the rollout's.",
    fix: [
      anyTrainer(
        "ratio = exp(trainer_logprobs - rollout_logprobs)",
        "The log-probs that the sampler reported are the denominator; check the order of arguments and of the columns in the dump.",
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
      advise(
        "join by request id",
        "Match rollout and trainer rows by id, not by order: balancing, filtering and asynchronous replies change the order.",
      ),
    ],
  },
  {
    id: "rows_shuffled_group",
    family: "alignment",
    title: "Rows swapped within a prompt",
    description: "The rollout log-probs of a sequence belong to another response to the same prompt.",
    fix: [
      advise(
        "join by (prompt id, sample index)",
        "The samples of a prompt return in any order: keep the index from the request.",
      ),
    ],
  },
  {
    id: "duplicated_rows",
    family: "alignment",
    title: "Sequences counted twice",
    description: "Some sequences in a step are copies of others, including tokens and log-probs.",
    fix: [
      advise(
        "drop repeated (step, sample id)",
        "Check padding to a multiple of the ranks, retries, and samplers that draw with replacement.",
      ),
    ],
  },
  {
    id: "retokenized_turns",
    family: "alignment",
    title: "Turns tokenized again",
    description:
      "The trainer encoded text that the engine had as tokens, and got different ids where a turn begins.",
    // rllm#816, trl#6250, verl#6719, verifiers#37.
    fix: [
      advise(
        "train on the engine's token ids",
        "Pass ids from the engine to the trainer and into the next turn; never re-encode decoded text.",
      ),
      forEngine("vllm", "return_token_ids = true", "Chat and completion replies then include the ids."),
    ],
  },
  {
    id: "cp_boundary",
    family: "alignment",
    title: "Wrong labels where chunks begin",
    description:
      "Labels were rolled within each chunk of context parallelism, so the first token of each chunk is scored for another id.",
    fix: [
      advise(
        "roll labels before splitting the sequence",
        "Shift the ids by one over the whole sequence, then split it for context parallelism.",
      ),
    ],
  },
];
