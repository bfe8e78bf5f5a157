import { formatCount } from "../../core/text/index.ts";
import type { Style, Surface } from "../../render/document/index.ts";
import { type FlowPiece, flowPieces } from "../../render/terminal/index.ts";
import type { StripPart, StripToken } from "./case-strip.ts";
import { figure } from "./values.ts";

/** Longer tool output is cut: it is context and was not scored. */
const MOST_TOOL = 60;

/** The marks of a strip, with and without Unicode; letters rather than colors identify the spikes. */
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

/** Style of a token by its level from 0 to 8. */
export function levelStyle(level: number): Style | undefined {
  if (level >= 6) return "level-high";
  if (level >= 4) return "worst";
  return level >= 2 ? "caution" : undefined;
}

/** The strip as lines of at most `width` columns. Line ends of the text are shown and kept. */
export function drawStrip(parts: readonly StripPart[], width: number, surface: Surface): string[] {
  return flowPieces(
    parts.flatMap((part) => buildPieces(part, surface)),
    width,
    (text, style) => surface.style(text, style),
  );
}

type Piece = FlowPiece<Style>;

function buildPieces(part: StripPart, surface: Surface): Piece[] {
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
