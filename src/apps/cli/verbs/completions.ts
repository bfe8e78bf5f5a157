import type { Verb } from "./verb.ts";

export const completions: Verb<[shell: string]> = {
  name: "completions",
  summary: "of shells",
  description: "print a script that lets bash, zsh or fish complete verbs, flags and paths",
  arguments: [
    { syntax: "<shell>", meaning: "the shell that the script is for", choices: ["bash", "zsh", "fish"] },
  ],
  examples: [
    { line: `eval "$(logratio completions bash)"`, shows: "for ~/.bashrc; the same with zsh for ~/.zshrc" },
    { line: "logratio completions fish | source", shows: "for ~/.config/fish/config.fish" },
  ],
  async run([shell], _, terminal, program) {
    const { writeCompletions } = await import("../completions/index.ts");
    terminal.out(writeCompletions(shell, program));
    return 0;
  },
};
