import type { CommandLine, Flag, Subject } from "./describe.ts";

/** The script for fish: one line per verb and flag, with its meaning. */
export function writeFish({ flags, verbs }: CommandLine): string {
  return `# Completion of logratio in fish: put this line into ~/.config/fish/config.fish
#   logratio completions fish | source
complete -c logratio -f
${[
  ...flags.map((flag) => completeFlag("__fish_use_subcommand", flag)),
  ...verbs.map(
    ({ name, meaning }) => `complete -c logratio -n __fish_use_subcommand -a ${name} -d ${quote(meaning)}`,
  ),
  "complete -c logratio -n __fish_use_subcommand -F",
  ...verbs.flatMap((verb) => completeVerb(verb, verbs)),
].join("\n")}
`;
}

function completeVerb({ name, flags, argument, isImplied }: Subject, all: readonly Subject[]): string[] {
  const others = all.filter((verb) => verb.name !== name).map((verb) => verb.name);
  const when = quote(
    isImplied
      ? `not __fish_use_subcommand; and not __fish_seen_subcommand_from ${others.join(" ")}`
      : `__fish_seen_subcommand_from ${name}`,
  );
  const words =
    typeof argument === "string" ? [] : [`complete -c logratio -n ${when} -a ${quote(argument.join(" "))}`];
  return [
    ...(argument === "path" ? [`complete -c logratio -n ${when} -F`] : words),
    ...flags.map((flag) => completeFlag(when, flag)),
  ];
}

function completeFlag(when: string, { names, meaning, value }: Flag): string {
  const forms = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return `complete -c logratio -n ${when} ${forms.join(" ")}${awaited(value)} -d ${quote(meaning)}`;
}

function awaited(value: Flag["value"]): string {
  if (value === "none") return "";
  if (value === "path") return " -r -F";
  return typeof value === "string" ? " -x" : ` -x -a ${quote(value.join(" "))}`;
}

const quote = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
