import type { Surface } from "../../render/document/index.ts";
import { clip, displayWidth, pad, wrapParts } from "../../render/terminal/index.ts";
import type { KlAlternative, SpikeFigures } from "../results/texts.ts";
import { tellDependence } from "./gradient-tables.ts";
import { stripMarks } from "./terminal-strip.ts";
import { figure, NONE, quoted } from "./values.ts";

const LABEL = 12;
const INDENT = 4;

export interface SpikeOptions {
  /** Stands before the first line, such as the letter from a strip. */
  readonly mark: string;
  /** Whether to show the words around the token. */
  readonly context: boolean;
  readonly checkpoint: string;
  readonly reference: string;
}

/** One spike: its figures, its context, what both policies would have said. */
export function drawSpike(spike: SpikeFigures, options: SpikeOptions, surface: Surface): string[] {
  const { token, handle, kl, zscore, category, region, since, problem, probability } = spike;
  const separator = surface.unicode ? " · " : ", ";
  const name = `${surface.text(options.mark)} ${clip(surface.text(quoted(token)), 24, surface.ellipsis)}`;
  const parts = [
    `KL ${figure(kl)}`,
    `z ${figure(zscore)}`,
    surface.text(
      `p ${figure(probability, "share")}, reference ${figure(spike.reference_probability, "share")}`,
    ),
    surface.text(`${category}, ${region}`),
    ...(since === null ? [] : [surface.text(`since ${since}`)]),
    handle === "" ? NONE : surface.text(handle),
    ...(options.context ? [surface.text(problem)] : []),
  ];
  const room = surface.width - 2;
  const [first = "", ...rest] = wrapParts([name, ...parts], separator, room);
  const names = [options.checkpoint, options.reference].map(surface.text);
  const labelWidth = Math.min(24, Math.max(LABEL, ...names.map((label) => displayWidth(label) + 2)));
  const label = (text: string): string =>
    surface.style(pad(clip(text, labelWidth - 2, surface.ellipsis), labelWidth), "dim");
  const wide = surface.width - INDENT - labelWidth;
  const margin = " ".repeat(INDENT);
  return [
    `  ${surface.style(first.slice(0, name.length), "bold")}${first.slice(name.length)}`,
    ...rest.map((line) => `${margin}${surface.style(line, "dim")}`),
    ...(options.context ? [margin + label("context") + drawContext(spike, wide, surface)] : []),
    margin + label(names[0] ?? "") + clip(alternatives(spike.alternatives, surface), wide, surface.ellipsis),
    margin +
      label(names[1] ?? "") +
      clip(alternatives(spike.reference_alternatives, surface), wide, surface.ellipsis),
    ...(spike.depends_on === null || spike.depends_on.length === 0
      ? []
      : [
          margin +
            label("depends on") +
            clip(
              spike.depends_on.map((one) => surface.text(tellDependence(one))).join("  "),
              wide,
              surface.ellipsis,
            ),
        ]),
  ];
}

/** `“ 13” 61.2 %  “ 12” 20.0 %`, or a dash if the back end returned none. */
function alternatives(list: readonly KlAlternative[], surface: Surface): string {
  if (list.length === 0) return surface.text(NONE);
  return list
    .map(({ token, probability }) => surface.text(`${quoted(token)} ${figure(probability, "share")}`))
    .join("  ");
}

/** The token in its marks, with as much text on both sides as fits. */
function drawContext({ before, token, after }: SpikeFigures, width: number, surface: Surface): string {
  const { open, close } = stripMarks(surface.unicode);
  const middle =
    open + clip(surface.text(token), Math.max(4, Math.floor(width / 3)), surface.ellipsis) + close;
  const side = Math.max(0, Math.floor((width - displayWidth(middle)) / 2));
  const left = clipStart(surface.text(before), side, surface.ellipsis);
  const right = clip(surface.text(after), side, surface.ellipsis);
  return `${surface.style(left, "dim")}${surface.style(middle, "worst")}${surface.style(right, "dim")}`;
}

/** The end of a text, cut at its start. */
function clipStart(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  if (room < 0) return "";
  let tail = "";
  for (const character of [...text].reverse()) {
    if (displayWidth(character + tail) > room) break;
    tail = character + tail;
  }
  return ellipsis + tail;
}
