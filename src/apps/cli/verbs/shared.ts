import type { VerbArgument } from "./verb.ts";

export const TOKENIZER = "the model's tokenizer: a directory with tokenizer.json, or that file";

/** The argument of every verb that reads runs. */
export const RUN_PATHS: VerbArgument = { syntax: "<path...>", meaning: "same as `report`" };
