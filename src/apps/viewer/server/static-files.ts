/**
 * The built page. Its files are listed once, so that no request can name any other.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { NotFoundError } from "../../../core/base/index.ts";
import { isAbsence } from "../../../input/io/index.ts";
import type { Content } from "./reply.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
};
/** Vite names these by their content. */
const NAMED_BY_CONTENT = /^assets\/.*-[\w-]{8,}\.\w+$/;

/**
 * Where the page is: beside the compiled code, or from the sources in the build of the repository.
 *
 * @throws NotFoundError when it was not built
 */
export function builtPage(): string {
  const places = ["../../../web/", "../../../../dist/web/"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  // The page's sources have an index.html too.
  const found = places.find(
    (place) => existsSync(join(place, "index.html")) && !existsSync(join(place, "vite.config.ts")),
  );
  if (found !== undefined) return found;
  throw new NotFoundError("the viewer's page is not built", {
    at: { file: places[0]! },
    likely: "this is a clone of the repository that was not built",
    hint: "run npm run build there",
  });
}

/** Paths below a directory, with `/` between their parts, in order. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

function noFiles(cause: unknown): string[] {
  if (isAbsence(cause)) return [];
  throw cause;
}

/** Contents by path; `/` is the page. @throws NotFoundError when there is none */
export async function staticFiles(directory: string): Promise<ReadonlyMap<string, Content>> {
  const files = new Map<string, Content>();
  for (const name of await filesBelow(directory).catch(noFiles)) {
    const bytes = await readFile(join(directory, name));
    files.set(`/${name}`, {
      bytes,
      type: TYPES[extname(name)] ?? "application/octet-stream",
      tag: createHash("sha256").update(bytes).digest("hex").slice(0, 16),
      immutable: NAMED_BY_CONTENT.test(name),
    });
  }
  const page = files.get("/index.html");
  if (page === undefined)
    throw new NotFoundError(`there is no index.html in ${directory}`, { at: { file: directory } });
  return files.set("/", page);
}
