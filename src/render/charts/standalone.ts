const VARIABLE = /var\(--[\w-]+,\s*([^()]+)\)/g;

/**
 * A chart as a picture of its own: the colors of a light page instead of variables that only a page sets, and paper behind
 * it.
 *
 * @param svg of this folder's charts
 */
export function standaloneSvg(svg: string): string {
  const own = svg.replace(VARIABLE, "$1");
  return own.replace(/^<svg[^>]*>/, (open) => `${open}<rect width="100%" height="100%" fill="#ffffff"/>`);
}
