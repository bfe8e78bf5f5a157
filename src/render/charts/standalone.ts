import { pixel } from "./svg.ts";

const VARIABLE = /var\(--[\w-]+,\s*([^()]+)\)/g;
/** Margin around a chart; in a page, the page has margins. */
const MARGIN = 10;

/**
 * A chart as a standalone picture: with a margin, a white background, and the colors of a light page instead of
 * variables that only a page sets.
 *
 * @param svg of this folder's charts
 */
export function standaloneSvg(svg: string): string {
  return svg.replace(VARIABLE, "$1").replace(/^<svg[^>]*>/, (open) => {
    const [, inner = "0", outer = "0"] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(open) ?? [];
    const [width, height] = [inner, outer].map((size) => pixel(Number(size) + 2 * MARGIN));
    const sized = open
      .replace(/viewBox="[^"]*"/, `viewBox="-${MARGIN} -${MARGIN} ${width} ${height}"`)
      .replace(/ width="[^"]*"/, ` width="${width}"`)
      .replace(/ height="[^"]*"/, ` height="${height}"`);
    return `${sized}<rect x="-${MARGIN}" y="-${MARGIN}" width="${width}" height="${height}" fill="#ffffff"/>`;
  });
}
