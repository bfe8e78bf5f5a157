/** Pages that lead into the code: every link leads to a file, and a linked name is declared in the file behind it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DECISIONS = "docs/decisions";
const PAGES = [
  "docs/journey.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync(join(ROOT, DECISIONS)).map((name) => `${DECISIONS}/${name}`),
];

interface Link {
  readonly text: string;
  readonly target: string;
}

function findLinks(page: string): Link[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)]
    .map(([, words, target]) => ({ text: words!, target: target!.replace(/#.*$/, "") }))
    .filter(({ target }) => target !== "" && !/^[a-z]+:/.test(target));
}

/** Whether the file says what this name is, and does not merely mention it. */
function isDeclared(name: string, file: string): boolean {
  const declaration = new RegExp(`\\b(?:function\\*?|class|const|interface|type)\\s+${name}\\b`);
  return declaration.test(readFileSync(file, "utf8"));
}

describe.each(PAGES)("%s", (page) => {
  const links = findLinks(page).map((link) => ({ ...link, file: join(ROOT, dirname(page), link.target) }));

  it("links to files that are there", () => {
    expect(links.filter(({ file }) => !existsSync(file)).map(({ target }) => target)).toEqual([]);
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
