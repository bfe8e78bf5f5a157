import type { CallToolResult } from "@modelcontextprotocol/server";
import { FormatError, isLogratioError, LimitError, type LogratioError } from "../../core/base/index.ts";
import { admitPath, type Roots } from "./roots.ts";
import { runVerb, type VerbOutcome } from "./run-verb.ts";
import { selectParts } from "./select-parts.ts";
import type { CommandLine, Tool } from "./tools.ts";

export interface CallContext {
  readonly roots: Roots;
  readonly program: string;
  readonly seconds: number;
  readonly memory?: string;
}

/** No result of a verb comes near it; a query that selects everything does. */
const MOST_CHARACTERS = 64 * 2 ** 20;

/**
 * Runs the verb of a tool and answers with its result; what a verb refuses is an answer too, with the message that a
 * person would read.
 */
export async function callTool(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  context: CallContext,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const args = await toArguments(tool.command(input as never), context);
    const limits = { seconds: context.seconds, characters: MOST_CHARACTERS };
    const outcome = await runVerb(context.program, args, limits, signal);
    return answer(tool, input, readResult(outcome, context), outcome);
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    return refuse(formatRefusal(error));
  }
}

async function toArguments(line: CommandLine, { roots, memory }: CallContext): Promise<string[]> {
  const byFlag = Object.entries(line.readsByFlag ?? {});
  return [
    ...line.flags,
    ...(await Promise.all(byFlag.map(async ([name, path]) => `--${name}=${await admitPath(path, roots)}`))),
    ...(memory === undefined ? [] : [`--memory=${memory}`]),
    "--json",
    "--",
    ...(line.before ?? []),
    ...(await Promise.all(line.reads.map((path) => admitPath(path, roots)))),
    ...(line.after ?? []),
  ];
}

/**
 * What the verb printed, or nothing where it refused.
 *
 * @throws LimitError when it was stopped
 */
function readResult(
  { out, stopped }: VerbOutcome,
  { seconds }: CallContext,
): Readonly<Record<string, unknown>> | undefined {
  if (stopped === "size") {
    throw new LimitError("the result is larger than 64 MB", {
      hint: "fewer steps, a filter, or a limit in the query",
    });
  }
  if (stopped !== undefined) {
    throw new LimitError(
      stopped === "time" ? `stopped after ${seconds} s` : "stopped: the client canceled it",
      {
        hint: "fewer steps (steps), or a longer time: logratio mcp --timeout SECONDS",
      },
    );
  }
  if (out === "") return undefined;
  try {
    return JSON.parse(out) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new FormatError("the verb's result is no JSON", { cause });
  }
}

function answer(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  result: Readonly<Record<string, unknown>> | undefined,
  { status, err }: VerbOutcome,
): CallToolResult {
  if (result === undefined)
    return refuse(err.trim() || `the verb ended with status ${status} and said nothing`);
  const { parts, rows } = input as { readonly parts?: readonly string[]; readonly rows: number };
  const content = {
    exit_status: status,
    ...selectParts(result, { parts, heavy: tool.heavy, rows }),
    messages: err.trim(),
  };
  return { content: [{ type: "text", text: JSON.stringify(content) }], structuredContent: content };
}

function refuse(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function formatRefusal({ message, hint }: LogratioError): string {
  return hint === undefined ? message : `${message}\n  try     ${hint}`;
}
