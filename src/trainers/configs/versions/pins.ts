/**
 * Versions that a project's files pin: requirements, lock files, pyproject.toml. Lines are looked at one by one, since
 * only `name==version` and its like are wanted of them; ranges name no version.
 *
 * @module
 */

/** A version and the one-based line that has it. */
export interface Pin {
  readonly version: string;
  readonly line: number;
}

const VERSION = String.raw`v?\d[\w.!+-]*`;

/** A distribution's name as PyPI compares it: `ms_swift` and `MS-Swift` are one. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

/** The version that a file pins of a distribution; undefined if it has none, or a range. */
export function findPin(text: string, file: string, distribution: string): Pin | undefined {
  const name = normalizedName(distribution).replaceAll("-", "[-_.]+");
  return /\.lock$/.test(file) ? findLocked(text, name) : findRequired(text, name);
}

/** `[[package]]` tables of uv.lock and poetry.lock. */
function findLocked(text: string, name: string): Pin | undefined {
  const found = new RegExp(`^name = "${name}"\\r?\\nversion = "(${VERSION})"`, "im").exec(text);
  return found?.[1] === undefined ? undefined : { version: found[1], line: lineAt(text, found.index) + 1 };
}

/** `trl==1.16.0`, `"verl[vllm] == 0.9.1"`, `verl @ git+…@v0.9.1`, and Poetry's `trl = "1.16.0"`. */
function findRequired(text: string, name: string): Pin | undefined {
  const extras = String.raw`(?:\[[^\]]*\])?`;
  const forms = [
    `^\\s*["']?${name}${extras}\\s*===?\\s*(${VERSION})`,
    `["']${name}${extras}\\s*===?\\s*(${VERSION})`,
    `^\\s*["']?${name}${extras}\\s*@\\s*\\S+@(v?\\d+\\.\\d[\\w.]*)`,
    `^\\s*${name}\\s*=\\s*["']=*\\s*(${VERSION})["']`,
    `^\\s*${name}\\s*=\\s*\\{[^}]*\\b(?:version|tag)\\s*=\\s*["']=*\\s*(${VERSION})["']`,
  ];
  for (const [at, line] of text.split("\n").entries()) {
    for (const form of forms) {
      const [, version] = new RegExp(form, "i").exec(line) ?? [];
      if (version !== undefined) return { version: version.replace(/^v/, ""), line: at + 1 };
    }
  }
  return undefined;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
