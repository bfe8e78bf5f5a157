/**
 * A part of the page as SVG: tables of coloured cells are pictures too, and what is exported is what is seen, with its
 * legend, on light paper.
 *
 * @module
 */
import { element, escapeMarkup } from "../../../src/report/charts/svg.ts";
import { svgOf } from "./svg-canvas.ts";
import { onPaper } from "./theme.ts";

const TRANSPARENT = "rgba(0, 0, 0, 0)";
/** Controls are no part of a picture. */
const LEFT_OUT = "button, select, input, fieldset, .export-menu, .visually-hidden, [role=tooltip]";

interface Layers {
  readonly below: string[];
  /** What stays in sight while the rest scrolls lies above it. */
  readonly above: string[];
}

const GAP = 12;

/** What is in sight of these elements, under each other, in the colours of light paper. */
export function elementSvg(title: string, ...roots: readonly (HTMLElement | null)[]): string {
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
    return svgOf(title, width, height, parts);
  });
}

function walk(node: Element, origin: DOMRect, clip: DOMRect, layers: Layers, layer: string[]): void {
  if (node.matches(LEFT_OUT)) return;
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden") return;
  const box = node.getBoundingClientRect();
  const parts = style.position === "sticky" ? layers.above : layer;
  if (isIn(box, clip)) drawBox(box, style, origin, parts);
  const inner = style.overflowY === "visible" && style.overflowX === "visible" ? clip : overlap(clip, box);
  for (const child of node.childNodes) {
    if (child instanceof Element) walk(child, origin, inner, layers, parts);
    else if (child instanceof Text) drawText(child, style, origin, inner, parts);
  }
}

function drawBox(box: DOMRect, style: CSSStyleDeclaration, origin: DOMRect, parts: string[]): void {
  const place = {
    x: box.left - origin.left,
    y: box.top - origin.top,
    width: box.width,
    height: box.height,
  };
  if (style.backgroundColor !== TRANSPARENT)
    parts.push(element("rect", { ...place, fill: style.backgroundColor }));
  const line = Number.parseFloat(style.borderBottomWidth);
  if (style.borderBottomStyle !== "none" && line > 0)
    parts.push(
      element("rect", {
        ...place,
        y: place.y + box.height - line,
        height: line,
        fill: style.borderBottomColor,
      }),
    );
  if (style.outlineStyle !== "none")
    parts.push(
      element("rect", {
        ...place,
        fill: "none",
        stroke: style.outlineColor,
        "stroke-width": Number.parseFloat(style.outlineWidth),
        "stroke-dasharray": style.outlineStyle === "dotted" ? "1 2" : undefined,
      }),
    );
}

function drawText(
  node: Text,
  style: CSSStyleDeclaration,
  origin: DOMRect,
  clip: DOMRect,
  parts: string[],
): void {
  const text = node.data.trim();
  if (text === "") return;
  const range = document.createRange();
  range.selectNodeContents(node);
  const [line] = range.getClientRects();
  if (line === undefined || !isIn(line, clip)) return;
  const size = Number.parseFloat(style.fontSize);
  parts.push(
    element(
      "text",
      {
        x: line.left - origin.left,
        y: line.top - origin.top + line.height / 2 + 0.35 * size,
        "font-size": size,
        "font-weight": style.fontWeight === "400" ? undefined : style.fontWeight,
        "text-decoration": style.textDecorationLine === "none" ? undefined : style.textDecorationLine,
        fill: style.color,
      },
      escapeMarkup(text),
    ),
  );
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
