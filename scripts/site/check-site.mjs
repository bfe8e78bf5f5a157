// Checks a built site as a browser would read it without a network: every link leads to a page and to a place on it, and
// nothing that a page loads comes from another host.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, posix } from "node:path";

const TAG = /<([a-z][\w:-]*)((?:\s+[\w:@.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?)*)\s*\/?>/gi;
const ATTRIBUTE = /([\w:@.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/g;
/** Attributes by which a browser loads something without a click, on any tag but `a`. */
const LOADING = new Set(["src", "srcset", "data", "poster", "href", "xlink:href", "action"]);
const FOREIGN = /^(?:[a-z][\w+.-]*:)?\/\//i;

/**
 * @param {string} folder the built site
 * @returns {{ pages: number, links: number, problems: string[] }}
 */
export function checkSite(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
  const pages = new Map(
    files.filter((file) => extname(file) === ".html").map((file) => [file, readPage(join(folder, file))]),
  );
  const problems = [];
  let links = 0;
  for (const [page, { loaded, linked }] of pages) {
    for (const address of loaded.filter((found) => FOREIGN.test(found)))
      problems.push(`${page} loads ${address} from another host`);
    for (const address of [...loaded, ...linked].filter(
      (found) => !/^(?:[a-z][\w+.-]*:|\/\/)/i.test(found),
    )) {
      links++;
      const problem = findBroken(folder, pages, page, address);
      if (problem !== undefined) problems.push(`${page}: ${address} ${problem}`);
    }
  }
  for (const file of files.filter((found) => /\.(css|svg)$/.test(found)))
    for (const address of listStyleAddresses(readFileSync(join(folder, file), "utf8")))
      if (FOREIGN.test(address)) problems.push(`${file} loads ${address} from another host`);
  return { pages: pages.size, links, problems };
}

/** Names on a page, what it loads, and what it only links to. */
function readPage(path) {
  const text = readFileSync(path, "utf8");
  const names = new Set();
  const loaded = listStyleAddresses(text);
  const linked = [];
  for (const [, tag, rest] of text.replaceAll(/<!--[\s\S]*?-->/g, "").matchAll(TAG)) {
    const attributes = new Map(
      [...rest.matchAll(ATTRIBUTE)].map(([, name, ...values]) => [
        name.toLowerCase(),
        values.find((value) => value !== undefined).replaceAll("&amp;", "&"),
      ]),
    );
    for (const name of ["id", "name"]) if (attributes.has(name)) names.add(attributes.get(name));
    for (const [name, value] of attributes)
      if (LOADING.has(name)) (isFollowed(tag, attributes) ? linked : loaded).push(value);
  }
  return { names, loaded, linked };
}

/** Whether a browser opens the address only when the reader asks. */
const isFollowed = (tag, attributes) =>
  tag.toLowerCase() === "a" ||
  (tag.toLowerCase() === "link" &&
    /^(?:next|prev|index|search|canonical|author)$/.test(attributes.get("rel")));

const listStyleAddresses = (text) =>
  [...text.matchAll(/url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)/g)].map(([, url, sheet]) => url ?? sheet);

function findBroken(folder, pages, page, address) {
  const [, path, anchor = ""] = /^([^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(address);
  let target = path === "" ? page : posix.join(posix.dirname(page), decodeURIComponent(path));
  if (existsSync(join(folder, target)) && statSync(join(folder, target)).isDirectory())
    target = posix.join(target, "index.html");
  if (!existsSync(join(folder, target))) return "is not there";
  if (anchor === "" || !pages.has(target)) return undefined;
  return pages.get(target).names.has(decodeURIComponent(anchor)) ? undefined : "names no place on that page";
}
