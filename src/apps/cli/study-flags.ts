/**
 * Flags of the verbs that score texts. Apart from what reads them (study-options.ts), which loads the back ends.
 *
 * @module
 */
import type { Command } from "commander";
import { collect } from "./collect.ts";
import { addForceOption, type ForceOption } from "./force-option.ts";

export interface StudyFlags extends ForceOption {
  readonly responses?: readonly string[];
  readonly useDpoResponses?: boolean;
  readonly column?: readonly string[];
  readonly promptTemplate?: string;
  readonly appendEos?: boolean;
  readonly tokenizer?: string;
  readonly limit?: string;
  readonly policy?: readonly string[];
  readonly reference?: string;
  readonly baseline?: readonly string[];
  readonly pair?: readonly string[];
  readonly out?: string;
  readonly topK?: string;
  readonly fullVocabulary?: boolean;
  readonly attention?: boolean;
  readonly vocabularySize?: string;
  readonly threads?: string;
  readonly memory?: string;
  readonly cache?: string;
  readonly concurrency?: string;
  readonly timeout?: string;
  readonly retries?: string;
  readonly generate?: string;
  readonly generateFrom?: string;
  readonly temperature?: string;
  readonly topP?: string;
  readonly maxTokens?: string;
  readonly seed?: string;
}

export function addStudyFlags(command: Command): Command {
  return addForceOption(command)
    .option("--responses <[source=]file>", "responses to the problems, whose they are; repeatable", collect)
    .option("--use-dpo-responses", "responses from dpo_responses.json beside the problems")
    .option(
      "--policy <name=at>",
      "a policy: name=onnx:DIR, name=vllm:URL#model, name=sglang:URL, name=openai:URL#model, name=logits:FILE; " +
        "'onnx:DIR/*' is every model in DIR; repeatable",
      collect,
    )
    .option("--reference <name>", "the policy that every other one is held against")
    .option("--baseline <name>", "a policy that is no checkpoint of the run; repeatable", collect)
    .option("--pair <p:q>", "also D(p‖q) of these two; repeatable", collect)
    .option("--out <dir>", "directory of the study (default: NAME.study); what is in it is not scored again")
    .option("--tokenizer <dir>", "directory with tokenizer.json (default: the reference's)")
    .option(
      "--prompt-template <text>",
      'text around a problem: "{problem}" (default), or rl-probe for that study\'s',
    )
    .option("--append-eos", "end each response with the end-of-text token")
    .option(
      "--column <ours=theirs>",
      "where a text file's columns have other names: prompt=question; repeatable",
      collect,
    )
    .option("--limit <n>", "only the first n texts")
    .option("--top-k <n>", "most probable tokens kept of each policy (default 5; servers: asked for)")
    .option("--attention", "local models: also how they look back at the first errors of wrong texts")
    .option("--full-vocabulary", "ask servers for every token's log-prob: exact, and large")
    .option("--vocabulary-size <n>", "tokens of a server's model, where it does not say")
    .option("--threads <n>", "threads of local models (default: one per processor)")
    .option("--memory <mib>", "memory for logits at a time (default 16; saved logits 32)")
    .option("--cache <mib>", "memory for the reference's logits, so that it runs once (default 1024)")
    .option("--concurrency <n>", "texts at a time sent to a server (default 8)")
    .option("--timeout <seconds>", "of one request to a server")
    .option("--retries <n>", "of a request that failed for a passing reason")
    .option("--generate <n>", "first sample n responses to each problem")
    .option("--generate-from <name>", "the policy that writes them (default: the reference)")
    .option("--temperature <t>", "of --generate (default 1; 0: greedy)")
    .option("--top-p <p>", "of --generate (default 1)")
    .option("--max-tokens <n>", "of --generate (default 1024)")
    .option("--seed <n>", "of --generate and of the bootstrap (default 42)");
}
