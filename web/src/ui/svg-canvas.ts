/**
 * A canvas that writes SVG: what is drawn on the page by a function of a canvas is exported by the same function. It
 * knows what these functions call.
 *
 * @module
 */
import { element, escapeMarkup, pixel } from "../../../src/render/charts/index.ts";
import { plainColour } from "./theme.ts";

type Style =
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "globalAlpha"
  | "font"
  | "textAlign"
  | "textBaseline";
type Calls =
  | "fillRect"
  | "clearRect"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "stroke"
  | "fillText"
  | "strokeText";

/** What pictures may use of a canvas. */
export type Pen = Pick<CanvasRenderingContext2D, Style | Calls | "measureText" | "lineJoin">;

const BASELINES: Readonly<Record<string, number>> = { top: 0.8, middle: 0.35, bottom: -0.2 };

/** The picture of `title`, as SVG of this size. */
export function canvasSvg(title: string, width: number, height: number, draw: (pen: Pen) => void): string {
  const ruler = document.createElement("canvas").getContext("2d");
  const parts: string[] = [];
  let path = "";
  let area = "";
  let look: Readonly<Record<string, string | number | undefined>> = {};
  /** Areas of one color are one path. */
  const close = (): void => {
    if (area !== "") parts.push(element("path", { d: area, ...look }));
    area = "";
  };
  const write = (text: string, x: number, y: number, colours: typeof look): void => {
    close();
    const size = Number.parseFloat(/([\d.]+)px/.exec(pen.font)?.[1] ?? "11");
    parts.push(
      element(
        "text",
        {
          x,
          y: y + (BASELINES[pen.textBaseline] ?? 0) * size,
          "font-size": size,
          "text-anchor": { center: "middle", right: "end", end: "end" }[pen.textAlign as string],
          ...colours,
        },
        escapeMarkup(text),
      ),
    );
  };
  const pen: Pen = {
    fillStyle: "#000000",
    strokeStyle: "#000000",
    lineWidth: 1,
    lineJoin: "miter",
    globalAlpha: 1,
    font: "11px sans-serif",
    textAlign: "start",
    textBaseline: "alphabetic",
    measureText(text) {
      if (ruler === null) return { width: 6 * text.length } as TextMetrics;
      ruler.font = pen.font;
      return ruler.measureText(text);
    },
    clearRect() {},
    fillRect(x, y, w, h) {
      const opacity = pen.globalAlpha === 1 ? undefined : pen.globalAlpha;
      if (look.fill !== plainColour(String(pen.fillStyle)) || look["fill-opacity"] !== opacity) {
        close();
        look = { fill: plainColour(String(pen.fillStyle)), "fill-opacity": opacity };
      }
      area += `M${pixel(x)} ${pixel(y)}h${pixel(w)}v${pixel(h)}h${pixel(-w)}z`;
    },
    beginPath() {
      path = "";
    },
    moveTo(x, y) {
      path += `M${pixel(x)} ${pixel(y)}`;
    },
    lineTo(x, y) {
      path += `L${pixel(x)} ${pixel(y)}`;
    },
    stroke() {
      close();
      if (path !== "")
        parts.push(
          element("path", {
            d: path,
            fill: "none",
            stroke: plainColour(String(pen.strokeStyle)),
            "stroke-width": pen.lineWidth,
          }),
        );
    },
    fillText(text, x, y) {
      write(text, x, y, { fill: plainColour(String(pen.fillStyle)) });
    },
    strokeText(text, x, y) {
      const colour = plainColour(String(pen.strokeStyle));
      write(text, x, y, {
        fill: colour,
        stroke: colour,
        "stroke-width": pen.lineWidth,
        "stroke-linejoin": "round",
      });
    },
  };
  draw(pen);
  close();
  return wrapSvg(title, width, height, parts);
}

/** A whole picture; its parts are markup. */
export function wrapSvg(title: string, width: number, height: number, parts: readonly string[]): string {
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${pixel(width)} ${pixel(height)}`,
      width,
      height,
      role: "img",
      "aria-label": title,
      "font-family": "system-ui, sans-serif",
    },
    element("title", {}, escapeMarkup(title)),
    ...parts,
  );
}
