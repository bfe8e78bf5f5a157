import { FormatError } from "../../core/base/index.ts";
import { loadFigurePackage } from "./load-package.ts";

/** Points of a PDF in a unit of an SVG: 72 and 96 to the inch. */
const POINTS = 0.75;

type Attributes = Readonly<Record<string, string>>;
type Pdf = InstanceType<typeof import("pdfkit")>;

/**
 * A figure as a page of its own size.
 *
 * @param outline an SVG of groups and paths only, as returned by `ReadFigure.outline`
 * @throws FormatError for a figure with anything else in it
 * @throws UnsupportedError without the package that writes PDF
 */
export async function drawPdf(outline: string, title: string): Promise<Buffer> {
  const { default: PDFDocument } = await loadFigurePackage("pdfkit", () => import("pdfkit"));
  const [width, height] = readSize(outline);
  const pdf = new PDFDocument({
    size: [width * POINTS, height * POINTS],
    margin: 0,
    info: { Title: title, Creator: "logratio" },
  });
  const chunks: Buffer[] = [];
  const written = new Promise<Buffer>((resolve, reject) => {
    pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
    pdf.on("end", () => resolve(Buffer.concat(chunks)));
    pdf.on("error", reject);
  });
  pdf.scale(POINTS);
  drawElements(pdf, outline);
  pdf.end();
  return written;
}

function readSize(outline: string): [number, number] {
  const { width, height } = readAttributes(/^<svg([^>]*)>/.exec(outline)?.[1] ?? "");
  return [Number(width), Number(height)];
}

const KNOWN = new Set(["svg", "defs", "g", "path"]);

function drawElements(pdf: Pdf, outline: string): void {
  for (const [, end, name = "", written = ""] of outline.matchAll(
    /<(\/?)([\w-]+)((?:\s+[\w:-]+="[^"]*")*)\s*\/?>/g,
  )) {
    if (!KNOWN.has(name)) {
      throw new FormatError(`a figure has an element that PDF cannot take here: ${name}`, {
        likely: "a glyph of its text is a picture, such as an emoji",
        hint: "use --figure-format png or svg",
      });
    }
    if (name === "g") {
      if (end === "/") pdf.restore();
      else enter(pdf, readAttributes(written));
    }
    if (name === "path") {
      const attributes = readAttributes(written);
      enter(pdf, attributes);
      drawPath(pdf, attributes);
      pdf.restore();
    }
  }
}

function readAttributes(written: string): Attributes {
  return Object.fromEntries(
    Array.from(written.matchAll(/([\w:-]+)="([^"]*)"/g), ([, name, value]) => [name, value]),
  );
}

/** Applies the transform of a group or path until `restore`. */
function enter(pdf: Pdf, { transform }: Attributes): void {
  pdf.save();
  const numbers = /^matrix\(([^)]*)\)$/
    .exec(transform ?? "")?.[1]
    ?.split(/[\s,]+/)
    .map(Number);
  if (numbers?.length === 6) pdf.transform(...(numbers as [number, number, number, number, number, number]));
}

function drawPath(pdf: Pdf, attributes: Attributes): void {
  const { d = "", fill = "#000000", stroke = "none" } = attributes;
  const rule = attributes["fill-rule"] === "evenodd" ? "even-odd" : "non-zero";
  const dash = attributes["stroke-dasharray"]?.split(/[\s,]+/).map(Number);
  pdf.path(d);
  pdf.fillOpacity(Number(attributes["fill-opacity"] ?? 1));
  pdf.strokeOpacity(Number(attributes["stroke-opacity"] ?? 1));
  pdf.lineWidth(Number(attributes["stroke-width"] ?? 1));
  if (dash !== undefined) pdf.dash(dash[0] ?? 1, { space: dash[1] ?? dash[0] ?? 1 });
  if (fill !== "none" && stroke !== "none") pdf.fillAndStroke(fill, stroke, rule);
  else if (fill !== "none") pdf.fill(fill, rule);
  else if (stroke !== "none") pdf.stroke(stroke);
}
