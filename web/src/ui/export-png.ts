/**
 * Draws our own SVG pictures on a canvas, supporting only the few elements that `src/render/charts` writes. Loading
 * them as images would need a security policy that allows images from memory, and would taint the canvas in some
 * browsers.
 *
 * @module
 */

/** The picture as PNG at `scale` times its size, on white. */
export async function svgToPng(svg: string, scale = 2): Promise<Blob> {
  const root = parseSvg(svg);
  const [width, height] = [number(root, "width"), number(root, "height")];
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser provides no canvas to draw on");
  context.scale(scale, scale);
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, width, height);
  drawChildren(context, root);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("the picture is too large for this browser to save as PNG"));
      else resolve(blob);
    }, "image/png");
  });
}

/** SVG text as an element; no script in it runs. */
export function parseSvg(svg: string): Element {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  return parsed.documentElement;
}

function drawChildren(context: CanvasRenderingContext2D, parent: Element): void {
  for (const child of parent.children) {
    if (child.localName === "title") continue;
    if (child.localName === "g") drawChildren(context, child);
    else if (child.localName === "text") drawText(context, child);
    else drawShape(context, child);
  }
}

function drawShape(context: CanvasRenderingContext2D, element: Element): void {
  const shape = traceShape(element);
  if (shape === undefined) return;
  const fill = inherited(element, "fill") ?? "#000000";
  const stroke = inherited(element, "stroke");
  context.save();
  const opacity = number(element, "opacity", 1);
  if (fill !== "none") {
    context.globalAlpha = opacity * number(element, "fill-opacity", 1);
    context.fillStyle = fill;
    context.fill(shape);
  }
  if (stroke !== null && stroke !== "none") {
    context.globalAlpha = opacity * number(element, "stroke-opacity", 1);
    context.strokeStyle = stroke;
    context.lineWidth = number(element, "stroke-width", 1);
    context.lineJoin = (element.getAttribute("stroke-linejoin") as CanvasLineJoin | null) ?? "miter";
    context.setLineDash(
      (element.getAttribute("stroke-dasharray") ?? "")
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(Number),
    );
    context.stroke(shape);
  }
  context.restore();
}

function traceShape(element: Element): Path2D | undefined {
  if (element.localName === "path") return new Path2D(element.getAttribute("d") ?? "");
  const path = new Path2D();
  if (element.localName === "rect") {
    const [x, y] = [number(element, "x"), number(element, "y")];
    path.roundRect(x, y, number(element, "width"), number(element, "height"), number(element, "rx"));
    return path;
  }
  if (element.localName === "circle") {
    path.arc(number(element, "cx"), number(element, "cy"), number(element, "r"), 0, 2 * Math.PI);
    return path;
  }
  return undefined;
}

function drawText(context: CanvasRenderingContext2D, element: Element): void {
  const size = inherited(element, "font-size") ?? "11.5";
  const weight = inherited(element, "font-weight") ?? "400";
  const family = inherited(element, "font-family") ?? "system-ui, sans-serif";
  context.font = `${weight} ${Number.parseFloat(size)}px ${family}`;
  context.fillStyle = inherited(element, "fill") ?? "#000000";
  const anchor = inherited(element, "text-anchor");
  context.textAlign = anchor === "middle" ? "center" : anchor === "end" ? "right" : "left";
  context.fillText(element.textContent ?? "", number(element, "x"), number(element, "y"));
}

function number(element: Element, name: string, fallback = 0): number {
  const value = Number.parseFloat(element.getAttribute(name) ?? "");
  return Number.isNaN(value) ? fallback : value;
}

function inherited(element: Element, name: string): string | null {
  return element.closest(`[${name}]`)?.getAttribute(name) ?? null;
}
