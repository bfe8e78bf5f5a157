import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What only `src/core/text` may do, and the exceptions, with reasons. */
const RULES: readonly {
  readonly what: string;
  readonly pattern: RegExp;
  readonly except: readonly (readonly [path: RegExp, why: string])[];
}[] = [
  { what: "thousands separators: formatCount", pattern: /\.toLocaleString\(/, except: [] },
  {
    what: "decimals: formatNumber, formatCoefficient, formatFixed",
    pattern: /\.to(?:Fixed|Exponential)\(/,
    except: [
      [/^src\/render\/charts\/scale\.ts$/, "labels of an axis have the digits of its step"],
      [/^src\/study\/analysis\/first-error\/equations\.ts$/, "compares what a text states, digit by digit"],
      [/^src\/trainers\//, "writes config files in their own language"],
    ],
  },
  {
    // Within `Number(…)` it rounds a value that stays a number.
    what: "significant digits: formatNumber",
    pattern: /(?<!Number\([^`]*)\.toPrecision\(/,
    except: [],
  },
  {
    what: "per cent: formatShare, formatPlainShare",
    pattern: /\b100\b[^`\n]*\} %/,
    except: [
      [
        /^(?:src\/apps\/cli\/(?:score-)?progress|web\/src\/shell\/run-texts)\.ts$/,
        "a progress line counts whole per cent",
      ],
    ],
  },
  {
    what: "counted nouns: plural, countOf",
    pattern: /=== 1 \? "" : "s"/,
    except: [],
  },
  {
    what: "a formatter of its own: import one",
    pattern: /(?:function (?:percent|plural|counted|nats)\b|const (?:percent|plural|counted|nats) = \()/,
    except: [[/^web\/src\/ui\/report-table\.tsx$/, "the width of a bar, in CSS"]],
  },
];

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && path !== "src/core/text" && path !== "src/core/kernels/wasm/assembly")
      yield* sources(path);
    else if (/\.tsx?$/.test(path) && !/\.(?:test|test-data)\.ts$/.test(path)) yield path;
  }
}

describe("numbers in text come from one formatter", () => {
  const files = [...sources("src"), ...sources("web/src")].map((path) => ({
    path: relative(".", path),
    lines: readFileSync(join(ROOT, path), "utf8").split("\n"),
  }));

  it.each(RULES)("$what", ({ pattern, except }) => {
    const found = files.flatMap(({ path, lines }) =>
      except.some(([allowed]) => allowed.test(path))
        ? []
        : lines.flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it.each(RULES.flatMap(({ pattern, except }) => except.map(([path, why]) => ({ pattern, path, why }))))(
    "still needs its exception: $why",
    ({ pattern, path }) => {
      const needed = files.some(
        (file) => path.test(file.path) && file.lines.some((line) => pattern.test(line)),
      );
      expect(needed).toBe(true);
    },
  );
});
