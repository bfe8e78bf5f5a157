/**
 * Finds where the program changes files by reading the built modules.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../run-cli.ts";

/** A call in our code that changes files, directly or through one of {@link HELPERS}. */
export interface WriteSite {
  /** In the form of a stack: `dist/input/io/scratch.js:67`. */
  readonly at: string;
  /** The line. */
  readonly text: string;
}

/** Functions of `node:fs` and `node:fs/promises`. */
const CHANGES =
  /^(?:writeFile|appendFile|mkdir|mkdtemp|rename|link|symlink|copyFile|cp|f?truncate|unlink|rm|rmdir|l?utimes|futimes|f?chmod|fsync|fdatasync|write|writev)(?:Sync)?$|^createWriteStream$/;
/** Opening for reading changes nothing. */
const OPENS = /\bopen(?:Sync)?\([^)]*(?:"[wa]x?\+?"|O_CREAT)/;
/** Our own functions through which others write. */
const HELPERS =
  /(?<![.\w])(?:createScratch|createTemporaryFile|writeWholeFile|makeDirectory|writeAll|appendJsonl|FileAppender\.create)\(/;
/** Methods of a file handle, recognized by our modules' names for handles: `file.write(`, and not `terminal.write(`. */
const METHODS =
  /\b(?:file|handle|directory|target)\??\.(?:write|writev|writeFile|appendFile|truncate|sync|datasync|utimes|chmod)\(/;
const IMPORT = /^import \{([^}]+)\} from "node:fs(?:\/promises)?";/gm;

/** All such calls, in the order of modules and lines. */
export function findWrites(): WriteSite[] {
  const modules = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".js") && !/^(?:web|\.)/.test(name));
  return modules.sort().flatMap((name) => {
    const text = readFileSync(join(ROOT, "dist", name), "utf8");
    const isWrite = recognizeWrites(text);
    return text
      .split("\n")
      .flatMap((line, i) => (isWrite(line) ? [{ at: `dist/${name}:${i + 1}`, text: line.trim() }] : []));
  });
}

/** Recognizes lines of a module that change files, based on what it imports. */
function recognizeWrites(module: string): (line: string) => boolean {
  const imported = [...module.matchAll(IMPORT)].flatMap(([, names]) =>
    names!.split(",").map((name) => name.trim()),
  );
  const changes = imported.filter((name) => CHANGES.test(name));
  const calls = changes.length === 0 ? /(?!)/ : new RegExp(`(?<![.\\w#])(?:${changes.join("|")})\\(`);
  return (line) =>
    !/^\s*(?:\*|\/\/|\/\*|import\b|(?:export )?(?:async )?function)/.test(line) &&
    [calls, OPENS, HELPERS, METHODS].some((pattern) => pattern.test(line));
}
