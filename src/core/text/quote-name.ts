/** What a name in a run usually is: `gsm8k`, `vllm-0.6.3`, `tool_calls`, `org/model:tag`. */
const PLAIN = /^[\p{L}\p{N}_.:/@+#=-]{1,60}$/u;
const MOST_CHARACTERS = 100;

/**
 * A name that a file gives to something, for a sentence. A name that could be read as a part of the sentence is in
 * quotation marks, cut where it is long: people see where it ends, and agents that it is not logratio that says so.
 */
export function quoteName(name: string): string {
  if (PLAIN.test(name)) return name;
  const characters = [...name];
  if (characters.length <= MOST_CHARACTERS) return JSON.stringify(name);
  return JSON.stringify(`${characters.slice(0, MOST_CHARACTERS).join("")}…`);
}
