/** The CI integrations: their YAML, and their shell code run with the built program. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DEMO = join(ROOT, "examples/demo/stale");
const COMMAND = `${process.execPath} ${join(ROOT, "bin/logratio.js")}`;
const read = (name: string): string => readFileSync(join(ROOT, "integrations", name), "utf8");

let folder: string | undefined;
const place = (name: string): string => join(folder!, name);
const clean = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
};
beforeEach(() => {
  clean();
  folder = mkdtempSync(join(tmpdir(), "integrations-"));
});
afterAll(clean);

interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

function runShell(shell: "bash" | "sh", script: string, env: Readonly<Record<string, string>>): Ran {
  // As GitHub and GitLab start theirs: the shell stops at the first command that fails.
  const flags = shell === "bash" ? ["--noprofile", "--norc", "-eo", "pipefail", "-c"] : ["-e", "-c"];
  const { status, stdout, stderr } = spawnSync(shell, [...flags, script], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", LANG: "C.UTF-8", ...env },
  });
  return { status, out: stdout, err: stderr };
}

describe("the GitHub action", () => {
  interface Action {
    readonly name: string;
    readonly description: string;
    readonly inputs: Readonly<
      Record<string, { readonly description: string; readonly required?: boolean; readonly default?: string }>
    >;
    readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
    readonly runs: {
      readonly using: string;
      readonly steps: readonly {
        readonly id: string;
        readonly shell: string;
        readonly env: Readonly<Record<string, string>>;
        readonly run: string;
      }[];
    };
  }
  const action = parse(read("github/action.yml"), { uniqueKeys: true }) as Action;
  const [step] = action.runs.steps as [Action["runs"]["steps"][number]];

  it("has what GitHub asks of a composite action, and refers only to what it has", () => {
    expect(Object.keys(action).sort()).toEqual([
      "author",
      "branding",
      "description",
      "inputs",
      "name",
      "outputs",
      "runs",
    ]);
    expect(action.runs.using).toBe("composite");
    expect(step.shell).toBe("bash");
    const text = read("github/action.yml");
    const named = [...text.matchAll(/\$\{\{\s*inputs\.([a-z-]+)\s*\}\}/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(action.inputs).sort());
    for (const { description, required, default: value } of Object.values(action.inputs)) {
      expect(description).not.toBe("");
      // An input without a value would be accepted and be empty.
      expect(required === true || typeof value === "string").toBe(true);
    }
    for (const [name, { value }] of Object.entries(action.outputs)) {
      expect(value).toBe(`\${{ steps.${step.id}.outputs.${name} }}`);
      expect(step.run).toContain(`'${name}=`);
    }
    // An expression in the script would run a stranger's text.
    expect(step.run).not.toContain("${{");
    const used = [...step.run.matchAll(/\$\{?(INPUT_[A-Z_]+)/g)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(Object.keys(step.env).sort());
  });

  it("has a script that bash reads", () => {
    expect(spawnSync("bash", ["-n", "-c", step.run], { encoding: "utf8" }).stderr).toBe("");
  });

  const run = (inputs: Readonly<Record<string, string>>): Ran & { summary: string; output: string } => {
    const values = {
      ...Object.fromEntries(
        Object.entries(action.inputs).map(([name, { default: value = "" }]) => [name, value]),
      ),
      command: COMMAND,
      ...inputs,
    };
    const env = Object.fromEntries(
      Object.entries(step.env).map(([name, text]) => [
        name,
        text.replace(
          /^\$\{\{ inputs\.([a-z-]+) \}\}$/,
          (_, input: string) => values[input as keyof typeof values] as string,
        ),
      ]),
    );
    const [summary, output] = [place("summary.md"), place("output")];
    const ran = runShell("bash", step.run, {
      ...env,
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: output,
    });
    const text = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    return { ...ran, summary: text(summary), output: text(output) };
  };

  it("passes, with a summary, a test report and its outputs", () => {
    const { status, summary, output, out, err } = run({
      paths: `${DEMO}\n`,
      limits: "delta_abs_mean <= 0.1\n\nk3 <= 0.5\n",
    });
    expect([status, output]).toEqual([0, "passed=true\njunit=logratio-gate.xml\n"]);
    expect(summary).toMatch(/^### Gate of `stale`: passed\n/);
    expect(out).toBe(summary);
    expect(err).not.toContain("::error");
    expect(readFileSync(place("logratio-gate.xml"), "utf8")).toContain('failures="0"');
  });

  it("fails with annotations, and still keeps summary and outputs", () => {
    const { status, summary, output, err } = run({ paths: DEMO, limits: "delta_abs_mean <= 0.000001" });
    expect([status, output]).toEqual([1, "passed=false\njunit=logratio-gate.xml\n"]);
    expect(summary).toMatch(/^### Gate of `stale`: failed\n/);
    expect(err).toMatch(/^::error title=logratio gate%3A delta_abs_mean::/m);
  });

  it("takes inputs as data, whatever is in them", () => {
    const { status, err, output } = run({
      paths: `$(touch ${place("hacked")}); \`touch ${place("hacked")}\``,
      limits: `k3 <= 1; touch ${place("hacked")}`,
    });
    expect([status, output]).toEqual([2, "passed=false\njunit=logratio-gate.xml\n"]);
    expect(err).toContain("is not a finite number");
    expect(existsSync(place("hacked"))).toBe(false);
  });

  it("judges by a baseline of the repository", () => {
    const runs = ["a", "b", "c"].map((name) => place(`${name}.json`));
    const report = runShell("bash", `${COMMAND} report ${DEMO} --json`, {}).out;
    runs.forEach((file, at) => {
      writeFileSync(file, report.replace(/"delta_abs_mean":[0-9.e-]+/, `"delta_abs_mean":0.00${39 + at}`));
    });
    const learned = runShell(
      "bash",
      `${COMMAND} gate ${runs.join(" ")} --update --against base.yaml --metrics delta_abs_mean,k3`,
      {},
    );
    expect(learned.status).toBe(0);
    expect(run({ paths: DEMO, against: "base.yaml" })).toMatchObject({ status: 0 });
    const { status, err } = run({ paths: DEMO, against: "nowhere.yaml" });
    expect(status).toBe(3);
    expect(err).toContain("there is no baseline nowhere.yaml");
  });
});

describe("the GitLab template", () => {
  const template = parse(read("gitlab/gate.yml"), { uniqueKeys: true }) as {
    readonly "logratio-gate": {
      readonly variables: Readonly<Record<string, string>>;
      readonly script: readonly [string];
      readonly artifacts: { readonly paths: readonly string[]; readonly reports: { readonly junit: string } };
      readonly allow_failure: { readonly exit_codes: readonly number[] };
    };
  };
  const { variables, script, artifacts, allow_failure: allowed } = template["logratio-gate"];

  it("is one job with variables that its script reads, and keeps what that writes", () => {
    expect(Object.keys(template)).toEqual(["logratio-gate"]);
    const used = [...script[0].matchAll(/\$(LOGRATIO_[A-Z_]+)/g)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(Object.keys(variables).sort());
    for (const path of artifacts.paths) expect(script[0]).toContain(path);
    expect(artifacts.paths).toContain(artifacts.reports.junit);
    expect(allowed.exit_codes).toEqual([4]);
    expect(spawnSync("sh", ["-n", "-c", script[0]], { encoding: "utf8" }).stderr).toBe("");
  });

  it.each([
    ["delta_abs_mean <= 0.1\nk3 <= 0.5", 0],
    ["delta_abs_mean <= 0.000001", 1],
  ])("judges by %j with status %i, and leaves its artifacts", (limits, wanted) => {
    const { status, out } = runShell("sh", script[0], {
      ...variables,
      LOGRATIO_COMMAND: COMMAND,
      LOGRATIO_PATHS: DEMO,
      LOGRATIO_LIMITS: limits,
    });
    expect(status).toBe(wanted);
    expect(out).toContain(wanted === 0 ? "PASSED" : "FAILED");
    for (const path of artifacts.paths) expect(existsSync(place(path))).toBe(true);
  });
});

const PYTHON = process.env.LOGRATIO_PYTHON ?? "python3";
const CHECKER = ["-m", "check_jsonschema"];
const hasChecker = spawnSync(PYTHON, [...CHECKER, "--version"]).status === 0;
if (!hasChecker)
  console.warn(
    `SKIPPED: integrations and workflows against their published schemas: ${PYTHON} has no check-jsonschema (LOGRATIO_PYTHON)`,
  );

describe.skipIf(!hasChecker)("the published schema", () => {
  const FILES: readonly [schema: string, file: string, flags: readonly string[]][] = [
    ["github-actions", "integrations/github/action.yml", []],
    ["gitlab-ci", "integrations/gitlab/gate.yml", ["--data-transform", "gitlab-ci"]],
    ...readdirSync(join(ROOT, ".github/workflows")).map(
      (name) => ["github-workflows", `.github/workflows/${name}`, []] as [string, string, string[]],
    ),
  ];
  /** Uses the installed package, so that nothing is fetched. */
  const check = (schema: string, flags: readonly string[], file: string): string => {
    const words = [...CHECKER, "--builtin-schema", `vendor.${schema}`, ...flags, file];
    const { status, stdout, stderr } = spawnSync(PYTHON, words, { encoding: "utf8" });
    return status === 0 ? "ok" : stdout + stderr;
  };

  it.each(FILES)("%s takes %s, and refuses it with a key misspelled", (schema, file, flags) => {
    expect(check(schema, flags, join(ROOT, file))).toBe("ok");
    const broken = place("broken.yml");
    const text = readFileSync(join(ROOT, file), "utf8");
    const changed = text.replace(/^( *)(script|runs-on|using):/m, "$1$2s:");
    expect(changed).not.toBe(text);
    writeFileSync(broken, changed);
    expect(check(schema, flags, broken)).toContain("Schema validation errors were encountered");
  });
});
