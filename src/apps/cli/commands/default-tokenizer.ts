import { findTokenizer } from "../../../input/tokens/index.ts";

interface TokenizerOptions {
  readonly tokenizer?: string;
  readonly digitIds?: string;
  readonly redact?: string;
}

/** The options with the tokenizer found next to the dumps, if none was given and one can be used. */
export async function withTokenizer<O extends TokenizerOptions>(
  paths: readonly string[],
  options: O,
): Promise<O> {
  if (options.tokenizer !== undefined || options.digitIds !== undefined || options.redact !== undefined)
    return options;
  const tokenizer = await findTokenizer(paths);
  return tokenizer === undefined ? options : { ...options, tokenizer };
}

/**
 * The options, with a tokenizer that was found kept separate: it is used for texts, but appears in no suggested
 * command. On a cluster the dumps may be where this machine cannot see them.
 */
export async function withFound<
  O extends TokenizerOptions & { readonly on?: string; readonly foundTokenizer?: string },
>(paths: readonly string[], options: O): Promise<O> {
  if (options.on !== undefined || options.tokenizer !== undefined) return options;
  const { tokenizer } = await withTokenizer(paths, options);
  return tokenizer === undefined ? options : { ...options, foundTokenizer: tokenizer };
}
