import type { VerbArgument } from "./verb.ts";

export const TOKENIZER = "the model's tokenizer: a directory with tokenizer.json, or that file";

/** The argument of every verb that reads runs. */
export const RUN_PATHS: VerbArgument = { syntax: "<path...>", meaning: "same as report" };

/** For verbs whose sums `summarize` also writes. */
export const RUN_OR_PARTS: VerbArgument = {
  syntax: "<path...>",
  meaning: "same as report; or parts that summarize --for this verb made: .lrs files, directories of them",
};

/** Flag and meaning, for verbs whose full result is longer than a screen. */
export const FULL = [
  "--full",
  "print everything (a terminal shows only the first screen by default)",
] as const;
