import { positiveInteger, UnsupportedError } from "../../../core/base/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { packageVersion } from "../package-version.ts";

export interface McpCommandOptions {
  readonly timeout?: string;
  readonly memory?: string;
}

const SECONDS = 600;

/** Serves the read-only verbs to an agent, until it closes standard input. */
export async function mcp(
  roots: readonly string[],
  { timeout, memory }: McpCommandOptions,
): Promise<ExitStatus> {
  const seconds = timeout === undefined ? SECONDS : positiveInteger("--timeout", timeout);
  if (memory !== undefined) positiveInteger("--memory", memory);
  const { serveMcp } = await loadServer();
  await serveMcp({
    roots: roots.length === 0 ? ["."] : roots,
    program: process.argv[1]!,
    version: packageVersion(),
    seconds,
    ...(memory !== undefined && { memory }),
  });
  return EXIT.fine;
}

/** @throws UnsupportedError if npm left out the protocol's library */
async function loadServer(): Promise<typeof import("../../mcp/serve-mcp.ts")> {
  try {
    return await import("../../mcp/serve-mcp.ts");
  } catch (cause) {
    // The first code comes from `import`, the second from `require`, which the bundled program uses.
    const isMissing = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(
      (cause as { code?: string }).code ?? "",
    );
    if (!isMissing) throw cause;
    throw new UnsupportedError(
      "mcp needs the packages @modelcontextprotocol/server and zod, which are not installed",
      {
        cause,
        likely: "npm left optional packages out (--omit=optional)",
        hint: "npm install @modelcontextprotocol/server zod, or run it from npm: npx logratio mcp",
      },
    );
  }
}
