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
  logratio demo                                  a report on a recorded run that comes with logratio
  logratio report dumps/                         a directory that a trainer wrote: every step and rank in it
  logratio report dumps/ --html report.html      the same as a page
  logratio view dumps/ --tokenizer model/        every token of it in the browser
  logratio report dumps/ --parity verl           beside it what verl itself would have logged
  logratio show dumps/ s12.r3.q41                one sequence, token by token, here in the terminal
  logratio sweep dumps/                          which correction, with which threshold, and its config
  logratio correct dumps/ --preset verl --set rollout_is=token    the keys verl would log
  logratio correct --lint ppo_trainer.yaml       what a trainer's config really does, and its traps
  logratio divergence dumps/ --tokenizer model/ --out log.jsonl   the tokens furthest apart, in context
  logratio analyze log.jsonl                     every question to that log, on one page
  logratio digits dumps/ --tokenizer model/      how sure of digits, and how far off
  logratio kl texts.jsonl --policy 'onnx:ckpt/*' --reference dpo  what training changed, at which tokens
  logratio view texts.study                      every text of it under every checkpoint, in the browser
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
    .description("Shows where, why and by how much two language-model policies disagree, token by token.")
    .version(packageVersion(), "-V, --version")
    .addOption(
      new Option("--color <when>", "colour the output").choices(["auto", "always", "never"]).default("auto"),
    )
    .addOption(new Option("--no-color", "the same as --color never").hideHelp())
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("(add --help for what there is)")
    .exitOverride();
  const terminal = (): Terminal => openTerminal(colourChoice(program.opts().color as unknown));

  reportFlags(
    addInputOptions(
      program
        .command("report")
        .description("how far rollout and trainer policies are apart, where, and whether that is normal")
        .argument("<path...>", "files or directories that a trainer wrote; - for standard input (JSONL)"),
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
        .description("see it, token by token: a page in your browser, served by this machine to itself")
        .argument("<path...>", "whatever `report` takes, or the directory of a study (`kl`)"),
    ),
  ).action(async (paths: string[], options: ViewOptions) => {
    const { view } = await import("./commands/view.ts");
    status = await view(paths, options, terminal());
  });

  showFlags(
    addInputOptions(
      program
        .command("show")
        .description("one sequence token by token in the terminal, coloured; or all about one token")
        .usage("<path...> <handle> [options]")
        .argument("<path...>", "whatever `report` takes; then a handle, such as s12.r3.q41.t880, or worst"),
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
        .argument("[path...]", "whatever `report` takes")
        .option("--preset <name>", "whose correction: verl, xtuner, trl, slime, … (--list names all)")
        .option(
          "--set <name=value>",
          "one of its settings, under the trainer's own name (repeatable)",
          collect,
        )
        .option(
          "--out <path>",
          "write weights and masks: a .parquet, .npz or .safetensors file, or a directory",
        )
        .option("--format <name>", "of the files in a directory: npz (default), safetensors, parquet")
        .option("--list", "list the presets; with --preset, its settings, defaults and bound order")
        .option(
          "--lint <config>",
          "instead: what a trainer's config or command line really does, and its traps",
        )
        .option("--json", "the result as JSON"),
    ),
  ).action(async (paths: string[], options: CorrectOptions) => {
    const { correct } = await import("./commands/correct.ts");
    status = await correct(paths, options, terminal());
  });

  addForceOption(
    addInputOptions(
      program
        .command("convert")
        .description("write a run as logratio's own Parquet record (docs/formats/record.md)")
        .argument("<path...>", "whatever `report` takes")
        .requiredOption("--out <file>", "the Parquet file to write"),
    ),
  ).action(async (paths: string[], options: ConvertOptions) => {
    const { convert } = await import("./commands/convert.ts");
    status = await convert(paths, options, terminal());
  });

  sweepFlags(
    addInputOptions(
      program
        .command("sweep")
        .description("what every correction would do to this run, side by side, and the best one as a config")
        .argument("<path...>", "whatever `report` takes"),
    ),
  ).action(async (paths: string[], options: SweepOptions) => {
    const { sweep } = await import("./commands/sweep.ts");
    status = await sweep(paths, options, terminal());
  });

  digitsFlags(
    addInputOptions(
      program
        .command("digits")
        .description("how sure the policies are about digits, and how far off: number-token loss")
        .argument("<path...>", "whatever `report` takes"),
    ),
  ).action(async (paths: string[], options: DigitsOptions) => {
    const { digits } = await import("./commands/digits.ts");
    status = await digits(paths, options, terminal());
  });

  addForceOption(addMemoryOption(program.command("analyze")))
    .description("every question to logs of high-divergence tokens: correctness, digits, tests, scenarios")
    .argument(
      "<path...>",
      "divergence JSONL, also .gz and .zst; directories of such logs; - for standard input",
    )
    .option("--where <expression>", 'only these records: "is_correct and prob_divergence > 0.9" (SQL)')
    .option(
      "--accuracy <share>",
      "share of all responses that are correct, where the log does not say it: 0.62",
    )
    .option("--top <n>", "tokens in each list (default 10)")
    .option("--json", "everything as JSON")
    .option("--markdown", "the analysis to paste into an issue")
    .option("--html <file>", "also write one self-contained page with pictures")
    .action(async (paths: string[], options: AnalyzeOptions) => {
      const { analyze } = await import("./commands/analyze.ts");
      status = await analyze(paths, options, terminal());
    });

  addMemoryOption(program.command("sql"))
    .description(
      "one SQL query over JSONL, Parquet and CSV files, each a table under its name, the first also t",
    )
    .argument("<query>", 'for instance: "select iteration, count(*) from t group by 1 order by 1"')
    .argument("<file...>", "files; - for JSONL on standard input")
    .option("--json", "columns and rows as JSON")
    .option("--csv", "rows as CSV; text that a spreadsheet would run gets an apostrophe before it")
    .option("--timeout <seconds>", "stop the query after so long; 0 for never (default 300)")
    .action(async (query: string, files: string[], options: SqlOptions) => {
      const { sql } = await import("./commands/sql.ts");
      status = await sql(query, files, options, terminal());
    });

  divergenceFlags(
    addInputOptions(
      program
        .command("divergence")
        .description("log the tokens whose two probabilities are furthest apart, with their context")
        .argument("<path...>", "whatever `report` takes"),
    ),
  ).action(async (paths: string[], options: DivergenceCommandOptions) => {
    const { divergence } = await import("./commands/divergence.ts");
    status = await divergence(paths, options, terminal());
  });

  addStudyFlags(
    program
      .command("score")
      .description("force texts through policies and keep what each says about every token (teacher forcing)")
      .argument(
        "[path...]",
        "texts (JSON, JSONL, Parquet: prompt and response), problems with --responses, or a study's YAML",
      ),
  )
    .option("--json", "what was scored, as JSON")
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
          "a study's YAML or directory, saved logits (.npz, .safetensors), or whatever `score` takes",
        ),
    ),
  ).action(async (paths: string[], options: KlCommandOptions) => {
    const { kl } = await import("./commands/kl.ts");
    status = await kl(paths, options, terminal());
  });

  program
    .command("conformance")
    .description("run golden cases through the library; one line per case")
    .argument("<dir>", "directory of case files")
    .option("--json", "one JSON object per line: {id, actual} or {id, skipped}")
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
    .option("--tokenizer <dir>", `${TOKENIZER}; for --filter with token: or is:`)
    .option("--json", "the whole report as JSON")
    .option("--markdown", "a short report to paste into an issue")
    .option("--html <file>", "also write one self-contained page with pictures")
    .option("--parity <trainers>", "also what these trainers log, under their keys and quirks: verl,xtuner")
    .option("--explain", "also print what each file was read as: found, guessed, missing")
    .option("--brief", "only the first screen")
    .option("--full", "also the tables on a terminal, where the first screen alone is the default")
    .option("--threads <n>", "threads that sum large input (default: one per processor, at most 4)");
}

function showFlags(command: Command): Command {
  return command
    .option("--tokenizer <dir>", TOKENIZER)
    .addOption(new Option("--metric <name>", "colour by; delta unless given").choices(SHOW_METRICS))
    .option("--scale <x>", "where the colours end (default: fixed for the metric, 1 nat for delta)")
    .option("--context <n>", "tokens on either side of the token, or of the furthest ones (default 20, 40)")
    .option("--all", "fold nothing")
    .option("--json", "everything as JSON")
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
      "ground truth for digits: a column of the input, or a file with ids and answers",
    )
    .option(
      "--compare <path>",
      "beside another run: whatever `report` takes; repeatable for its parts",
      collect,
    )
    .option("--compare-tokenizer <dir>", "its tokenizer (default: that of --tokenizer)")
    .option("--port <n>", "where to listen (default: 8270, or the next that is free)")
    .option("--host <address>", "listen there instead of at 127.0.0.1")
    .option("--no-token", "let everybody on this machine read it; otherwise the address has a token")
    .option("--no-open", "do not open a browser")
    .option("--follow", "pick up steps as they are written")
    .option("--redact <what>", "text: no texts, only token ids")
    .option("--cache <dir>", "where to keep what was computed (default: .logratio beside the data)")
    .option(
      "--bundle <path>",
      "instead: the page with all its data for any web server, as a .zip or a directory",
    );
}

function sweepFlags(command: Command): Command {
  const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
  return addFilterOption(command)
    .option("--tokenizer <dir>", `${TOKENIZER}; for --filter with token: or is:`)
    .option("--json", "every setting with all its figures as JSON")
    .option("--markdown", "the table to paste into an issue")
    .option("--methods <names>", "only these methods of the grid: token-tis,icepop,geo-rs")
    .option("--preset <name>", "also a trainer's own settings, given by --set")
    .option("--set <key=value>", "a setting of --preset; may be repeated", collect)
    .option(
      "--setting <preset:key=value,...>",
      "also these settings of a trainer: 'verl:rollout_is=token,rollout_is_threshold=2'; may be repeated",
      collect,
    )
    .option("--choose <name>", "print the config of this setting instead of the recommended one")
    .option("--for <presets>", "print the config for these only: verl,xtuner")
    .option("--top <n>", "rows to show (default: the Pareto front and what trainers ship)")
    .option("--all", "show every setting");
}

function digitsFlags(command: Command): Command {
  return command
    .option("--tokenizer <dir>", TOKENIZER)
    .option("--digit-ids <ids>", "without a tokenizer: the token ids of 0 to 9, such as 15,16,…,24")
    .option("--truth <column|file>", "ground truth: a column of the input, or a file with ids and answers")
    .option("--json", "the whole result as JSON")
    .option("--markdown", "the result to paste into an issue");
}

function divergenceFlags(command: Command): Command {
  return addForceOption(addFilterOption(command))
    .option("--threshold <p>", "log a step when its largest |Δp| is at least this (default 0.8)")
    .option("--top-k <n>", "tokens to log of such a step (default 5)")
    .option("--context <n>", "tokens of context on either side (default 5)")
    .option("--prompt-chars <n>", "characters of the prompt before ...; all for the whole (default 200)")
    .option("--response-chars <n>", "the same of the response (default 200)")
    .option("--tokenizer <dir>", "the model's directory, with tokenizer.json in it")
    .option("--out <file>", "append the records as JSONL; {iteration} and {date} are filled in; - for stdout")
    .option("--rotate <when>", "a new file for each iteration or date")
    .option("--rotate-size <size>", "a new file before one grows beyond this: 10MB")
    .option("--every <n>", "only steps that this divides")
    .option("--iteration <n>", "iteration of sequences whose step is not known")
    .option("--json", "settings, counts, metrics of each step and, without --out, the records as JSON");
}

function klFlags(command: Command): Command {
  return command
    .option("--outcomes <[name=]file>", "which problems a policy itself solves; repeatable", collect)
    .option("--spikes <method>", "zscore (default), percentile or adaptive")
    .option("--spike-threshold <z>", "standard deviations above the mean (default 2)")
    .option("--spike-distance <n>", "tokens between spikes at least (default 3)")
    .option("--spike-percentile <p>", "with --spikes percentile (default 95)")
    .option("--stage <name=from..to>", "a stage of training by steps; repeatable", collect)
    .option("--parity <name>", "also as rl-probe aligns and counts, with the difference")
    .option("--floor <logprob>", "no policy gives a token less; bounds from top-k lists need it to be finite")
    .option("--alpha <level>", "of significance, after correction for many tests (default 0.05)")
    .option("--bootstrap <n>", "replicates of intervals (default 2000)")
    .option("--cases <n>", "case studies (default 6)")
    .option("--json", "the whole report as JSON")
    .option("--markdown", "the report to paste into an issue")
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
  return fromHere.startsWith("..") ? path : fromHere;
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
