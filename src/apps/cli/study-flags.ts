/**
 * Flags of the verbs that score texts. Separate from their interpretation (study-options.ts), which loads the back
 * ends.
 *
 * @module
 */
import { Command } from "commander";
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
  readonly onlyWrong?: boolean;
  readonly onlyOutcomes?: string;
  readonly checkpoint?: readonly string[];
  readonly policy?: readonly string[];
  readonly reference?: string;
  readonly baseline?: readonly string[];
  readonly pair?: readonly string[];
  readonly out?: string;
  readonly topK?: string;
  readonly fullVocabulary?: boolean;
  readonly attention?: boolean;
  readonly gradients?: boolean;
  readonly continue?: readonly string[];
  readonly continueSamples?: string;
  readonly vocabularySize?: string;
  readonly python?: string;
  readonly gpu?: string;
  readonly dtype?: string;
  readonly deviceMap?: string;
  readonly batchTokens?: string;
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
  return addSamplingFlags(addBackendFlags(addTextFlags(addForceOption(command))));
}

/** Names of the options and the flags that set them: `topK`, `--top-k`. */
export function listStudyFlags(): { readonly name: string; readonly flag: string }[] {
  return addStudyFlags(new Command()).options.map((option) => ({
    name: option.attributeName(),
    flag: option.long ?? option.flags,
  }));
}

/** Who solves which problems: for judging scores, and for --only-outcomes. */
export function addOutcomesOption(command: Command): Command {
  return command.option(
    "--outcomes <[name=]file>",
    "file saying which problems a policy itself solves; repeatable",
    collect,
  );
}

/** Which texts, which policies, and what to compute. */
function addTextFlags(command: Command): Command {
  return command
    .option(
      "--responses <[source=]file>",
      "responses to the problems, and the policy that wrote them; repeatable",
      collect,
    )
    .option(
      "--use-dpo-responses",
      "take responses from dpo_responses.json next to the problems; with a config alone, both from data/filtered/",
    )
    .option(
      "--policy <name=at>",
      "a policy: name=hf:DIR, name=onnx:DIR, name=vllm:URL#model, name=sglang:URL, name=openai:URL#model, name=logits:FILE; " +
        "'hf:DIR/*' and 'onnx:DIR/*' are every model in DIR, hf:DIR@500 is a revision; repeatable",
      collect,
    )
    .option("--reference <name>", "the policy that the others are compared with")
    .option("--baseline <name>", "a policy that is not a checkpoint of the run; repeatable", collect)
    .option("--pair <p:q>", "also compute D(p‖q) for this pair; repeatable", collect)
    .option("--out <dir>", "study directory (default NAME.study); texts already scored there are skipped")
    .option("--tokenizer <dir>", "directory with tokenizer.json (default: the reference's)")
    .option(
      "--prompt-template <text>",
      'text around a problem: "{problem}" (default), or rl-probe for that study\'s',
    )
    .option("--append-eos", "end each response with the end-of-text token")
    .option(
      "--column <ours=theirs>",
      "name of a column in the text file: prompt=question; repeatable",
      collect,
    )
    .option("--limit <n>", "score only the first n texts, and of other authors those of the same problems")
    .option("--only-wrong", "score only texts that are known to be wrong")
    .option(
      "--only-outcomes <name=outcome,...>",
      "score only texts to problems that policies solve or not: dpo=wrong,rlvr=right, as --outcomes tells, " +
        "else their own responses among the texts",
    )
    .option(
      "--checkpoint <name>",
      "score and report only this policy, and the reference; repeatable",
      collect,
    )
    .option(
      "--top-k <n>",
      "alternatives to keep per token and policy, and to request from servers (default 5)",
    )
    .option(
      "--attention",
      "with hf: and onnx: models, also measure the attention to the first error of wrong texts",
    )
    .option("--gradients", "with hf: models, also compute what the KL at the largest spikes depends on")
    .option(
      "--continue <place>",
      "let every policy continue wrong texts, and grade its answers: start, before_error, after_error " +
        "or a share such as 0.5 of the response; repeatable",
      collect,
    )
    .option("--continue-samples <n>", "samples from each place of a text (default 4)");
}

/** How back ends run. */
function addBackendFlags(command: Command): Command {
  return command
    .option("--full-vocabulary", "request log-probs over the whole vocabulary from servers: exact, but large")
    .option("--vocabulary-size <n>", "vocabulary size of a server's model, if the server does not report it")
    .option("--python <path>", "Python for hf: models (default: LOGRATIO_PYTHON, else python3)")
    .option(
      "--gpu <n>",
      "GPU for hf: models: 0 or cuda:0, several as 0,1, none or cpu for the CPU (default: the first)",
    )
    .option(
      "--dtype <name>",
      "auto, float32, bfloat16 or float16 for hf: models (default: auto; float32 on the CPU)",
    )
    .option("--device-map <name>", "spread each hf: model over the GPUs: auto, balanced or sequential")
    .option("--batch-tokens <n>", "tokens in a batch for hf: models (default 16384)")
    .option("--threads <n>", "threads for local models and their logits (default: one per processor)")
    .option(
      "--memory <mib>",
      "memory for a block of logits in MiB (default 16; 32 for two blocks of saved logits)",
    )
    .option(
      "--cache <mib>",
      "memory for the reference's logits in MiB, so that it runs only once (default 1024)",
    )
    .option("--concurrency <n>", "concurrent requests to a server (default 8)")
    .option("--timeout <seconds>", "request timeout in seconds")
    .option("--retries <n>", "retries after a transient failure");
}

function addSamplingFlags(command: Command): Command {
  return command
    .option("--generate <n>", "sample n responses to each problem first")
    .option("--generate-from <name>", "policy to sample from (default: the reference)")
    .option(
      "--temperature <t>",
      "sampling temperature for --generate and --continue (default 1; 0 is greedy); several for --generate: 0.3,0.7",
    )
    .option("--top-p <p>", "nucleus sampling for --generate and --continue (default 1)")
    .option("--max-tokens <n>", "most tokens that --generate and --continue sample (default 1024)")
    .option("--seed <n>", "random seed for sampling and the bootstrap (default 42)");
}
