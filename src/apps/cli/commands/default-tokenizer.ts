import { findTokenizer } from "../../../input/tokens/index.ts";

interface TokenizerOptions {
  readonly tokenizer?: string;
  readonly digitIds?: string;
  readonly redact?: string;
}

/** The options with the tokenizer that lies beside the dumps, where none was given and one can be used. */
export async function withTokenizer<O extends TokenizerOptions>(
  paths: readonly string[],
  options: O,
): Promise<O> {
  if (options.tokenizer !== undefined || options.digitIds !== undefined || options.redact !== undefined)
    return options;
  const tokenizer = await findTokenizer(paths);
  return tokenizer === undefined ? options : { ...options, tokenizer };
}
