import type { CommandLine, Flag, Subject, Value } from "./describe.ts";

/** The script for zsh, on its own `_arguments`, which shows what each verb and flag means. */
export function writeZsh({ flags, verbs }: CommandLine): string {
  return `#compdef logratio
# Completion of logratio in zsh: put this line into ~/.zshrc, below compinit
#   eval "$(logratio completions zsh)"
_logratio() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
    ${[...flags.flatMap(specifyFlag), "'1: :->verb'", "'*:: :->rest'"].join(" \\\n    ")} && return
  case $state in
    verb)
      local -a verbs=(
        ${verbs.map(({ name, meaning }) => quote(`${name}:${meaning}`)).join("\n        ")}
      )
      _describe verb verbs; _files ;;
    rest)
      case $line[1] in
${verbs.map(specifyVerb).join("\n")}
      esac ;;
  esac
}
compdef _logratio logratio
`;
}

function specifyVerb({ name, flags, argument, isImplied }: Subject): string {
  const specs = [
    ...flags.flatMap(specifyFlag),
    ...(argument === "none" ? [] : [quote(`*:${actOn(argument)}`)]),
  ];
  return `        ${isImplied ? "*" : name})
          _arguments \\
            ${specs.join(" \\\n            ")} ;;`;
}

/** One specification for each name of the flag. A flag may be repeated, as most flags with a value may. */
function specifyFlag({ names, meaning, value }: Flag): string[] {
  const shown = meaning.replaceAll(/[[\]\\]/g, "\\$&");
  return names.map((name) => quote(`*${name}[${shown}]${value === "none" ? "" : `:${actOn(value)}`}`));
}

/** The part after the colon: what is expected, in words, and how zsh finds it. */
function actOn(value: Value): string {
  if (value === "path") return "path:_files";
  if (typeof value === "string") return "value: ";
  return `value:(${value.join(" ")})`;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
