import { UnsupportedError } from "../../core/base/index.ts";

/**
 * A package needed only for figures as PNG or PDF: loaded when the first of them is drawn.
 *
 * @throws UnsupportedError if it is not installed
 */
export async function loadFigurePackage<T>(name: string, load: () => T | Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new UnsupportedError(`figures as PNG or PDF need the package ${name}, which is not installed`, {
      cause,
      likely: "npm left optional packages out (--omit=optional), or logratio came with pip",
      hint: `npm install ${name}, or write them as --figure-format svg`,
    });
  }
}
