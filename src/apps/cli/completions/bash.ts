import type { CommandLine, Flag, Value } from "./describe.ts";

/**
 * The script for bash, from version 3.2, which macOS has. If it proposes nothing, bash itself proposes files.
 *
 *     words before the cursor ─► verb ─► word before the cursor a flag with a value? ─► its words, or files
 *                                                        └─ no ─► a flag begun? ─► the verb's flags, else files
 */
export function writeBash({ flags, verbs }: CommandLine): string {
  // Any other word is a path, which means a report.
  const cases = verbs.map(
    ({ name, flags: own, argument, isImplied }) => `    ${isImplied ? "*" : name})
      flags=${quote(joinNames(own))}
      words=${quote(joinWords(argument))}
${writeCases(own, "      ")}      ;;`,
  );
  return `# Completion of logratio in bash: put this line into ~/.bashrc
#   eval "$(logratio completions bash)"
_logratio() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local verb="" flags="" words="" values="" awaited="" at
  # bash takes --flag=value apart at the equals sign.
  if [ "$current" = "=" ]; then current=""; elif [ "$previous" = "=" ]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
${casesOfSkipped(flags)}      -* | =) ;;
      *) verb=\${COMP_WORDS[at]}; break ;;
    esac
  done
  case $verb in
    "")
      flags=${quote(joinNames(flags))}
      words=${quote(verbs.map(({ name }) => name).join(" "))}
${writeCases(flags, "      ")}      ;;
${cases.join("\n")}
  esac
  if [ -n "$awaited" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [ "\${current:0:1}" = "-" ]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _logratio logratio
`;
}

const joinNames = (flags: readonly Flag[]): string => flags.flatMap(({ names }) => names).join(" ");
const joinWords = (value: Value): string => (typeof value === "string" ? "" : value.join(" "));
const quote = (words: string): string => `"${words}"`;
const writePattern = (flags: readonly Flag[]): string => flags.flatMap(({ names }) => names).join(" | ");

/** What follows a flag: its words, or nothing if unknown. */
function writeCases(flags: readonly Flag[], indent: string): string {
  const withWords = flags.filter(({ value }) => typeof value !== "string");
  const others = flags.filter(({ value }) => value === "path" || value === "text");
  if (withWords.length + others.length === 0) return "";
  const lines = [
    ...withWords.map(
      (flag) => `${writePattern([flag])}) awaited=1 values=${quote(joinWords(flag.value))} ;;`,
    ),
    ...(others.length > 0 ? [`${writePattern(others)}) awaited=1 ;;`] : []),
  ];
  return `${indent}case $previous in
${lines.map((line) => `${indent}  ${line}`).join("\n")}
${indent}esac
`;
}

/** Flags before the verb whose value must not be taken for the verb. */
function casesOfSkipped(flags: readonly Flag[]): string {
  const withValue = flags.filter(({ value }) => value !== "none");
  if (withValue.length === 0) return "";
  return `      ${writePattern(withValue)})
        at=$((at + 1))
        if [ "\${COMP_WORDS[at]}" = "=" ]; then at=$((at + 1)); fi ;;
`;
}
