/** Parses the files that only GitHub reads, and checks them against what they name in the repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const GITHUB = join(ROOT, ".github");
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
};

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly "runs-on": string;
  readonly "timeout-minutes": number;
  readonly strategy?: {
    readonly matrix: { readonly os: readonly string[]; readonly node: readonly number[] };
  };
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly type: string; readonly id?: string; readonly attributes: object }[];
}

/** Throws for duplicate keys, and for anything else that YAML does not allow. */
function read<T>(...path: string[]): T {
  return parse(readFileSync(join(GITHUB, ...path), "utf8"), { strict: true, uniqueKeys: true }) as T;
}

describe.each(readdirSync(join(GITHUB, "workflows")))("workflows/%s", (name) => {
  const workflow = read<Workflow>("workflows", name);
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it("says when it runs, reads only, and ends", () => {
    expect(workflow.on).toBeTypeOf("object");
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });

  it("pins every action by its major version", () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^actions\/[a-z-]+@v\d+$/);
  });

  it("runs scripts that package.json has", () => {
    const scripts = steps.flatMap(({ run }) => /^npm run ([\w:]+)/.exec(run ?? "")?.[1] ?? []);
    expect(scripts.filter((script) => manifest.scripts[script] === undefined)).toEqual([]);
    const files = steps.flatMap(({ run }) => /^(\.ci\/\w+)/.exec(run ?? "")?.[1] ?? []);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

it("tests on three systems with three versions of Node, from the oldest that is supported", () => {
  const { matrix } = Object.values(read<Workflow>("workflows", "test.yml").jobs).find(
    ({ strategy }) => strategy !== undefined,
  )!.strategy!;
  expect(matrix.os).toEqual(["ubuntu-latest", "macos-latest", "windows-latest"]);
  expect(matrix.node).toEqual([20, 22, 24]);
  expect(manifest.engines.node).toMatch(new RegExp(`^>=${matrix.node[0]}\\.`));
});

describe("workflows/python.yml", () => {
  const { jobs } = read<{
    readonly jobs: {
      readonly tests: {
        readonly strategy: {
          readonly matrix: {
            readonly include: readonly { readonly python: string; readonly numpy: string }[];
          };
        };
      };
    };
  }>("workflows", "python.yml");
  const tested = jobs.tests.strategy.matrix.include;
  const { project } = parseToml(readFileSync(join(ROOT, "python/pyproject.toml"), "utf8")) as unknown as {
    readonly project: {
      readonly classifiers: readonly string[];
      readonly dependencies: readonly string[];
      readonly "requires-python": string;
    };
  };

  it("tests every Python that the package's page names, from the oldest that pip installs it on", () => {
    const named = project.classifiers.flatMap(
      (classifier) => /^Programming Language :: Python :: (3\.\d+)$/.exec(classifier)?.[1] ?? [],
    );
    expect(tested.map(({ python }) => python)).toEqual(named);
    expect(project["requires-python"]).toBe(`>=${named[0]}`);
  });

  it("tests the oldest numpy that the package accepts", () => {
    const oldest = project.dependencies.find((name) => name.startsWith("numpy"))!.replace("numpy>=", "");
    expect(tested[0]!.numpy).toBe(`${oldest}.*`);
  });
});

describe.each(readdirSync(join(GITHUB, "ISSUE_TEMPLATE")).filter((name) => name !== "config.yml"))(
  "ISSUE_TEMPLATE/%s",
  (name) => {
    const form = read<Form>("ISSUE_TEMPLATE", name);

    it("is a form: a name, a description, fields with names of their own", () => {
      expect(form.name).not.toBe("");
      expect(form.description).not.toBe("");
      const fields = form.body.filter(({ type }) => type !== "markdown");
      expect(fields.length).toBeGreaterThan(0);
      for (const { type, attributes } of fields) {
        expect(["input", "textarea", "dropdown", "checkboxes"]).toContain(type);
        expect(attributes).toHaveProperty("label");
      }
      const ids = fields.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });
  },
);
