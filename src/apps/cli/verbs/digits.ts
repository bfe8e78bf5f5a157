import type { DigitsOptions } from "../commands/digits.ts";
import { addInputOptions } from "../input-options.ts";
import { FULL, RUN_PATHS, TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const digits: Verb<[paths: string[]], DigitsOptions> = {
  name: "digits",
  summary: "how sure the policies are about digits",
  description: "how sure the policies are about digits: number-token loss",
  arguments: [RUN_PATHS],
  examples: [
    {
      line: "logratio digits dumps/ --tokenizer model/",
      shows: "how sure the policies are, and how far off",
    },
    {
      line: "logratio digits dumps/ --tokenizer model/ --truth answers.jsonl",
      shows: "also how often they are right",
    },
  ],
  addOptions: (command) =>
    addInputOptions(command)
      .option("--tokenizer <dir>", TOKENIZER)
      .option("--digit-ids <ids>", "token ids of 0 to 9, if there is no tokenizer: 15,16,…,24")
      .option("--truth <column|file>", "ground truth: a column of the input, or a file of ids and answers")
      .option("--sequences <n>", "sequences to list in the JSON result, or all (default 1000)")
      .option("--json", "print the whole result as JSON")
      .option("--markdown", "print the result as Markdown to paste into an issue")
      .option(...FULL),
  async run([paths], options, terminal) {
    const { digits } = await import("../commands/digits.ts");
    const { withTokenizer } = await import("../commands/default-tokenizer.ts");
    return digits(paths, await withTokenizer(paths, options), terminal);
  },
};
