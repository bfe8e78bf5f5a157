// Notices of the packages whose code is in our bundles. They are collected from the modules that the bundler put into
// its chunks, so that no added or removed package can be forgotten. A package without a license text ends the build.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const NOTICES = "THIRD-PARTY-NOTICES.txt";
const LICENSE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const IN_PACKAGE = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;
/** Modules that a bundler adds, which are its own code. */
const OWN_MODULES = [
  [/^\0(?:vite\/|commonjs)/, "vite"],
  [/^\0rolldown/, "rolldown"],
];

/** Folders of the packages that modules belong to, by the modules' ids; our own are left out. */
export function findPackages(ids, root = ROOT) {
  const folders = new Set();
  for (const id of ids) {
    const [, made] = OWN_MODULES.find(([pattern]) => pattern.test(id)) ?? [];
    const folder =
      made === undefined ? IN_PACKAGE.exec(id.replace(/^\0/, ""))?.[1] : join(root, "node_modules", made);
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders].sort();
}

/**
 * A package's name, version, declared license and license texts.
 *
 * @throws Error for a package without a license text
 */
function readNotice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => LICENSE.test(file));
  if (files.length === 0) throw new Error(`${name} is bundled, and has no license text in ${folder}`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return `${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
}

const LINE = `${"-".repeat(78)}\n`;

export function writeNotices(folders) {
  const head = "logratio contains code of these packages.\n";
  if (folders.length === 0) return "logratio contains no code of other packages.\n";
  return [head, ...folders.map(readNotice)].join(`\n${LINE}\n`);
}

/** A bundler plugin that collects the packages in its chunks and puts their notices beside them. */
export function collectNotices(found = new Set()) {
  return {
    name: "third-party-notices",
    apply: "build",
    generateBundle(_, bundle) {
      const ids = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
      const folders = findPackages(ids);
      for (const folder of folders) found.add(folder);
      this.emitFile({ type: "asset", fileName: NOTICES, source: writeNotices(folders) });
    },
  };
}

/** The notices of all bundles together, at the root of the package. */
export function writeAllNotices(found) {
  writeFileSync(join(ROOT, NOTICES), writeNotices([...found].sort()));
}

/** Names of the packages that notices are about, without versions. */
export function namedPackages(text) {
  return [...text.matchAll(/^(\S+) \d\S* \(.*\)$/gm)].map(([, name]) => name);
}
