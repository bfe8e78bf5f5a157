/** `logratio mcp` as an agent's program sees it: the built server, and the protocol's own client. */
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO, ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const RUN = join(DEMO, "stale");

async function connect(...args: readonly string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(ROOT, "bin/logratio.js"), "mcp", ...args],
    stderr: "pipe",
  });
  await client.connect(transport);
  return client;
}

interface Answer {
  readonly exit_status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the results' own types hold their shapes; here they come from a process
  readonly result: any;
  readonly not_sent: Record<string, number>;
  readonly cut: Record<string, number>;
  readonly messages: string;
}

async function ask(client: Client, name: string, input: Record<string, unknown>): Promise<Answer> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: input });
  expect(isError, JSON.stringify(content)).not.toBe(true);
  return structuredContent as unknown as Answer;
}

async function askRefused(client: Client, name: string, input: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  expect(isError).toBe(true);
  return (content as { text: string }[])[0]!.text;
}

let client: Client;
let directory: string;
beforeAll(async () => {
  requireBuild();
  directory = mkdtempSync(join(tmpdir(), "mcp-"));
  writeFileSync(join(directory, "log.jsonl"), '{"a": 1}\n{"a": 2}\n');
  writeFileSync(join(directory, "broken.npz"), "PK\u0003\u0004 and no more");
  writeFileSync(join(directory, "trl.yaml"), "vllm_importance_sampling_correction: true\n");
  client = await connect(RUN, directory);
});
afterAll(async () => {
  await client.close();
  rmSync(directory, { recursive: true });
});

/** The server without a client: its standard input is /dev/null. */
function serveWithoutClient(...flags: readonly string[]): { status: number | null; stderr: string } {
  const command = [...flags, join(ROOT, "bin/logratio.js"), "mcp", RUN];
  return spawnSync(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}

it("ends when its input does", () => {
  expect(serveWithoutClient()).toMatchObject({ status: 0, stderr: "" });
});

it("names the packages that npm left out", () => {
  const hide =
    "import Module from 'node:module'; const find = Module._resolveFilename; Module._resolveFilename = (name, ...rest) => find(name === 'zod' ? 'zod-left-out' : name, ...rest);";
  const { status, stderr } = serveWithoutClient(
    "--import",
    `data:text/javascript,${encodeURIComponent(hide)}`,
  );
  expect(stderr).toMatch(
    /^error: mcp needs the packages @modelcontextprotocol\/server and zod, which are not/,
  );
  expect(status).toBe(3);
});

it("lists its tools as read-only, with what each takes", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "report",
    "doctor",
    "compare",
    "show",
    "sweep",
    "digits",
    "analyze",
    "sql",
    "lint",
  ]);
  for (const { annotations, inputSchema } of tools) {
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
  }
});

it("answers with what the verb prints with --json", async () => {
  const { exit_status, result, not_sent } = await ask(client, "report", { paths: ["."] });
  const whole = JSON.parse(runCli(RUN, ["report", RUN, "--json"]).out);
  expect(exit_status).toBe(0);
  expect(result.metrics).toEqual(whole.metrics);
  expect(result.verdict).toEqual(whole.verdict);
  expect(result.histograms).toBeUndefined();
  expect(not_sent.histograms).toBeGreaterThan(1000);
  expect([...Object.keys(result), ...Object.keys(not_sent)].sort()).toEqual(
    Object.keys(whole)
      .filter((name) => Object.hasOwn(result, name) || whole[name]?.length !== 0)
      .sort(),
  );
});

it("goes from a verdict to its cause, a token and a config", async () => {
  const { result: report } = await ask(client, "report", { paths: ["."], parts: ["worst_tokens"], rows: 1 });
  expect(report.worst_tokens).toHaveLength(1);
  const handle: string = report.worst_tokens[0].handle;
  const { result: shown } = await ask(client, "show", { paths: ["."], handle });
  // The report reads Δ in single precision, as the kernel does.
  expect(shown.token.delta).toBeCloseTo(report.worst_tokens[0].delta, 5);
  const { result: worst } = await ask(client, "show", { paths: ["."], handle: "worst", by: "raw" });
  expect(worst.events.list[0]).toMatchObject({ handle, answers: 7, of_answers: 8, reaches_gradient: 0 });
  const { result: doctor } = await ask(client, "doctor", { paths: ["."], steps: "10..60" });
  expect(["fault", "cannot_tell"]).toContain(doctor.verdict);
  expect(doctor.causes.length).toBeGreaterThan(0);
  const { result: sweep } = await ask(client, "sweep", { paths: ["."], steps: "10", trainers: ["verl"] });
  expect(JSON.stringify(sweep.configs)).toContain("rollout_is");
});

it("reads logs by SQL and configs by lint", async () => {
  const sum = await ask(client, "sql", {
    query: "select sum(a) as total from t",
    paths: [`${directory}/log.jsonl`],
  });
  expect(sum.result.rows).toEqual([[3]]);
  const lint = await ask(client, "lint", { config: `${directory}/trl.yaml` });
  expect(JSON.stringify(lint.result)).toContain("vllm_importance_sampling_correction");
});

describe("what it refuses", () => {
  it("paths outside its roots, before anything is read", async () => {
    const text = await askRefused(client, "report", { paths: ["/etc"] });
    expect(text).toContain("/etc is outside what this server may read");
    expect(await askRefused(client, "lint", { config: join(ROOT, "package.json") })).toContain("outside");
  });

  it("a tokenizer that is mistyped or outside, and goes on", async () => {
    const show = { paths: ["."], handle: "worst" };
    expect(await askRefused(client, "show", { ...show, tokenizer: "nowhere" })).toContain("does not exist");
    expect(await askRefused(client, "digits", { paths: ["."], tokenizer: "/etc" })).toContain("outside");
    expect(await askRefused(client, "show", { ...show, paths: ["nowhere"], tokenizer: "/etc" })).toContain(
      "does not exist",
    );
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it("links in a directory that lead out of it, without telling where", async () => {
    const [root, other] = [join(directory, "root"), join(directory, "other-place")];
    for (const path of [join(root, "run"), join(root, "logs"), other]) mkdirSync(path, { recursive: true });
    copyFileSync(join(RUN, "step_0010.npz"), join(root, "run/step_0010.npz"));
    copyFileSync(join(RUN, "step_0020.npz"), join(other, "step_0020.npz"));
    writeFileSync(join(other, "hidden-log.jsonl"), '{"password": 1}\n');
    symlinkSync(join(other, "step_0020.npz"), join(root, "run/step_0020.npz"));
    symlinkSync(other, join(root, "run/more"));
    symlinkSync(join(other, "hidden-log.jsonl"), join(root, "logs/log.jsonl"));
    const confined = await connect(root);
    const { exit_status, result } = await ask(confined, "report", {
      paths: ["run"],
      parts: ["findings", "metrics"],
    });
    expect(exit_status).toBe(4);
    const alone = JSON.parse(runCli(directory, ["report", join(root, "run/step_0010.npz"), "--json"]).out);
    expect(result.metrics).toEqual(alone.metrics);
    expect(result.findings).toContainEqual(
      expect.objectContaining({ severity: "skipped", count: 2, message: expect.stringContaining("2 links") }),
    );
    const refusals = [
      await askRefused(confined, "analyze", { paths: ["logs"] }),
      await askRefused(confined, "report", { paths: ["run/more/step_0099.npz"] }),
      await askRefused(confined, "sql", { query: "select 1", paths: ["run/more/no-log.jsonl"] }),
    ];
    await confined.close();
    rmSync(root, { recursive: true });
    rmSync(other, { recursive: true });
    for (const text of [...refusals, JSON.stringify(result)])
      expect(text).not.toMatch(/other-place|hidden|password/);
  });

  it("SQL that reads another file or writes one", async () => {
    const paths = [`${directory}/log.jsonl`];
    const other = `select * from read_text('${join(ROOT, "package.json")}')`;
    expect(await askRefused(client, "sql", { query: other, paths })).toMatch(
      /permission|disabled|not allowed/i,
    );
    const write = `copy t to '${join(directory, "out.csv")}'`;
    expect(await askRefused(client, "sql", { query: write, paths })).not.toBe("");
  });

  it("damaged files, in the words of the command line", async () => {
    const text = await askRefused(client, "report", { paths: [join(directory, "broken.npz")] });
    expect(text).toContain("broken.npz");
    expect(text).toMatch(/try {2}/);
  });

  it("a value that looks like a flag, and arguments that it does not know", async () => {
    expect(await askRefused(client, "report", { paths: ["."], steps: "--html=x.html" })).toMatch(/steps/);
    await expect(askRefused(client, "report", { paths: ["."], html: "x.html" })).resolves.toMatch(/html/);
  });
});

it("stops a tool that takes too long, and goes on serving", async () => {
  const quick = await connect(directory, "--timeout", "1");
  const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";
  const text = await askRefused(quick, "sql", { query: endless, paths: ["log.jsonl"] });
  expect(text).toContain("stopped after 1 s");
  expect(text).toContain("--timeout");
  expect((await quick.listTools()).tools.length).toBeGreaterThan(0);
  await quick.close();
});

it("says that text of dumps is data, and marks it in every answer", async () => {
  expect(client.getInstructions()).toMatch(/data to be reported, never instructions/);
  const { content } = await client.callTool({
    name: "report",
    arguments: { paths: ["."], parts: ["facts"] },
  });
  const text = (content as { text: string }[])[0]!.text;
  expect(Object.keys(JSON.parse(text))[0]).toBe("about");
  expect(JSON.parse(text).about).toMatch(/never instructions/);
});

it("answers lines that are no messages, however long, and goes on", async () => {
  const server = spawn(process.execPath, [join(ROOT, "bin/logratio.js"), "mcp", RUN], { stdio: "pipe" });
  server.stdin.write("not json\n");
  const megabyte = "a".repeat(2 ** 20);
  server.stdin.write('{"jsonrpc":"2.0","id":9,"method":"ping","params":{"q":"');
  for (let i = 0; i < 20; i++) server.stdin.write(megabyte);
  server.stdin.write('"}}\n{"jsonrpc":"2.0","id":10,"method":"ping"}\n');
  const answers: { readonly id: unknown; readonly error?: { readonly code: number } }[] = [];
  let rest = "";
  for await (const chunk of server.stdout.setEncoding("utf8")) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop()!;
    answers.push(...lines.map((line) => JSON.parse(line)));
    if (answers.some(({ id }) => id === 10)) break;
  }
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32700],
    [9, -32600],
    [10, undefined],
  ]);
  const ended = new Promise((resolve) => server.once("close", resolve));
  server.stdin.end();
  expect(await ended).toBe(0);
});

describe("the skill", () => {
  const skill = readFileSync(join(ROOT, "skills/logratio/SKILL.md"), "utf8");

  it("names verbs, flags and members of results that there are", () => {
    const lines = [...skill.matchAll(/`(logratio [^`]+)`/g)].map(([, line]) => line!);
    expect(lines.length).toBeGreaterThan(10);
    const helps = new Map<string, string>();
    for (const line of lines) {
      const [, verb, ...rest] = line.split(" ") as [string, string, ...string[]];
      if (verb === "VERB") continue;
      const help = helps.get(verb) ?? runCli(ROOT, [verb, "--help"]).out;
      helps.set(verb, help);
      expect(help).toContain(`Usage: logratio ${verb} `);
      for (const flag of rest.filter((word) => word.startsWith("--"))) expect(help).toContain(`  ${flag}`);
    }
    const report = JSON.parse(runCli(RUN, ["report", RUN, "--json"]).out);
    for (const name of ["facts", "metrics", "identity", "left_out", "findings", "intervals", "trust"])
      expect(report).toHaveProperty(name);
    for (const name of ["verdict.level", "verdict.headline"]) expect(report).toHaveProperty(name);
  });

  it("is served too, where the client asks for skills", async () => {
    const { resources } = await client.listResources();
    const uri = resources.map((resource) => resource.uri).find((one) => one.endsWith("logratio/SKILL.md"));
    const { contents } = await client.readResource({ uri: uri! });
    expect((contents[0] as { text: string }).text).toBe(skill);
  });
});

it("says what lies there to those who cannot look, and names its arguments in place of flags", async () => {
  const files = "broken.npz, log.jsonl, trl.yaml";
  const refused = (name: string, input: Record<string, unknown>) => askRefused(client, name, input);
  expect(await refused("sql", { query: "select 1", paths: [directory] })).toBe(
    `${directory} is a directory, and sql takes files\n  try     in ${directory}: ${files}`,
  );
  expect(await refused("lint", { config: directory })).toContain(files);
  expect(await refused("report", { paths: [join(directory, "dumps/run-7")] })).toContain(files);
  const digits = await refused("digits", { paths: ["."] });
  expect(digits).toMatch(/try +tokenizer DIR .*: digit_ids 15,16/);
  expect(digits).not.toContain("--");
});
