import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, CommanderError, Option } from "commander";
import { SHOW_METRICS } from "../../results/index.ts";
import type { AnalyzeOptions } from "./commands/analyze.ts";
import type { ConformanceOptions } from "./commands/conformance.ts";
import type { ConvertOptions } from "./commands/convert.ts";
import type { CorrectOptions } from "./commands/correct.ts";
import type { DigitsOptions } from "./commands/digits.ts";
import type { DivergenceCommandOptions } from "./commands/divergence.ts";
import type { KlCommandOptions } from "./commands/kl.ts";
import type { ReportOptions } from "./commands/report.ts";
import type { ScoreCommandOptions } from "./commands/score.ts";
import type { ShowOptions } from "./commands/show.ts";
import type { SqlOptions } from "./commands/sql.ts";
import type { SweepOptions } from "./commands/sweep.ts";
import type { ViewOptions } from "./commands/view.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import { addForceOption } from "./force-option.ts";
import { addFilterOption, addInputOptions, addMemoryOption } from "./input-options.ts";
import { printableLines } from "./messages.ts";
import { writeMessage, writeOutput } from "./standard-streams.ts";
import { addStudyFlags } from "./study-options.ts";
import { type ColourChoice, openTerminal, type Terminal } from "./terminal.ts";

const EXAMPLES = `
Examples:
  logratio demo                                  a report on the recorded run that ships with logratio
  logratio report dumps/                         every step and rank in a trainer's dump directory
  logratio report dumps/ --html report.html      the same as an HTML page
  logratio view dumps/ --tokenizer model/        every token, in the browser
  logratio report dumps/ --parity verl           also what verl itself would have logged
  logratio show dumps/ s12.r3.q41                one sequence, token by token, in the terminal
  logratio sweep dumps/                          which correction at which threshold, with its config
  logratio correct dumps/ --preset verl --set rollout_is=token    the keys verl would log
  logratio correct --lint ppo_trainer.yaml       what a trainer's config really does, and its pitfalls
  logratio divergence dumps/ --tokenizer model/ --out log.jsonl   the tokens that differ most, in context
  logratio analyze log.jsonl                     what that log shows, on one page
  logratio digits dumps/ --tokenizer model/      how sure the policies are about digits
  logratio kl texts.jsonl --policy 'onnx:ckpt/*' --reference dpo  what training changed, token by token
  logratio view texts.study                      every text under every checkpoint, in the browser
  logratio report a.json b.json                  two files that scored the same tokens
  logratio report my.parquet --rollout lp_vllm --trainer lp_fsdp --mask loss_mask

Exit status: 0 fine, 1 a check failed, 2 wrong usage, 3 unreadable or misaligned data,
4 done but some inputs were skipped, 130 interrupted.`;

/** Parses the command line, runs the verb, returns the exit status. Verbs are loaded when they are asked for. */
export async function buildProgram(argv: readonly string[]): Promise<ExitStatus> {
  let status: ExitStatus = EXIT.fine;
  const program = new Command("logratio")
    .configureOutput({
      writeOut: writeOutput,
      writeErr: (text) => writeMessage(printableLines(text)),
    })
    .description("where, why and by how much two language-model policies disagree, token by token")
    .version(packageVersion(), "-V, --version")
    .addOption(
      new Option("--color <when>", "color the output").choices(["auto", "always", "never"]).default("auto"),
    )
    .addOption(new Option("--no-color", "the same as --color never").hideHelp())
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("(see --help)")
    .exitOverride();
  const terminal = (): Terminal => openTerminal(colourChoice(program.opts().color as unknown));

  reportFlags(
    addInputOptions(
      program
        .command("report")
        .description("how far apart the rollout and trainer policies are, where, and whether that is normal")
        .argument("<path...>", "files or directories written by a trainer; - for standard input (JSONL)"),
    ),
  ).action(async (paths: string[], options: ReportOptions) => {
    const { report } = await import("./commands/report.ts");
    status = await report(paths, options, terminal());
  });

  reportFlags(
    program
      .command("demo")
      .description("a report on the recorded example run (a tiny model, stale rollout weights)"),
  ).action(async (options: ReportOptions) => {
    const { report } = await import("./commands/report.ts");
    status = await report([demoPath()], { ...options, asDemo: true }, terminal());
  });

  viewFlags(
    addInputOptions(
      program
        .command("view")
        .description("browse the run token by token: a local web page")
        .argument("<path...>", "same as `report`, or a study directory (`kl`)"),
    ),
  ).action(async (paths: string[], options: ViewOptions) => {
    const { view } = await import("./commands/view.ts");
    status = await view(paths, options, terminal());
  });

  showFlags(
    addInputOptions(
      program
        .command("show")
        .description("print one sequence in color, token by token, or everything about one token")
        .usage("<path...> <handle> [options]")
        .argument("<path...>", "same as `report`, then a handle such as s12.r3.q41.t880, or `worst`"),
    ),
  ).action(async (paths: string[], options: ShowOptions) => {
    const { show } = await import("./commands/show.ts");
    status = await show(paths, options, terminal());
  });

  addForceOption(
    addInputOptions(
      program
        .command("correct")
        .description("apply a trainer's importance weights and rejection masks to recorded data")
        .argument("[path...]", "same as `report`")
        .option(
          "--preset <name>",
          "trainer whose correction to apply: verl, xtuner, trl, slime, … (see --list)",
        )
        .option(
          "--set <name=value>",
          "a setting of the preset, under the trainer's own name; repeatable",
          collect,
        )
        .option(
          "--out <path>",
          "write weights and masks to a .parquet, .npz or .safetensors file, or to a directory",
        )
        .option(
          "--format <name>",
          "file format when --out is a directory: npz (default), safetensors, parquet",
        )
        .option("--list", "list the presets; with --preset, list its settings, defaults and bound order")
        .option(
          "--lint <config>",
          "explain what a trainer's config or command line really does, and its pitfalls",
        )
        .option("--json", "print the result as JSON"),
    ),
  ).action(async (paths: string[], options: CorrectOptions) => {
    const { correct } = await import("./commands/correct.ts");
    status = await correct(paths, options, terminal());
  });

  addForceOption(
    addInputOptions(
      program
        .command("convert")
        .description("write a run as a Parquet record in logratio's format (docs/formats/record.md)")
        .argument("<path...>", "same as `report`")
        .requiredOption("--out <file>", "Parquet file to write"),
    ),
  ).action(async (paths: string[], options: ConvertOptions) => {
    const { convert } = await import("./commands/convert.ts");
    status = await convert(paths, options, terminal());
  });

  sweepFlags(
    addInputOptions(
      program
        .command("sweep")
        .description("compare what each correction would do to this run, and print the best as a config")
        .argument("<path...>", "same as `report`"),
    ),
  ).action(async (paths: string[], options: SweepOptions) => {
    const { sweep } = await import("./commands/sweep.ts");
    status = await sweep(paths, options, terminal());
  });

  digitsFlags(
    addInputOptions(
      program
        .command("digits")
        .description("how sure the policies are about digits: number-token loss")
        .argument("<path...>", "same as `report`"),
    ),
  ).action(async (paths: string[], options: DigitsOptions) => {
    const { digits } = await import("./commands/digits.ts");
    status = await digits(paths, options, terminal());
  });

  addForceOption(addMemoryOption(program.command("analyze")))
    .description("analyze logs of high-divergence tokens: correctness, digits, tests, scenarios")
    .argument(
      "<path...>",
      "divergence logs (JSONL, also .gz and .zst) or directories of them; - for standard input",
    )
    .option(
      "--where <expression>",
      'keep only these records, an SQL condition: "is_correct and prob_divergence > 0.9"',
    )
    .option(
      "--accuracy <share>",
      "share of all responses that are correct, if the log does not record it: 0.62",
    )
    .option("--top <n>", "tokens in each list (default 10)")
    .option("--json", "print everything as JSON")
    .option("--markdown", "print Markdown to paste into an issue")
    .option("--html <file>", "also write one self-contained page with pictures")
    .action(async (paths: string[], options: AnalyzeOptions) => {
      const { analyze } = await import("./commands/analyze.ts");
      status = await analyze(paths, options, terminal());
    });

  addMemoryOption(program.command("sql"))
    .description(
      "run one SQL query over JSONL, Parquet and CSV files; each is a table named after its file, the first also t",
    )
    .argument("<query>", 'SQL, such as "select iteration, count(*) from t group by 1 order by 1"')
    .argument("<file...>", "files; - for JSONL on standard input")
    .option("--json", "print columns and rows as JSON")
    .option("--csv", "print rows as CSV; text that a spreadsheet would run is prefixed with an apostrophe")
    .option("--timeout <seconds>", "query time limit in seconds, 0 for none (default 300)")
    .action(async (query: string, files: string[], options: SqlOptions) => {
      const { sql } = await import("./commands/sql.ts");
      status = await sql(query, files, options, terminal());
    });

  divergenceFlags(
    addInputOptions(
      program
        .command("divergence")
        .description("log the tokens whose two probabilities differ most, with their context")
        .argument("<path...>", "same as `report`"),
    ),
  ).action(async (paths: string[], options: DivergenceCommandOptions) => {
    const { divergence } = await import("./commands/divergence.ts");
    status = await divergence(paths, options, terminal());
  });

  addStudyFlags(
    program
      .command("score")
      .description("score texts under several policies by teacher forcing, and keep the scores")
      .argument(
        "[path...]",
        "texts with prompt and response (JSON, JSONL, Parquet), problems with --responses, or a study's YAML",
      ),
  )
    .option("--json", "print what was scored as JSON")
    .action(async (paths: string[], options: ScoreCommandOptions) => {
      const { score } = await import("./commands/score.ts");
      status = await score(paths, options, terminal());
    });

  klFlags(
    addStudyFlags(
      program
        .command("kl")
        .description("what training changed: token-level KL between checkpoints on the same text")
        .argument(
          "[path...]",
          "a study's YAML or directory, saved logits (.npz, .safetensors), or same as `score`",
        ),
    ),
  ).action(async (paths: string[], options: KlCommandOptions) => {
    const { kl } = await import("./commands/kl.ts");
    status = await kl(paths, options, terminal());
  });

  program
    .command("conformance")
    .description("run golden cases through the library and print one line per case")
    .argument("<dir>", "directory of case files")
    .option("--json", "print one JSON object per line: {id, actual} or {id, skipped}")
    .action(async (directory: string, options: ConformanceOptions) => {
      const { conformance } = await import("./commands/conformance.ts");
      status = await conformance(directory, options, terminal());
    });

  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    // commander has already said what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    throw error;
  }
  return status;
}

/** Values of a flag that may be given several times. */
function collect(value: string, values: readonly string[] | undefined): readonly string[] {
  return [...(values ?? []), value];
}

const TOKENIZER = "the model's tokenizer: a directory with tokenizer.json, or that file";

function reportFlags(command: Command): Command {
  return addForceOption(addFilterOption(command))
    .option("--tokenizer <dir>", `${TOKENIZER}; needed by --filter with token: or is:`)
    .option("--json", "print the whole report as JSON")
    .option("--markdown", "print a short Markdown report to paste into an issue")
    .option("--html <file>", "also write one self-contained page with pictures")
    .option(
      "--parity <trainers>",
      "also print what these trainers log, with their keys and quirks: verl,xtuner",
    )
    .option("--explain", "also print how each file was read: found, guessed, missing")
    .option("--brief", "print only the first screen")
    .option("--full", "print the tables too (a terminal shows only the first screen by default)")
    .option("--threads <n>", "threads for large input (default: one per processor, at most 4)");
}

function showFlags(command: Command): Command {
  return command
    .option("--tokenizer <dir>", TOKENIZER)
    .addOption(new Option("--metric <name>", "metric to color by (default delta)").choices(SHOW_METRICS))
    .option(
      "--scale <x>",
      "value at which the color scale ends (default depends on the metric, 1 nat for delta)",
    )
    .option(
      "--context <n>",
      "tokens shown on either side of the token, or of the worst tokens (default 20, 40)",
    )
    .option("--all", "show every token, without folding")
    .option("--json", "print everything as JSON")
    .addHelpText(
      "after",
      `
Examples:
  logratio show dumps/ s12.r3.q41 --tokenizer model/    step 12, rank 3, sequence 41
  logratio show dumps/ s12.q41.t880                     its token 880: both policies' values and alternatives
  logratio show dumps/ worst                            the token with the largest |Δ| of the run
  logratio show dumps/ q41 --metric entropy --all | less -R`,
    );
}

function viewFlags(command: Command): Command {
  const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
  return addForceOption(command)
    .option("--tokenizer <dir>", TOKENIZER)
    .option(
      "--truth <column|file>",
      "ground truth for digits: a column of the input, or a file of ids and answers",
    )
    .option(
      "--compare <path>",
      "another run to compare with, same as `report`; repeatable for its parts",
      collect,
    )
    .option("--compare-tokenizer <dir>", "tokenizer of the --compare run (default: that of --tokenizer)")
    .option("--port <n>", "port to listen on (default 8270, or the next free one)")
    .option("--host <address>", "address to listen on (default 127.0.0.1)")
    .option("--no-token", "let every user of this machine open it, without a token in the address")
    .option("--no-open", "do not open a browser")
    .option("--follow", "pick up new steps as they are written")
    .option("--redact <what>", "text: send token ids only, no text")
    .option("--cache <dir>", "cache directory (default: .logratio next to the data)")
    .option("--bundle <path>", "write the page and its data for any web server, as a .zip or a directory");
}

function sweepFlags(command: Command): Command {
  const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
  return addFilterOption(command)
    .option("--tokenizer <dir>", `${TOKENIZER}; needed by --filter with token: or is:`)
    .option("--json", "print every correction with all its figures as JSON")
    .option("--markdown", "print the table as Markdown to paste into an issue")
    .option("--methods <names>", "try only these methods of the grid: token-tis,icepop,geo-rs")
    .option("--preset <name>", "also try a trainer's correction, with the settings of --set")
    .option("--set <key=value>", "a setting of --preset; repeatable", collect)
    .option(
      "--setting <preset:key=value,...>",
      "also try these settings of a trainer: 'verl:rollout_is=token,rollout_is_threshold=2'; repeatable",
      collect,
    )
    .option("--choose <name>", "print the config of this correction instead of the recommended one")
    .option("--for <presets>", "print the config for these trainers only: verl,xtuner")
    .option("--top <n>", "rows to show (default: the Pareto front and the trainers' defaults)")
    .option("--all", "show every correction");
}

function digitsFlags(command: Command): Command {
  return command
    .option("--tokenizer <dir>", TOKENIZER)
    .option("--digit-ids <ids>", "token ids of 0 to 9, if there is no tokenizer: 15,16,…,24")
    .option("--truth <column|file>", "ground truth: a column of the input, or a file of ids and answers")
    .option("--json", "print the whole result as JSON")
    .option("--markdown", "print the result as Markdown to paste into an issue");
}

function divergenceFlags(command: Command): Command {
  return addForceOption(addFilterOption(command))
    .option("--threshold <p>", "log a step when its largest |Δp| is at least this (default 0.8)")
    .option("--top-k <n>", "tokens to log per step (default 5)")
    .option("--context <n>", "tokens of context on either side (default 5)")
    .option("--prompt-chars <n>", "characters of the prompt to keep, or all (default 200)")
    .option("--response-chars <n>", "characters of the response to keep, or all (default 200)")
    .option("--tokenizer <dir>", "the model's directory with its tokenizer.json")
    .option(
      "--out <file>",
      "append the records as JSONL; {iteration} and {date} in the name are filled in; - for stdout",
    )
    .option("--rotate <when>", "start a new file for each iteration or date")
    .option("--rotate-size <size>", "start a new file before one grows beyond this size: 10MB")
    .option("--every <n>", "log only every nth step")
    .option("--iteration <n>", "iteration to record where the step is unknown")
    .option("--json", "print settings, counts, metrics per step and, without --out, the records as JSON");
}

function klFlags(command: Command): Command {
  return command
    .option(
      "--outcomes <[name=]file>",
      "file saying which problems a policy itself solves; repeatable",
      collect,
    )
    .option("--spikes <method>", "spike detection: zscore (default), percentile or adaptive")
    .option("--spike-threshold <z>", "standard deviations above the mean that make a spike (default 2)")
    .option("--spike-distance <n>", "minimum distance between spikes in tokens (default 3)")
    .option("--spike-percentile <p>", "percentile for --spikes percentile (default 95)")
    .option("--stage <name=from..to>", "a named stage of training, as a range of steps; repeatable", collect)
    .option("--parity <name>", "also compute as rl-probe aligns and counts, and show the difference")
    .option(
      "--floor <logprob>",
      "lower bound on any token's log-prob; makes the bounds from top-k lists finite",
    )
    .option("--alpha <level>", "significance level after correction for multiple tests (default 0.05)")
    .option("--bootstrap <n>", "bootstrap replicates for intervals (default 2000)")
    .option("--cases <n>", "number of case studies (default 6)")
    .option("--json", "print the whole report as JSON")
    .option("--markdown", "print Markdown to paste into an issue")
    .option("--html <file>", "also write one self-contained page with pictures");
}

function colourChoice(value: unknown): ColourChoice {
  if (value === false) return "never";
  return value === "always" || value === "never" ? value : "auto";
}

/** Where the example run lies, as one would type it here. */
function demoPath(): string {
  const path = fileURLToPath(new URL("../../../examples/demo", import.meta.url));
  const fromHere = relative("", path);
  return fromHere.startsWith("../..") ? path : fromHere;
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
