import { formatCount } from "../format.ts";
import { displayWidth } from "../terminal/columns.ts";
import type { Style, Surface } from "../terminal/surface.ts";
import type { StripPart, StripToken } from "./case-strip.ts";
import { figure } from "./values.ts";

/** Longer tool output is cut: it is context, not what was scored. */
const MOST_TOOL = 60;

/** How a strip marks things, with and without Unicode; letters, not colours, carry the spikes. */
export function stripMarks(unicode: boolean) {
  return unicode
    ? { open: "⟦", close: "⟧", tool: "‹tool: ", unknown: "‹no score: ", end: "›", newline: "⏎", gap: "…" }
    : {
        open: "[[",
        close: "]]",
        tool: "<<tool: ",
        unknown: "<<no score: ",
        end: ">>",
        newline: "\\n",
        gap: "..",
      };
}

/** Style of a token of a level from 0 to 8. */
export function levelStyle(level: number): Style | undefined {
  if (level >= 6) return "level-high";
  if (level >= 4) return "worst";
  return level >= 2 ? "caution" : undefined;
}

interface Piece {
  readonly text: string;
  readonly style: Style | undefined;
  /** Where the text itself begins a new line. */
  readonly breaks: boolean;
}

/** The strip as lines of at most `width` columns. Line ends of the text are shown and kept. */
export function drawStrip(parts: readonly StripPart[], width: number, surface: Surface): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const flush = (): void => {
    lines.push(line);
    [line, used] = ["", 0];
  };
  for (const { text, style, breaks } of parts.flatMap((part) => piecesOf(part, surface))) {
    let rest = text;
    if (used > 0 && used + displayWidth(rest) > width && displayWidth(rest) <= width) flush();
    while (rest !== "") {
      const [fitting, left] = splitAt(rest, width - used);
      if (fitting === "") {
        flush();
        continue;
      }
      line += style === undefined ? fitting : surface.style(fitting, style);
      used += displayWidth(fitting);
      rest = left;
      if (rest !== "") flush();
    }
    if (breaks) flush();
  }
  if (line !== "") flush();
  return lines;
}

function piecesOf(part: StripPart, surface: Surface): Piece[] {
  const marks = stripMarks(surface.unicode);
  if (part.kind === "gap") {
    const most = part.most === null ? "" : `, KL at most ${figure(part.most)}`;
    const text = surface.text(
      ` ${marks.gap} ${formatCount(part.to - part.from)} tokens${most} ${marks.gap} `,
    );
    return [{ text, style: "dim", breaks: true }];
  }
  if (part.kind !== "token") {
    const characters = [...part.text];
    const long = characters.length > MOST_TOOL;
    const shown = characters.slice(0, MOST_TOOL).join("");
    const more = long ? ` ${marks.gap} ${formatCount(part.to - part.from)} tokens` : "";
    return [
      {
        text: marks[part.kind] + surface.text(shown + more) + marks.end,
        style: "dim",
        breaks: false,
      },
    ];
  }
  return tokenPieces(part, surface);
}

function tokenPieces({ text, level, spike, error }: StripToken, surface: Surface): Piece[] {
  const marks = stripMarks(surface.unicode);
  const label = [spike?.mark ?? "", error ? "!" : ""].filter((mark) => mark !== "").join("");
  const style = spike === null ? levelStyle(level) : ("level-broken" as const);
  const lines = text.split("\n");
  return lines.map((line, at) => {
    const [isFirst, isLast] = [at === 0, at === lines.length - 1];
    const head = label !== "" && isFirst ? `${marks.open}${label}:` : "";
    const tail = label !== "" && isLast ? marks.close : "";
    const newline = isLast ? "" : marks.newline;
    return { text: head + surface.text(line) + newline + tail, style, breaks: !isLast };
  });
}

/** As much of the text as fits, at least one character where a whole line is free; and the rest. */
function splitAt(text: string, width: number): [string, string] {
  if (displayWidth(text) <= width) return [text, ""];
  let fitting = "";
  for (const character of text) {
    if (displayWidth(fitting + character) > width) break;
    fitting += character;
  }
  return [fitting, text.slice(fitting.length)];
}
