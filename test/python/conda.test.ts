/** The conda recipe, rendered for each platform by the library that builds it. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, it } from "vitest";
import { preparePython } from "../../scripts/support/python.mjs";
import { ROOT } from "../support/run-cli.ts";

/** The first run installs the library. */
const INSTALL_MS = 900_000;
const RENDER = `
import json, sys
from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig
config = RenderConfig(PlatformConfig(target_platform=sys.argv[2], experimental=True))
(rendered,) = Stage0Recipe.from_file(sys.argv[1]).render(VariantConfig(), config)
print(json.dumps(rendered.recipe.to_dict()))
`;

interface Recipe {
  readonly package: { readonly name: string; readonly version: string };
  readonly requirements: { readonly run: readonly string[] };
  readonly about: { readonly license: string; readonly summary: string };
}

const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const manifest = JSON.parse(read("package.json")) as {
  readonly version: string;
  readonly description: string;
  readonly engines: { readonly node: string };
};
const { project } = parse(read("python/pyproject.toml")) as unknown as {
  readonly project: {
    readonly license: string;
    readonly dependencies: readonly string[];
    readonly "requires-python": string;
  };
};

const { python, skipped } = await preparePython("conda");
if (skipped !== undefined) console.warn(`SKIPPED: the conda recipe: ${skipped}`);

it.skipIf(skipped !== undefined).each(["linux-64", "linux-aarch64", "osx-arm64", "win-64"])(
  "says of %s what the manifests say",
  (platform) => {
    const recipe = join(ROOT, "python/conda/recipe.yaml");
    const printed = execFileSync(python!, ["-c", RENDER, recipe, platform], { encoding: "utf8" });
    const rendered = JSON.parse(printed) as Recipe;
    expect(rendered.package).toEqual({ name: "logratio", version: manifest.version });
    expect(rendered.about).toMatchObject({ license: project.license, summary: manifest.description });
    expect([...rendered.requirements.run].sort()).toEqual([
      `nodejs ${manifest.engines.node}`,
      project.dependencies.find((name) => name.startsWith("numpy"))!.replace(">=", " >="),
      `python ${project["requires-python"]}`,
    ]);
  },
  INSTALL_MS,
);
