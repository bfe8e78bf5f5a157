/**
 * A canvas that writes SVG, so that one function both draws on the page and exports. It implements only what these
 * functions call.
 *
 * @module
 */
import { element, escapeMarkup, pixel } from "../../../src/render/charts/index.ts";
import { plainColor } from "./theme.ts";

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
  const pen = new SvgPen();
  draw(pen);
  return wrapSvg(title, width, height, pen.finish());
}

type Look = Readonly<Record<string, string | number | undefined>>;

/** Records what is drawn as markup. */
class SvgPen implements Pen {
  fillStyle: Pen["fillStyle"] = "#000000";
  strokeStyle: Pen["strokeStyle"] = "#000000";
  lineWidth = 1;
  lineJoin: Pen["lineJoin"] = "miter";
  globalAlpha = 1;
  font = "11px sans-serif";
  textAlign: Pen["textAlign"] = "start";
  textBaseline: Pen["textBaseline"] = "alphabetic";
  readonly #ruler = document.createElement("canvas").getContext("2d");
  readonly #parts: string[] = [];
  #path = "";
  /** Consecutive areas of the same style become one path: a histogram has hundreds of bars. */
  #area = "";
  #look: Look = {};

  finish(): readonly string[] {
    this.#close();
    return this.#parts;
  }

  measureText(text: string): TextMetrics {
    if (this.#ruler === null) return { width: 6 * text.length } as TextMetrics;
    this.#ruler.font = this.font;
    return this.#ruler.measureText(text);
  }

  /** Nothing to clear: the picture starts empty. */
  clearRect(): void {}

  fillRect(x: number, y: number, width: number, height: number): void {
    const fill = plainColor(String(this.fillStyle));
    const opacity = this.globalAlpha === 1 ? undefined : this.globalAlpha;
    if (this.#look.fill !== fill || this.#look["fill-opacity"] !== opacity) {
      this.#close();
      this.#look = { fill, "fill-opacity": opacity };
    }
    this.#area += `M${pixel(x)} ${pixel(y)}h${pixel(width)}v${pixel(height)}h${pixel(-width)}z`;
  }

  beginPath(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${pixel(x)} ${pixel(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `L${pixel(x)} ${pixel(y)}`;
  }

  stroke(): void {
    this.#close();
    if (this.#path === "") return;
    const stroke = plainColor(String(this.strokeStyle));
    this.#parts.push(
      element("path", { d: this.#path, fill: "none", stroke, "stroke-width": this.lineWidth }),
    );
  }

  fillText(text: string, x: number, y: number): void {
    this.#write(text, x, y, { fill: plainColor(String(this.fillStyle)) });
  }

  strokeText(text: string, x: number, y: number): void {
    const color = plainColor(String(this.strokeStyle));
    this.#write(text, x, y, {
      fill: color,
      stroke: color,
      "stroke-width": this.lineWidth,
      "stroke-linejoin": "round",
    });
  }

  #write(text: string, x: number, y: number, colors: Look): void {
    this.#close();
    const size = Number.parseFloat(/([\d.]+)px/.exec(this.font)?.[1] ?? "11");
    const place = {
      x,
      y: y + (BASELINES[this.textBaseline] ?? 0) * size,
      "font-size": size,
      "text-anchor": { center: "middle", right: "end", end: "end" }[this.textAlign as string],
    };
    this.#parts.push(element("text", { ...place, ...colors }, escapeMarkup(text)));
  }

  #close(): void {
    if (this.#area !== "") this.#parts.push(element("path", { d: this.#area, ...this.#look }));
    this.#area = "";
  }
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
