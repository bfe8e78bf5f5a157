/**
 * A command to run next. It is never broken or cut, so that it can be pasted: the terminal itself wraps a long one, and
 * copies it as one line.
 *
 * @module
 */

import type { Surface } from "../document/surface.ts";
import { printable } from "../text/printable.ts";
import { clip, displayWidth, pad } from "./columns.ts";
import { wrap } from "./wrap.ts";

/**
 * `NAME  COMMAND  why` on one line if that fits, else the reason after the label and the command on a separate line.
 *
 * @param labelColumns the width of the labels above
 */
export function drawCommand(
  name: string,
  command: string,
  why: string,
  surface: Surface,
  labelColumns = 10,
): string[] {
  const { width, style } = surface;
  const text = pasteable(command, surface.unicode);
  const reason = surface.text(why);
  const label = clip(`${style(pad(name, labelColumns), "dim")} `, width, surface.ellipsis);
  const margin = " ".repeat(labelColumns + 1);
  const room = width - labelColumns - 1;
  const shown = style(text, "bold");
  const reasonLines = why === "" ? [] : wrap(reason, room).map((line) => style(line, "dim"));
  const taken = displayWidth(text);
  if (taken <= room) {
    if (why !== "" && taken + 2 + displayWidth(reason) <= room)
      return [`${label}${shown}  ${style(reason, "dim")}`];
    return [label + shown, ...reasonLines.map((line) => margin + line)];
  }
  const [first = "", ...rest] = reasonLines;
  const above = [(label + first).trimEnd(), ...rest.map((line) => margin + line)];
  return [...above.map((line) => clip(line, width, surface.ellipsis)), shown];
}

/**
 * Writes characters that this terminal cannot show, or that would move its cursor, as `printf` escapes, which the shell
 * converts back. They are always within single quotes, since words with such characters are quoted.
 */
export function pasteable(command: string, unicode: boolean): string {
  const isShown = (character: string): boolean =>
    unicode ? printable(character) === character : /[\x20-\x7e]/.test(character);
  const octal = (character: string): string =>
    Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join(
      "",
    );
  let text = "";
  let hidden = "";
  const flush = (): void => {
    if (hidden !== "") text += `'"$(printf '${hidden}')"'`;
    hidden = "";
  };
  for (const character of command) {
    if (isShown(character)) {
      flush();
      text += character;
    } else hidden += octal(character);
  }
  flush();
  return text;
}
