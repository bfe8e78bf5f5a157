// Copies the documentation to where the site is built: pages of other folders get a place of their own, README.md becomes
// a folder's index, links follow, and the navigation is that of docs/README.md.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join, posix } from "node:path";

/** Pages outside docs/, and docs/README.md, whose place the README at the root takes. */
const PLACES = new Map([
  ["README.md", "index.md"],
  ["docs/README.md", "contents.md"],
  ["python/README.md", "python-package.md"],
  ["site/python-api.md", "api/python.md"],
  ["ARCHITECTURE.md", "project/architecture.md"],
  ["CHANGELOG.md", "project/changelog.md"],
  ["CONTRIBUTING.md", "project/contributing.md"],
  ["SECURITY.md", "project/security-policy.md"],
]);
/** Pages that no row of docs/README.md names, and the page in whose part of the navigation they are. */
const BESIDE = new Map([
  ["docs/api/README.md", ["site/python-api.md"]],
  ["docs/python.md", ["python/README.md"]],
  ["CONTRIBUTING.md", ["CHANGELOG.md", "SECURITY.md"]],
]);
const LINK = /(!?\[(?:[^\]`]|`[^`]*`)*\])\(([^)\s]+)\)/g;

/**
 * Writes the pages and their pictures below `folder`.
 *
 * @param {string} root the repository
 * @param {string} folder where the pages go; made if missing
 * @param {string | undefined} repository the address whose `/blob/HEAD/PATH` shows a file of the repository; without
 *   one, what links to a file that is not a page becomes its text
 * @returns {string[]} what is wrong: links to files that are not there
 */
export function stagePages(root, folder, repository) {
  const pages = findPages(root);
  const problems = [];
  for (const [page, place] of pages) {
    const text = mapProse(readFileSync(join(root, page), "utf8"), (prose) =>
      prose.replaceAll(LINK, (link, words, address) => {
        if (/^[a-z]+:/.test(address) || address.startsWith("#")) return link;
        const [path, anchor] = address.split("#");
        const target = posix.join(posix.dirname(page), path);
        if (!existsSync(join(root, target))) problems.push(`${page}: ${address} is not there`);
        const suffix = anchor === undefined ? "" : `#${anchor}`;
        if (pages.has(target)) return `${words}(${relativePlace(place, pages.get(target))}${suffix})`;
        if (isPicture(target)) return `${words}(${relativePlace(place, placeOf(target))})`;
        return repository === undefined ? words.slice(1, -1) : `${words}(${repository}/blob/HEAD/${target})`;
      }),
    );
    write(join(folder, place), text + navigation(root, page, pages));
  }
  for (const picture of listFiles(root, "docs").filter(isPicture)) {
    mkdirSync(dirname(join(folder, placeOf(picture))), { recursive: true });
    copyFileSync(join(root, picture), join(folder, placeOf(picture)));
  }
  return problems;
}

/** Every page, and its place on the site. */
function findPages(root) {
  const own = listFiles(root, "docs")
    .filter((path) => extname(path) === ".md")
    .map((path) => [path, placeOf(path).replace(/(^|\/)README\.md$/, "$1index.md")]);
  return new Map([...own, ...PLACES]);
}

const listFiles = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath.slice(root.length).replaceAll("\\", "/"), entry.name))
    .map((path) => path.replace(/^\//, ""))
    .sort();

const isPicture = (path) => /\.(svg|png)$/.test(path);
const placeOf = (path) => path.replace(/^docs\//, "");
const relativePlace = (from, to) => posix.relative(posix.dirname(from), to);

/** Applies `change` to what is outside fenced code. */
function mapProse(text, change) {
  return text
    .split(/^(```[^\n]*\n[\s\S]*?^```$)/m)
    .map((part, i) => (i % 2 === 0 ? change(part) : part))
    .join("");
}

/** Hidden tables of contents, from which the site's navigation is made: of the index of a folder, the pages it links. */
function navigation(root, page, pages) {
  if (page === "README.md") return homeNavigation(root, pages);
  const folder = posix.dirname(page);
  const listed =
    posix.basename(pages.get(page)) === "index.md"
      ? linkedPages(readFileSync(join(root, page), "utf8"), page).filter(
          (path) => posix.dirname(path) === folder,
        )
      : [];
  return contents(page, [...listed, ...(BESIDE.get(page) ?? [])], pages);
}

/** A part for each job of docs/README.md, for what is looked up there, and for the pages about the code. */
function homeNavigation(root, pages) {
  const index = "docs/README.md";
  const text = readFileSync(join(root, index), "utf8");
  const parts = [[undefined, index]];
  let header;
  for (const [, first, cells] of text.matchAll(/^\| ([^|]+) \| (.+) \|$/gm)) {
    if (/^pages?$/.test(cells)) header = first;
    else parts.push([header === "job" ? first : header, cells]);
  }
  parts.push(["to change the code", text.slice(text.indexOf("To change the code:"))]);

  const captions = new Map();
  const seen = new Set(["README.md"]);
  for (const [caption, words] of parts) {
    const paths = caption === undefined ? [words] : linkedPages(words, index);
    const fresh = paths.filter((path) => pages.has(path) && !seen.has(path));
    for (const path of fresh) seen.add(path);
    captions.set(caption, [...(captions.get(caption) ?? []), ...fresh]);
  }
  return [...captions].map(([caption, paths]) => contents("README.md", paths, pages, caption)).join("");
}

const linkedPages = (text, page) => [
  ...new Set(
    [...text.matchAll(LINK)].map(([, , address]) =>
      posix.join(posix.dirname(page), address.split("#")[0] || posix.basename(page)),
    ),
  ),
];

function contents(page, paths, pages, caption) {
  if (paths.length === 0) return "";
  const options = [":hidden:"];
  if (caption !== undefined) options.push(`:caption: ${caption[0].toUpperCase()}${caption.slice(1)}`);
  const places = paths.map((path) => relativePlace(pages.get(page), pages.get(path)));
  return `\n\`\`\`{toctree}\n${options.join("\n")}\n\n${places.join("\n")}\n\`\`\`\n`;
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
