/**
 * The viewer for a run with only one policy's log-probs.
 *
 * @module
 */
import { inputWasSkipped } from "../../analyses/assessment/index.ts";
import { shellCommand, UsageError } from "../../core/base/index.ts";
import { policyPages } from "../viewer/policy/pages.ts";
import { type PolicyViewOptions, preparePolicy } from "../viewer/policy/prepare-policy.ts";
import { type ServerOptions, startPagesServer } from "../viewer/server/start-server.ts";
import { announceServer } from "./announce-server.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import { formatFailure, formatLine, tellFindings } from "./messages.ts";
import type { Terminal } from "./terminal.ts";
import { untilAborted } from "./until-interrupted.ts";

export interface ServePolicyOptions extends PolicyViewOptions {
  readonly server: Pick<ServerOptions, "port" | "host" | "token">;
  readonly open?: boolean | undefined;
  /** Given viewer flags that need both policies. */
  readonly unfit: readonly string[];
  readonly signal: AbortSignal;
}

/** @throws UsageError if such flags were given */
export async function servePolicy(
  paths: readonly string[],
  { server: wanted, open, unfit, signal, ...options }: ServePolicyOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (unfit.length > 0) {
    throw new UsageError(`${unfit.join(" and ")} cannot be used with one policy's log-probs only`, {
      hint: `leave it out; ${shellCommand("report", paths, ["--html", "report.html"])} writes one policy's figures as one page`,
    });
  }
  const view = await preparePolicy(paths, { ...options, isStopped: () => signal.aborted });
  if (signal.aborted) return EXIT.interrupted;
  tellFindings(view.run.findings.list(), terminal);
  terminal.err(
    formatLine(
      `one policy: ${view.report.policies} log-probs only; logratio report explains how to get the other side`,
    ),
  );
  const server = await startPagesServer(policyPages(view), {
    ...wanted,
    onError: (error) => terminal.err(formatFailure(error, terminal)),
  });
  try {
    await announceServer(server, open === undefined ? {} : { open }, terminal);
    await untilAborted(signal);
    return inputWasSkipped(view.run.findings.list()) ? EXIT.skipped : EXIT.fine;
  } finally {
    await server.close();
    terminal.err("\n");
  }
}
