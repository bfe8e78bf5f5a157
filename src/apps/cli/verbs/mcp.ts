import type { McpCommandOptions } from "../commands/mcp.ts";
import type { Verb } from "./verb.ts";

export const mcp: Verb<[roots: string[]], McpCommandOptions> = {
  name: "mcp",
  summary: "for agents",
  description:
    "let an agent read runs: a read-only Model Context Protocol server on standard input and output",
  arguments: [
    {
      syntax: "[root...]",
      meaning:
        "directories, files and addresses that the agent may read, including everything below them (default: .)",
    },
  ],
  examples: [
    { line: "logratio mcp dumps/", shows: "the command to give to the agent's program" },
    {
      line: "logratio mcp s3://runs/grpo-7b/ configs/",
      shows: "a run in a bucket, and its configs",
    },
  ],
  addOptions: (command) =>
    command
      .option("--timeout <seconds>", "stop a tool that takes longer (default 600)")
      .option("--memory <mib>", "memory for decoded data of each tool in MiB"),
  async run([roots], options) {
    const { mcp } = await import("../commands/mcp.ts");
    return mcp(roots, options);
  },
};
