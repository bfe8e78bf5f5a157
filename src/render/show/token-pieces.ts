import { formatCount } from "../../core/text/index.ts";
import type { ShowMetric, ShowPiece, ShowToken } from "../../results/show.ts";
import type { Surface } from "../document/surface.ts";
import type { FlowPiece } from "../terminal/flow.ts";
import { chooseTint, tintCode, tintMark } from "./levels.ts";

/** Text in a style; the style is a list of SGR parameters. */
export type StripPiece = FlowPiece<string>;

/** The marks of the strip, with and without Unicode. */
export function chooseMarks(unicode: boolean) {
  return unicode
    ? {
        ...{ open: "⟦", close: "⟧", here: "»", hereEnd: "«", special: "⟨", specialEnd: "⟩" },
        ...{ newline: "⏎", tab: "→   ", part: "·", infinite: "∞", missing: "?", gap: "…", rule: "─" },
      }
    : {
        ...{ open: "[[", close: "]]", here: ">>", hereEnd: "<<", special: "<", specialEnd: ">" },
        ...{ newline: "\\n", tab: "\\t  ", part: "~", infinite: "inf:", missing: "?", gap: "..", rule: "-" },
      };
}

const DIM = "2";
const BROKEN = "1;7";

/** Longer texts of one token are cut, with a note. */
const MOST_CHARACTERS = 2000;
const MOST_NEWLINES = 8;
const NEWLINES = new RegExp(`\\n{${MOST_NEWLINES + 1},}`, "g");

export interface TokenStyle {
  readonly metric: ShowMetric;
  /** Without colors, levels are marks. */
  readonly surface: Surface;
  /** Whether it is the requested token. */
  readonly here: boolean;
}

/** A token of the response. */
export function tokenPieces(token: ShowToken, { metric, surface, here }: TokenStyle): StripPiece[] {
  const marks = chooseMarks(surface.unicode);
  const tint = token.value === null ? undefined : chooseTint(token.value, metric);
  const isOwn = token.turn !== null;
  const isInfinite = token.value !== null && !Number.isFinite(token.value);
  const code = !isOwn ? DIM : isInfinite ? BROKEN : tint === undefined ? DIM : tintCode(tint);
  const mark = !isOwn
    ? ""
    : isInfinite
      ? marks.infinite
      : tint === undefined
        ? marks.missing
        : surface.color
          ? ""
          : tintMark(tint, metric);
  const [head, tail] = mark === "" ? ["", ""] : [marks.open + mark, marks.close];
  const [before, after] = here ? [marks.here, marks.hereEnd] : ["", ""];
  // A token that continues a character has no text, but its value is shown.
  const isTick = token.text === "" && (here || mark !== "" || (tint?.level ?? 0) > 0);
  const pieces = textPieces(token, surface, code);
  if (isTick) return [{ text: before + head + marks.part + tail + after, style: code, breaks: false }];
  return pieces.map((piece, at) => ({
    ...piece,
    text: (at === 0 ? before + head : "") + piece.text + (at === pieces.length - 1 ? tail + after : ""),
  }));
}

/** Text of a prompt, which is in no figure. */
export function promptPieces(piece: ShowPiece, surface: Surface): StripPiece[] {
  return textPieces(piece, surface, DIM);
}

function textPieces({ text, kind }: ShowPiece, surface: Surface, style: string | undefined): StripPiece[] {
  const marks = chooseMarks(surface.unicode);
  if (kind === "id") return [{ text: `${surface.text(text)} `, style, breaks: false }];
  if (kind === "special") {
    const name = /^<\|?(.+?)\|?>$/s.exec(text)?.[1] ?? text;
    const bold = style === undefined ? "1" : style;
    return [{ text: marks.special + surface.text(name) + marks.specialEnd, style: bold, breaks: false }];
  }
  const lines = shortened(text, marks.newline).split("\n");
  return lines.flatMap((line, at): StripPiece[] => {
    const isLast = at === lines.length - 1;
    // The new-line mark belongs to the token: a newline alone can be the worst token of all.
    const shown = line.split("\t").map(surface.text).join(marks.tab) + (isLast ? "" : marks.newline);
    return shown === "" && lines.length > 1 ? [] : [{ text: shown, style, breaks: !isLast }];
  });
}

function shortened(text: string, newline: string): string {
  const counted = text.replace(NEWLINES, (run) => `\n${newline}×${formatCount(run.length - 2)}\n`);
  const characters = [...counted.slice(0, 2 * MOST_CHARACTERS)];
  if (counted.length <= MOST_CHARACTERS) return counted;
  return `${characters.slice(0, MOST_CHARACTERS).join("")}… (${formatCount(text.length)} characters)`;
}
