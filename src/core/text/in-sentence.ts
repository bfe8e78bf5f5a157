/** A title in the middle of a sentence: `Engine has …` as `engine has …`; names such as LoRA keep their case. */
export function inSentence(title: string): string {
  return /^[A-Z][a-z]/.test(title) && !title.startsWith("LoRA")
    ? title.charAt(0).toLowerCase() + title.slice(1)
    : title;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A verdict as it stands alone: with a capital and a full stop; names such as `train/loss` keep their case. */
export function asSentence(text: string): string {
  const begun = /^[a-z]+[ ,;:.]/.test(text) ? capitalize(text) : text;
  return `${begun}${/[.?!]$/.test(text) ? "" : "."}`;
}
