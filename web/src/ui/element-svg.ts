/**
 * A part of the page as SVG, so that tables of colored cells can be exported as they look, with their legend, on light
 * paper. Marks that exist in style sheets only (hatching, corners, underlines, signs after a token) are drawn as
 * shapes, which every program can show.
 *
 * @module
 */
import { element, escapeMarkup, pixel } from "../../../src/render/charts/index.ts";
import { wrapSvg } from "./svg-canvas.ts";
import { onPaper, plainColor } from "./theme.ts";

/** Controls are not part of a picture. */
const LEFT_OUT = "button, select, input, fieldset, .export-menu, .visually-hidden, [role=tooltip]";
/** Pixels between the stripes of a hatching, along an edge. */
const HATCH = 6;
const GAP = 12;

interface Layers {
  readonly below: string[];
  /** Sticky elements, which are drawn above what scrolls below them. */
  readonly above: string[];
}

/** A place in the picture, in pixels. */
type Place = Readonly<Record<"x" | "y" | "width" | "height", number>>;

/**
 * The visible part of these elements, one below the other, in the colors of light paper.
 *
 * @param note what the picture leaves out; written below
 */
export function elementSvg(title: string, roots: readonly (HTMLElement | null)[], note = ""): string {
  return onPaper(() => {
    const parts: string[] = [];
    let [width, height] = [0, 0];
    for (const root of roots) {
      if (root === null) continue;
      const box = root.getBoundingClientRect();
      const layers: Layers = { below: [], above: [] };
      walk(root, new DOMRect(box.left, box.top - height), box, layers, layers.below);
      parts.push(...layers.below, ...layers.above);
      [width, height] = [Math.max(width, box.width), height + box.height + GAP];
    }
    if (note !== "") {
      parts.push(element("text", { x: 0, y: height, "font-size": 12, fill: "#000000" }, escapeMarkup(note)));
      height += GAP;
    }
    return wrapSvg(title, width, height, parts);
  });
}

function walk(
  node: Element,
  origin: DOMRect,
  clip: DOMRect,
  layers: Layers,
  layer: string[],
  line?: CSSStyleDeclaration,
): void {
  if (node.matches(LEFT_OUT)) return;
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden") return;
  const box = node.getBoundingClientRect();
  const parts = style.position === "sticky" ? layers.above : layer;
  if (isIn(box, clip)) drawBox(findPlace(box, origin), style, parts);
  const inner = style.overflowY === "visible" && style.overflowX === "visible" ? clip : overlap(clip, box);
  const underline = style.textDecorationLine.includes("underline") ? style : line;
  let end: DOMRect | undefined;
  for (const child of node.childNodes) {
    if (child instanceof Element) {
      walk(child, origin, inner, layers, parts, underline);
      end = child.getBoundingClientRect();
    } else if (child instanceof Text)
      for (const [text, rect] of splitLines(child)) {
        end = rect;
        if (!isIn(rect, inner)) continue;
        const place = findPlace(rect, origin);
        drawText(text, place, style, parts);
        if (underline !== undefined) drawUnderline(place, underline, parts);
      }
  }
  const after = getComputedStyle(node, "::after");
  const [, sign] = /^"(.+)"$/.exec(after.content) ?? [];
  if (sign !== undefined && end !== undefined && isIn(end, inner)) {
    const { x, y, width, height } = findPlace(end, origin);
    const raised = after.verticalAlign === "super" ? height / 4 : 0;
    drawText(sign, { x: x + width, y: y - raised, width: 0, height }, after, parts);
  }
}

function drawBox(place: Place, style: CSSStyleDeclaration, parts: string[]): void {
  const { x, y, width, height } = place;
  const fill = plain(style.backgroundColor);
  if (fill !== undefined) parts.push(element("rect", { ...place, fill }));
  const [, way, stops = ""] =
    /^(linear|repeating-linear)-gradient\((.*)\)$/.exec(style.backgroundImage) ?? [];
  const color = colorsIn(stops)[0];
  // Only corners use this angle. The shadow of a scrolling table is a gradient, too, but not a mark.
  if (way === "linear" && stops.startsWith("225deg"))
    parts.push(
      element("path", { d: `M${pixel(x + width)} ${pixel(y)}h-5.7l5.7 5.7z`, fill: color ?? "#000000" }),
    );
  else if (way === "repeating-linear")
    parts.push(
      element("path", { d: hatching(place), fill: "none", stroke: color ?? "#888888", "stroke-width": 2 }),
    );
  const line = Number.parseFloat(style.borderBottomWidth);
  const lineColor = plain(style.borderBottomColor);
  if (style.borderBottomStyle !== "none" && line > 0 && lineColor !== undefined) {
    parts.push(
      Number.parseFloat(style.borderTopWidth) > 0
        ? element("rect", { ...place, fill: "none", stroke: lineColor, "stroke-width": line })
        : element("rect", { ...place, y: y + height - line, height: line, fill: lineColor }),
    );
  }
  const frame = (color: string | undefined, thickness: number, dashes?: string): void => {
    parts.push(
      element("rect", {
        ...place,
        fill: "none",
        stroke: color ?? "#000000",
        "stroke-width": thickness,
        "stroke-dasharray": dashes,
      }),
    );
  };
  if (style.outlineStyle !== "none")
    frame(
      plain(style.outlineColor),
      Number.parseFloat(style.outlineWidth),
      style.outlineStyle === "dotted" ? "1 2" : undefined,
    );
  // An inset frame marks what is chosen.
  const [, shadow] = /0px 0px 0px (\d+)px inset/.exec(style.boxShadow) ?? [];
  if (shadow !== undefined) frame(colorsIn(style.boxShadow)[0], Number(shadow));
}

/** Stripes from lower left to upper right, cut off at the edges. */
function hatching({ x, y, width, height }: Place): string {
  let path = "";
  for (let sum = HATCH; sum < width + height; sum += HATCH) {
    const [right, down] = [Math.min(sum, width), Math.min(sum, height)];
    path += `M${pixel(x + sum - down)} ${pixel(y + down)}L${pixel(x + right)} ${pixel(y + sum - right)}`;
  }
  return path;
}

function drawText(text: string, { x, y, height }: Place, style: CSSStyleDeclaration, parts: string[]): void {
  const size = Number.parseFloat(style.fontSize);
  parts.push(
    element(
      "text",
      {
        x,
        y: y + height / 2 + 0.35 * size,
        "font-size": size,
        "font-family": style.fontFamily.includes("mono") ? "ui-monospace, monospace" : undefined,
        "font-weight": style.fontWeight === "400" ? undefined : style.fontWeight,
        fill: plain(style.color),
      },
      escapeMarkup(text),
    ),
  );
}

function drawUnderline({ x, y, width, height }: Place, style: CSSStyleDeclaration, parts: string[]): void {
  const line = `M${pixel(x)} ${pixel(y + height)}h${pixel(width)}`;
  const kind = style.textDecorationStyle;
  parts.push(
    element("path", {
      d: kind === "double" ? `${line}m0 2h${pixel(-width)}` : line,
      fill: "none",
      stroke: plain(style.textDecorationColor) ?? plain(style.color),
      "stroke-dasharray": kind === "dashed" ? "3 2" : kind === "dotted" ? "1 2" : undefined,
    }),
  );
}

/** The lines of a text as the browser wraps it, with their places. */
function splitLines(node: Text): [text: string, place: DOMRect][] {
  if (node.data.trim() === "") return [];
  const range = document.createRange();
  range.setStart(node, node.data.length - node.data.trimStart().length);
  range.setEnd(node, node.data.trimEnd().length);
  if (range.getClientRects().length < 2) return [[node.data.trim(), range.getBoundingClientRect()]];
  const lines: [string, DOMRect][] = [];
  for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.trimEnd().length);
    const place = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (last === undefined || place.top > last[1].bottom - 2) lines.push([word, place]);
    else lines[lines.length - 1] = [last[0] + word, union(last[1], place)];
  }
  return lines.map(([text, place]) => [text.trimEnd(), place]);
}

/** Undefined for a transparent color. */
function plain(color: string): string | undefined {
  return color === "rgba(0, 0, 0, 0)" ? undefined : plainColor(color);
}

/** The colors in a computed style, in order, without transparent ones. */
function colorsIn(style: string): string[] {
  return (style.match(/\b[a-z]+\([^()]*\)/g) ?? []).flatMap((color) => plain(color) ?? []);
}

function findPlace({ left, top, width, height }: DOMRect, origin: DOMRect): Place {
  return { x: left - origin.left, y: top - origin.top, width, height };
}

/** Whether its middle is in sight. */
function isIn(box: DOMRect, { left, right, top, bottom }: DOMRect): boolean {
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  return box.width > 0 && x >= left && x <= right && y >= top && y <= bottom;
}

function overlap(a: DOMRect, b: DOMRect): DOMRect {
  const [left, top] = [Math.max(a.left, b.left), Math.max(a.top, b.top)];
  return new DOMRect(
    left,
    top,
    Math.max(0, Math.min(a.right, b.right) - left),
    Math.max(0, Math.min(a.bottom, b.bottom) - top),
  );
}

function union(a: DOMRect, b: DOMRect): DOMRect {
  const [left, top] = [Math.min(a.left, b.left), Math.min(a.top, b.top)];
  return new DOMRect(left, top, Math.max(a.right, b.right) - left, Math.max(a.bottom, b.bottom) - top);
}
