import { createHash } from "node:crypto";
import type { LogRecord } from "./parse-line.ts";
import type { RowWriter } from "./row-writer.ts";

/**
 * Adds to each record `prompt_key`, a number that is the same for the same prompt (its text as logged and its number of
 * tokens, as logged texts are cut), so that the text itself need not be held.
 */
export function withPromptKeys(writer: RowWriter): Pick<RowWriter, "add" | "rows"> {
  return {
    get rows() {
      return writer.rows;
    },
    add: (record, file, line) => {
      const key = promptKey(record);
      return writer.add(key === undefined ? record : { ...record, prompt_key: key }, file, line);
    },
  };
}

/** 48 bits of SHA-1: two of 100,000 prompts meet by chance once in 50,000 logs. Undefined where the prompt is not known. */
function promptKey({ prompt_text: text, prompt_num_tokens: tokens }: LogRecord): number | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  return createHash("sha1")
    .update(`${String(tokens)} ${text}`)
    .digest()
    .readUIntBE(0, 6);
}
