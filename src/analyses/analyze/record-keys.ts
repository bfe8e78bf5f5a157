import { createHash } from "node:crypto";
import type { LogRecord } from "./parse-line.ts";
import type { RowWriter } from "./row-writer.ts";

/**
 * Adds to each record `prompt_key`, a number that is the same for the same prompt (its logged text and its number of
 * tokens, because logged texts are cut), so that the text itself need not be kept; and `response_key`, the same for all
 * tokens of one response: ranks number their rows alike, so `batch_idx` alone would merge responses of several ranks.
 */
export function withKeys(writer: RowWriter): Pick<RowWriter, "add" | "rows"> {
  return {
    get rows() {
      return writer.rows;
    },
    add: (record, file, line) => {
      const [prompt, response] = [promptKey(record), responseKey(record)];
      return writer.add(
        {
          ...record,
          ...(prompt !== undefined && { prompt_key: prompt }),
          ...(response !== undefined && { response_key: response }),
        },
        file,
        line,
      );
    },
  };
}

/** 48 bits of SHA-1: among 100,000 prompts, two collide in one of 50,000 logs. Undefined if the prompt is not known. */
function promptKey({ prompt_text: text, prompt_num_tokens: tokens }: LogRecord): number | undefined {
  return typeof text === "string" && text !== "" ? hashKey(`${String(tokens)} ${text}`) : undefined;
}

/** Made of the dump's file and the handle without its token. Undefined if the log has no handles. */
function responseKey({ handle, file }: LogRecord): number | undefined {
  if (typeof handle !== "string" || handle === "") return undefined;
  return hashKey(`${String(file ?? "")} ${handle.replace(/\.t\d+$/, "")}`);
}

function hashKey(text: string): number {
  return createHash("sha1").update(text).digest().readUIntBE(0, 6);
}
