/**
 * Dumps that hold only text: how to recognize them, and which trainer writes them.
 *
 * @module
 */
export interface OneSidedDump {
  /** `TRL's completions table`. */
  readonly what: string;
  readonly trainer: string;
  /** All of these keys occur in a row (or at the top of a tree). */
  readonly keys: readonly string[];
  /** At least one of these keys occurs. */
  readonly anyOf?: readonly string[];
  /** The dump has neither policy's log-probs. */
  readonly has: "text";
}

/** The more specific ones first: the first whose keys are all present is chosen. */
const ONE_SIDED_DUMPS: readonly OneSidedDump[] = [
  {
    what: "verl's rollout_data_dir or validation_data_dir",
    trainer: "verl",
    keys: ["input", "output", "score"],
    has: "text",
  },
  {
    what: "TRL's completions table",
    trainer: "TRL",
    keys: ["step", "prompt", "completion", "advantage"],
    has: "text",
  },
  {
    what: "xtuner's train_rollout file",
    trainer: "xtuner",
    keys: ["rollout_id", "prompt", "response"],
    has: "text",
  },
  {
    what: "xtuner's rollout file",
    trainer: "xtuner",
    keys: ["prompt", "response", "label", "reward"],
    has: "text",
  },
  {
    what: "AReaL's rollout file",
    trainer: "AReaL",
    keys: ["task_id", "seqlen", "prompt_len", "prompt", "completion"],
    has: "text",
  },
  {
    what: "a NeMo-RL distillation log",
    trainer: "NeMo-RL",
    keys: ["content", "input_lengths", "idx"],
    has: "text",
  },
  {
    what: "ms-swift's completions file",
    trainer: "ms-swift",
    keys: ["prompt", "completion"],
    anyOf: ["gen_step", "global_step", "messages", "advantages", "rewards"],
    has: "text",
  },
  {
    what: "OpenRLHF's table of generated samples",
    trainer: "OpenRLHF",
    keys: ["text", "reward"],
    has: "text",
  },
];

/** The first dump whose keys are all in `names`. */
export function recognise(names: ReadonlySet<string>): OneSidedDump | undefined {
  return ONE_SIDED_DUMPS.find(
    ({ keys, anyOf }) =>
      keys.every((key) => names.has(key)) && (anyOf === undefined || anyOf.some((key) => names.has(key))),
  );
}
