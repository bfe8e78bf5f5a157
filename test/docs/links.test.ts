/**
 * Every link in the documentation leads to a file and to a heading in it, and a linked name is declared in that file.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DECISIONS = "docs/decisions";
const PAGES = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["docs", "docs/formats", DECISIONS].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

interface Link {
  readonly text: string;
  readonly target: string;
  /** The heading in it; empty for the whole page. */
  readonly anchor: string;
}

function findLinks(page: string): Link[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)]
    .filter(([, , target]) => !/^[a-z]+:/.test(target!))
    .map(([, words, address]) => {
      const [target = "", anchor = ""] = address!.split("#");
      return { text: words!, target: target === "" ? basename(page) : target, anchor };
    });
}

/** Anchors of a page's headings, as GitHub makes them. */
function findAnchors(file: string): ReadonlySet<string> {
  const text = readFileSync(file, "utf8").replaceAll(/^```.*?^```$/gms, "");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Whether the file declares this name rather than merely mentioning it. */
function isDeclared(name: string, file: string): boolean {
  const declaration = new RegExp(`\\b(?:function\\*?|class|const|interface|type)\\s+${name}\\b`);
  return declaration.test(readFileSync(file, "utf8"));
}

describe.each(PAGES)("%s", (page) => {
  const links = findLinks(page).map((link) => ({ ...link, file: join(ROOT, dirname(page), link.target) }));

  it("links to files that are there", () => {
    expect(links.filter(({ file }) => !existsSync(file)).map(({ target }) => target)).toEqual([]);
  });

  it("links to headings that are there", () => {
    const broken = links.filter(
      ({ file, target, anchor }) => anchor !== "" && target.endsWith(".md") && !findAnchors(file).has(anchor),
    );
    expect(broken.map(({ target, anchor }) => `${target}#${anchor}`)).toEqual([]);
  });

  it("links names to where they are declared", () => {
    const names = links.flatMap(({ text, file }) => {
      const [, name] = /^`(\w+)`$/.exec(text) ?? [];
      return name === undefined || !/\.tsx?$/.test(file) ? [] : [{ name, file }];
    });
    expect(names.filter(({ name, file }) => !isDeclared(name, file)).map(({ name }) => name)).toEqual([]);
    if (page === "docs/journey.md") expect(names.length).toBeGreaterThan(25);
  });
});

it("CONTRIBUTING.md names files and folders that are there", () => {
  const text = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const named = [...text.matchAll(/`((?:src|web|test|scripts|docs)\/[\w./-]+)`/g)].map(([, path]) => path!);
  const places = named.filter((path) => !path.includes("NAME"));
  expect(places.length).toBeGreaterThan(20);
  expect(places.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it("docs/decisions/README.md lists every record", () => {
  const listed = findLinks(`${DECISIONS}/README.md`).map(({ target }) => target);
  const records = readdirSync(join(ROOT, DECISIONS)).filter((name) => /^\d{4}-/.test(name));
  expect(records.length).toBeGreaterThan(0);
  expect(records.filter((name) => !listed.includes(name))).toEqual([]);
});

it("docs/README.md lists every page", () => {
  const listed = findLinks("docs/README.md").map(({ target }) => target);
  const pages = readdirSync(join(ROOT, "docs")).filter(
    (name) => name.endsWith(".md") && name !== "README.md",
  );
  expect(pages.filter((name) => !listed.includes(name))).toEqual([]);
});
