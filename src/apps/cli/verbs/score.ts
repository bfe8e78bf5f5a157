import { JUDGING_FLAGS } from "../../../study/flags.ts";
import type { ScoreCommandOptions } from "../commands/score.ts";
import { addScoringOptions, addStudyFlags } from "../study-flags.ts";
import type { Verb } from "./verb.ts";

export const score: Verb<[paths: string[]], ScoreCommandOptions> = {
  name: "score",
  summary: "score texts under several policies",
  description: "score texts under several policies by teacher forcing, and store the scores",
  arguments: [
    {
      syntax: "[path...]",
      meaning:
        "texts with prompt and response (JSON, JSONL, Parquet), problems with --responses, or a study's YAML",
    },
  ],
  examples: [
    {
      line: "logratio score texts.jsonl --policy 'onnx:ckpt/*' --reference dpo",
      shows: "local models, into texts.study",
    },
    {
      line: "logratio score texts.jsonl --policy a=vllm:http://host:8000#m --reference a",
      shows: "a model on a server",
    },
  ],
  addOptions: (command) =>
    addStudyFlags(addScoringOptions(command), { outcomes: JUDGING_FLAGS.outcomes }).option(
      "--json",
      "print what was scored as JSON",
    ),
  async run([paths], options, terminal) {
    const { score } = await import("../commands/score.ts");
    return score(paths, options, terminal);
  },
};
