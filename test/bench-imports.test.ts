import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const BENCH = fileURLToPath(new URL("../bench", import.meta.url));

interface Import {
  readonly place: string;
  /** Relative to dist/. */
  readonly path: string;
  readonly names: readonly string[];
}

/** `const { a, b } = await load("…")`, with `load`, `built` or `import`, over the modules that `npm run build` makes. */
function listImports(file: string): Import[] {
  const source = readFileSync(`${BENCH}/${file}`, "utf8");
  const [, whole] = /const built = new URL\("\.\.\/dist\/([^"]+)"/.exec(source) ?? [];
  const found = source.matchAll(
    /(?:const \{([^}]*)\} = )?await (?:load|built|import)\(\s*(?:"([^"]+)"|(built)\.href|new URL\("\.\.\/dist\/([^"]+)")/g,
  );
  return [...found].map(([, names = "", named, isWhole, located]) => {
    const path = (isWhole ? whole : (located ?? named)) ?? "";
    return {
      place: `bench/${file}`,
      path: path.endsWith(".js") ? path : `${path}.js`,
      names: names
        .split(",")
        .map((name) => name.trim().split(":")[0] as string)
        .filter((name) => name !== "" && !name.startsWith("...")),
    };
  });
}

const files = readdirSync(BENCH, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".mjs"),
);
const imports = files.flatMap(listImports);

// Benchmarks are not run by `npm test`, and no compiler checks what they load: one stayed broken through two moves of
// folders.
it("finds what the benchmarks load from the build", () => {
  expect(imports.length).toBeGreaterThanOrEqual(12);
});

it.each(imports)("$place loads $path", async ({ path, names }) => {
  const module = (await import(new URL(`../dist/${path}`, import.meta.url).href)) as Record<string, unknown>;
  expect(names.filter((name) => module[name] === undefined)).toEqual([]);
});
