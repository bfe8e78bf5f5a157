/** The cause pages: one per cause with all its parts, pictures that exist and stay small, and links that work. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CAUSES } from "../../src/analyses/doctor/causes/catalog.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = join(ROOT, "docs/causes");
const SECTIONS = ["Signature", "Neighbors", "Confirm", "Fix", "Sources"];
const MOST_LINES = 60;
const MOST_PICTURE_BYTES = 8_000;

/** Every cause of the laboratory, and `healthy`: `cannot_tell` is an answer, not a cause. */
function readCauses(): string[] {
  const source = readFileSync(join(ROOT, "lab/faultlab/faults/__init__.py"), "utf8");
  const list = /CAUSES = \[([^\]]*)\]/.exec(source)![1]!;
  return ["healthy", ...[...list.matchAll(/"(\w+)"/g)].map(([, id]) => id!)];
}

const causes = readCauses();
const pages = readdirSync(FOLDER).filter((name) => name.endsWith(".md"));
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");
const findLinks = (text: string) =>
  [...text.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replace(/\s/g, "-");

describe("cause pages", () => {
  it("are one for each cause, and no others", () => {
    expect(causes).toHaveLength(58);
    expect(pages.filter((name) => name !== "README.md").sort()).toEqual(
      causes.map((id) => `${id}.md`).sort(),
    );
  });

  it("are all listed once in the index", () => {
    const listed = findLinks(read("README.md")).filter((target) => /^\w+\.md$/.test(target));
    expect(listed.sort()).toEqual(causes.map((id) => `${id}.md`).sort());
  });

  it.each(causes)("%s has its name, all sections in order, and is short", (id) => {
    const text = read(`${id}.md`);
    expect(text).toMatch(new RegExp(`^# \`${id}\`: `));
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name)).toEqual(SECTIONS);
    expect(text.split("\n").length).toBeLessThanOrEqual(MOST_LINES);
  });

  it.each(causes)("%s names neighbors that are causes, and not itself", (id) => {
    const part = /## Neighbors\n([\s\S]*?)\n## /.exec(read(`${id}.md`))![1]!;
    const named = [...part.matchAll(/^- \[(\w+)\]\((\w+)\.md\)/gm)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, name, target] of named) {
      expect(target).toBe(name);
      expect(causes).toContain(name);
      expect(name).not.toBe(id);
    }
  });

  it.each(causes)("%s names threads as OWNER/REPOSITORY#NUMBER", (id) => {
    const part = /## Sources\n([\s\S]*)$/.exec(read(`${id}.md`))![1]!;
    const threads = part.trim().replace(/\.$/, "").split(/,\s+/);
    for (const thread of threads) expect(thread).toMatch(/^[\w.-]+\/[\w.-]+#\d+$/);
    expect(new Set(threads).size).toBe(threads.length);
  });

  it.each(causes)("%s gives the fixes that the doctor gives, and no others", (id) => {
    const part = /## Fix\n([\s\S]*?)\n## /.exec(read(`${id}.md`))![1]!;
    const cause = CAUSES.get(id)!;
    // A line to paste is in code; advice is a sentence.
    expect([...part.matchAll(/^- \*\*[^*]+\*\*: (.+)$/gm)].map(([, line]) => line)).toEqual(
      cause.fix.map(({ line, is_code: isCode }) => (isCode ? `\`${line}\`` : `${line}.`)),
    );
    for (const { note } of cause.fix) expect(part).toContain(note);
  });

  it("are of every cause that the doctor names", () => {
    const named = [...CAUSES.keys()].filter((id) => id !== "cannot_tell");
    expect(named.sort()).toEqual([...causes].sort());
  });

  it.each(causes)("%s stands under the family that the doctor gives it", (id) => {
    const family = /^Family: \[[^\]]+\]\(README\.md#([\w-]+)\)/m.exec(read(`${id}.md`))![1]!;
    expect(family.startsWith(CAUSES.get(id)!.family)).toBe(true);
  });

  it.each(causes)("%s has a small picture of its own", (id) => {
    expect(read(`${id}.md`)).toContain(`](images/${id}.svg)`);
    const path = join(FOLDER, "images", `${id}.svg`);
    expect(readFileSync(path, "utf8")).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    expect(statSync(path).size).toBeLessThanOrEqual(MOST_PICTURE_BYTES);
  });

  it.each([...pages.map((name) => `docs/causes/${name}`), "docs/doctor.md", "lab/README.md"])(
    "every link of %s leads to a file and a heading",
    (page) => {
      for (const link of findLinks(readFileSync(join(ROOT, page), "utf8"))) {
        if (/^[a-z]+:/.test(link)) continue;
        const [target, anchor] = link.split("#");
        const path = target === "" ? join(ROOT, page) : resolve(dirname(join(ROOT, page)), target!);
        expect(existsSync(path), `${link} in ${page}`).toBe(true);
        if (anchor === undefined) continue;
        const headings = [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, name]) =>
          slug(name!),
        );
        expect(headings, `${link} in ${page}`).toContain(anchor);
      }
    },
  );
});
