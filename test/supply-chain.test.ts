/** What is installed for building, and which third-party code is shipped: pinned by hashes, with its notices. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findUnpinned } from "../scripts/support/lock.mjs";
import {
  findPackages,
  NOTICES,
  namedPackages,
  writeNotices,
} from "../scripts/support/third-party-notices.mjs";
import { ROOT } from "./support/run-cli.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const scratch = mkdtempSync(join(tmpdir(), "notices-"));
afterAll(() => rmSync(scratch, { recursive: true }));

describe("package-lock.json", () => {
  it("has a hash of every package", () => {
    expect(findUnpinned(JSON.parse(read("package-lock.json")))).toEqual([]);
  });

  it("is refused with an entry that has none, or a weak one", () => {
    const integrity = `sha512-${"a".repeat(86)}==`;
    const packages = {
      "": {},
      "node_modules/good": { integrity },
      "node_modules/@duckdb/node-bindings-win32-x64": { optional: true },
      "node_modules/a/node_modules/weak": { integrity: "sha1-abc=" },
      "node_modules/linked": { link: true },
    };
    expect(findUnpinned({ packages })).toEqual(["@duckdb/node-bindings-win32-x64", "weak"]);
  });
});

describe("notices of bundled packages", () => {
  it("are shipped, of every package that the page's scripts are made of", () => {
    const text = read(NOTICES);
    const page = read(`dist/web/${NOTICES}`);
    for (const name of ["preact", "@preact/signals", "@preact/signals-core"]) {
      expect(namedPackages(text)).toContain(name);
      expect(namedPackages(page)).toContain(name);
      expect(page).toContain(read(`node_modules/${name}/LICENSE`).trim());
    }
    expect(JSON.parse(read("package.json")).files).toContain(NOTICES);
  });

  it("are asked of each package whose module is in a bundle, and of the bundler for its own", () => {
    const root = join(scratch, "root");
    const ids = [
      join(root, "web/src/main.tsx"),
      join(root, "node_modules/@scope/one/dist/a.js"),
      join(root, "node_modules/@scope/one/b.js?query"),
      join(root, "node_modules/two/node_modules/three/c.js"),
      "\0rolldown/runtime.js",
      "\0vite/preload-helper.js",
    ];
    expect(findPackages(ids, root).map((path: string) => path.slice(root.length + 1))).toEqual([
      "node_modules/@scope/one",
      "node_modules/rolldown",
      "node_modules/two/node_modules/three",
      "node_modules/vite",
    ]);
  });

  it("end the build where a package has no license text", () => {
    const folder = join(scratch, "bare");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{"name": "bare", "version": "1.0.0", "license": "MIT"}');
    expect(() => writeNotices([folder])).toThrow("bare is bundled, and has no license text");
    writeFileSync(join(folder, "LICENSE.md"), "Permission is granted");
    expect(writeNotices([folder])).toMatch(/bare 1\.0\.0 \(MIT\)\n\nPermission is granted\n$/);
  });
});

it("the page brings its own policy, which allows no inline script", () => {
  const page = read("dist/web/index.html");
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)" \/>/.exec(page) ?? [];
  expect(policy).toMatch(/^default-src 'self'; .*style-src 'self'; object-src 'none'; base-uri 'none'/);
  expect(policy).not.toContain("unsafe");
  // Before anything that it applies to.
  expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<script"));
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/);
});
