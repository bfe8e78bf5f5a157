/**
 * Tables of configs and of what the linter says of them: one for each trainer, next to its config keys.
 *
 * @module
 */
import { describe, expect, it } from "vitest";
import type { LintedConfig, LintFinding } from "../../results/lint.ts";
import { PRESETS } from "../presets.ts";
import { lintConfig } from "./lint.ts";

/**
 * A finding as `severity code@line → advice`, the line left out where it has none, and words of its message or of its
 * reason. A code after `no ` must not be said.
 */
export type Saying = string | readonly [finding: string, ...words: RegExp[]];

export interface DialectTable {
  /** The release that all of it is about; the newest when absent. */
  readonly version?: string;
  /** The preset that its settings are read with, if it is another trainer's. */
  readonly preset?: string;
  /** What gives the format away, the config, and what is said of it. */
  readonly says: readonly (readonly [file: string, config: string, ...sayings: Saying[]])[];
  /** Keys that give the trainer away, and neighbors that do not. */
  readonly marks: readonly (readonly [counts: readonly string[], neighbors: readonly string[]])[];
  /** A key that is not enough alone, words in the file's text that make it enough, and words that do not. */
  readonly texts?: readonly [key: string, counts: readonly string[], neighbors: readonly string[]];
  /** Keys that are not settings of the preset, and what else the file has: a slip in one is told with the right name. */
  readonly known?: readonly (readonly [parent: string, names: readonly string[], beside: string])[];
}

export function lintTold(
  text: string,
  trainer: string,
  file = "config.yaml",
  version?: string,
): LintedConfig {
  const options = { file, presets: PRESETS, trainer, ...(version !== undefined && { version }) };
  const { configs } = lintConfig(text, options);
  expect(configs).toHaveLength(1);
  return configs[0]!;
}

const short = ({ severity, code, line, instead }: LintFinding): string =>
  `${severity} ${code}${line === undefined ? "" : `@${line}`}${instead === undefined ? "" : ` → ${instead}`}`;

/** Dotted keys as a YAML file. */
function nest(key: string, value = "1"): string {
  const parts = key.split(".");
  return `${parts.map((part, depth) => `${"  ".repeat(depth)}${part}:`).join("\n")} ${value}\n`;
}

function expectSaid({ findings }: LintedConfig, saying: Saying): void {
  const [wanted, ...words] = typeof saying === "string" ? ([saying] as const) : saying;
  const absent = /^no (\S+)$/.exec(wanted)?.[1];
  if (absent !== undefined) {
    expect(findings.filter(({ code }) => code === absent).map(short)).toEqual([]);
    return;
  }
  expect(findings.map(short)).toContain(wanted);
  const told = findings
    .filter((finding) => short(finding) === wanted)
    .map(({ message, why = "" }) => [message, why]);
  for (const each of words)
    expect(
      told.flat().some((text) => each.test(text)),
      `${each} in ${told.join("\n")}`,
    ).toBe(true);
}

/** A finding without words, or whose source names no place, helps nobody. */
function expectWords({ findings }: LintedConfig): void {
  for (const { message, why = "-", instead = "-", source = "- -" } of findings) {
    for (const words of [message, why, instead]) expect(words).toMatch(/\S/);
    expect(source).toMatch(/^\S+.*\S$/);
    expect(source).toMatch(/\w+[./ ]\w+|- -/);
  }
}

export function checkDialect(
  trainer: string,
  { version, preset = trainer, says, marks, texts, known = [] }: DialectTable,
): void {
  describe(`configs of ${trainer}${version === undefined ? "" : ` ${version}`}`, () => {
    it.each(says.map(([file, text, ...sayings]) => [file, text, sayings] as const))(
      "%s: %s",
      (file, text, sayings) => {
        const config = lintTold(text, trainer, file, version);
        for (const saying of sayings) expectSaid(config, saying);
        expectWords(config);
        expect(config.preset).toMatch(new RegExp(`^(${preset}|slime-mis)`));
      },
    );

    it("are known by their own keys, and not by neighbors of these", () => {
      for (const [counts, neighbors] of marks) {
        for (const key of counts)
          expect(lintTold(nest(key), trainer).because.join("\n"), key).toContain(`${key} (line`);
        for (const key of neighbors) expect(() => lintTold(nest(key), trainer), key).toThrow(/no setting of/);
      }
    });

    if (texts !== undefined)
      it("are known by what else the file says", () => {
        const [key, counts, neighbors] = texts;
        const lint = (words: string): readonly string[] => {
          const text = `# ${words}\n${nest(key)}`;
          return lintConfig(text, { file: "config.yaml", presets: PRESETS }).configs.map(
            (config) => config.trainer,
          );
        };
        for (const words of counts) expect(lint(words), words).toEqual([trainer]);
        for (const words of neighbors) expect(() => lint(words), words).toThrow(/no trainer is recognized/);
      });

    it.each(known)("know the keys in %s that are not settings", (parent, names, beside) => {
      for (const name of names) {
        const [right, slip] = [name, `${name.slice(0, -1)}${name.at(-1) === "q" ? "z" : "q"}`].map((last) =>
          parent === "" ? last : `${parent}.${last}`,
        );
        const codes = (key: string): string[] =>
          lintTold(`${beside}${nest(key)}`, trainer, undefined, version)
            .findings.filter((one) => one.key === key)
            .map(short);
        expect(codes(right!).filter((finding) => /misspelt|unknown-key/.test(finding))).toEqual([]);
        expect(codes(slip!).join("\n")).toContain(`→ ${right}`);
      }
    });
  });
}
