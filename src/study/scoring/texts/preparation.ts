import { UsageError } from "../../../core/base/index.ts";
import { openTokenizer, type TokenDecoder } from "../../../input/tokens/index.ts";
import { checkTemplate, DEFAULT_TEMPLATE } from "./template.ts";

/** How texts become token ids. */
export interface Preparation {
  readonly tokenizer: TokenDecoder;
  readonly template: string;
  /** Appended to responses that are encoded here. */
  readonly eosId: number | undefined;
}

/**
 * @throws UsageError if there is no tokenizer, if it lacks a requested end of text, or if the template has no
 * placeholder
 */
export async function openPreparation(options: {
  readonly tokenizer?: string | TokenDecoder | undefined;
  readonly promptTemplate?: string | undefined;
  readonly appendEos?: boolean | undefined;
}): Promise<Preparation> {
  const { tokenizer: given, appendEos = false } = options;
  const template = checkTemplate(options.promptTemplate ?? DEFAULT_TEMPLATE);
  if (given === undefined) {
    throw new UsageError("without a tokenizer, texts cannot become token ids", {
      hint: "name the directory of a checkpoint with its tokenizer.json",
    });
  }
  const tokenizer = typeof given === "string" ? await openTokenizer(given) : given;
  if (appendEos && tokenizer.eosId === undefined) {
    throw new UsageError(
      `an end-of-text token was requested, but the tokenizer ${tokenizer.name} defines none`,
      {
        hint: "its tokenizer_config.json has no eos_token; append the token's text to the responses",
      },
    );
  }
  return { tokenizer, template, eosId: appendEos ? tokenizer.eosId : undefined };
}
