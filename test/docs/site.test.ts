/** What the documentation's site is made of, and the check that its build ends with. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { checkSite } from "../../scripts/site/check-site.mjs";
import { stagePages } from "../../scripts/site/stage-pages.mjs";
import { findRepository } from "../../scripts/support/repository.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const REPOSITORY = "https://host/owner/name";

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Pages that the navigation of another one lists. */
const listed = (text: string): string[] =>
  [...text.matchAll(/^```\{toctree\}\n(?::.*\n)*\n([\s\S]*?)\n```$/gm)].flatMap(([, pages]) =>
    pages!.split("\n"),
  );

it("every page of the documentation has one place in the site's navigation", () => {
  const folder = temporaryFolder("site-");
  expect(stagePages(ROOT, folder, undefined)).toEqual([]);
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md"));
  const shown = pages.flatMap((page) =>
    listed(readFileSync(join(folder, page), "utf8")).map((name) => join(dirname(page), name)),
  );
  expect(pages.length).toBeGreaterThan(110);
  expect(shown.sort()).toEqual(pages.filter((page) => page !== "index.md").sort());
});

it("the first level is the jobs of docs/README.md", () => {
  const folder = temporaryFolder("site-");
  stagePages(ROOT, folder, undefined);
  const home = readFileSync(join(folder, "index.md"), "utf8");
  const captions = [...home.matchAll(/^:caption: (.*)$/gm)].map(([, caption]) => caption);
  expect(captions.slice(0, 3)).toEqual(["Look", "Explain", "Act"]);
  expect(captions.slice(-2)).toEqual(["To look up", "To change the code"]);
});

it("links follow the pages; those to other files lead to the repository, or are their text", () => {
  const folder = temporaryFolder("site-");
  stagePages(ROOT, folder, REPOSITORY);
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  expect(read("project/architecture.md")).toContain("(../decisions/0002-own-unpickler.md)");
  expect(read("contents.md")).toContain("[README](index.md#from-task-to-command)");
  expect(read("causes/token_shift.md")).toContain("[alignment](index.md#alignment)");
  expect(read("causes/index.md")).toContain(`[fault laboratory](${REPOSITORY}/blob/HEAD/lab/README.md)`);
  stagePages(ROOT, folder, undefined);
  expect(read("causes/index.md")).toContain("runs of the fault laboratory in which");
  // What only looks like a link stays as it is in code.
  expect(read("style.md")).toBe(readFileSync(join(ROOT, "docs/style.md"), "utf8"));
});

it("the repository is the one that package.json names, else the workflow's", () => {
  const workflow = { GITHUB_SERVER_URL: "https://host", GITHUB_REPOSITORY: "a/fork" };
  const named = { repository: { url: "git+https://host/owner/name.git" } };
  expect(findRepository(named, workflow)).toBe(REPOSITORY);
  expect(findRepository({ repository: `${REPOSITORY}/` }, {})).toBe(REPOSITORY);
  expect(findRepository({}, workflow)).toBe("https://host/a/fork");
  expect(findRepository({}, {})).toBeUndefined();
});

it("links to files that are not there are problems", () => {
  const root = temporaryFolder("site-");
  write(root, {
    "README.md": "# Name\n\n[one](docs/one.md) [gone](src/gone.ts)\n",
    "docs/README.md":
      "# Documentation\n\n| job | pages |\n|---|---|\n| look | [one](one.md) |\n\nTo change the code: no\n",
    "docs/one.md": "# One\n\n```\n[not a link](gone.md)\n```\n\n[gone](gone.md#there)\n",
  });
  for (const name of ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
    write(root, { [name]: "# Page\n" });
  write(root, { "python/README.md": "# Python\n", "site/python-api.md": "# API\n" });
  expect(stagePages(root, temporaryFolder("site-"), undefined)).toEqual([
    "docs/one.md: gone.md#there is not there",
    "README.md: src/gone.ts is not there",
  ]);
});

it("a site that keeps to itself passes", () => {
  const folder = temporaryFolder("site-");
  write(folder, {
    "index.html":
      '<link rel="stylesheet" href="a.css"/><a href="sub/#there">x</a><a href="https://host/">y</a><img src="p.svg">',
    "sub/index.html": '<h1 id="there">There</h1><a href="../index.html?q=1">back</a><a href="#there">x</a>',
    "a.css": "body { background: url(p.svg) }",
    "p.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  });
  expect(checkSite(folder)).toEqual({ pages: 2, links: 5, problems: [] });
});

it.each([
  ['<a href="gone.html">x</a>', "index.html: gone.html is not there"],
  ['<a href="#gone">x</a>', "index.html: #gone names no place on that page"],
  ['<img src="gone.png">', "index.html: gone.png is not there"],
  ['<script async src="https://cdn/x.js"></script>', "index.html loads https://cdn/x.js from another host"],
  ['<link href="//fonts/x.css" rel="stylesheet">', "index.html loads //fonts/x.css from another host"],
  ["<style>@import 'https://fonts/x.css'</style>", "index.html loads https://fonts/x.css from another host"],
  ["<iframe src=https://host/></iframe>", "index.html loads https://host/ from another host"],
])("%s is a problem", (html, problem) => {
  const folder = temporaryFolder("site-");
  write(folder, { "index.html": html });
  expect(checkSite(folder).problems).toEqual([problem]);
});

it("a style sheet or a picture that loads from another host is a problem", () => {
  const folder = temporaryFolder("site-");
  write(folder, {
    "index.html": "",
    "a.css": '@font-face { src: url("https://fonts/x.woff2") }',
    "b.svg": '<svg><style>@import "//fonts/x.css";</style></svg>',
  });
  expect(checkSite(folder).problems).toEqual([
    "a.css loads https://fonts/x.woff2 from another host",
    "b.svg loads //fonts/x.css from another host",
  ]);
});
