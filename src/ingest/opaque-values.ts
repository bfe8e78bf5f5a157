/**
 * Lists objects in a pickle whose classes are not plain data: they are kept by name and never built.
 *
 * @module
 */

import { isList, isMap, isPickled, type SourceDocument, type TreeValue } from "../input/io/index.ts";

/** The beginning of a large tree is enough: an opaque value is opaque in every sample. */
const MOST_VISITED = 20_000;
const MOST_LINES = 5;

/** Lines for `--explain`: `meta_info.timer: an object of a.b.Timer, kept by name and not built`. */
export function listOpaqueValues(document: SourceDocument): string[] {
  if (document.kind === "rows") return [];
  const classes = new Map<string, { readonly path: string; count: number }>();
  let visited = 0;

  const visit = (value: TreeValue | undefined, path: string): void => {
    if (visited++ > MOST_VISITED || typeof value !== "object" || value === null) return;
    if (isPickled(value)) {
      // The outermost object is the file itself, which its adapter takes apart.
      if (path !== "value") {
        const known = classes.get(value.className);
        if (known === undefined) classes.set(value.className, { path, count: 1 });
        else known.count++;
      }
      for (const part of [...value.args, value.state, value.items]) visit(part, path === "value" ? "" : path);
    } else if (isList(value)) {
      value.forEach((item, i) => {
        visit(item, `${path}[${i}]`);
      });
    } else if (isMap(value)) {
      for (const [name, item] of Object.entries(value)) visit(item, path === "" ? name : `${path}.${name}`);
    }
  };
  for (const [name, value] of Object.entries(document.root)) visit(value, name);

  const lines = [...classes].map(([className, { path, count }]) => {
    const object = count === 1 ? "an object" : `the first of ${count} objects`;
    return `${path}: ${object} of ${className}, kept by name and not built`;
  });
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `and objects of ${more} more classes`] : lines;
}
