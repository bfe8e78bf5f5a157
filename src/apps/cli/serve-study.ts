import { UsageError } from "../../core/base/index.ts";
import { writeBundle } from "../viewer/bundle/write-bundle.ts";
import { type PrepareStudyOptions, prepareStudy } from "../viewer/kl/prepare-study.ts";
import type { PreparedStudy } from "../viewer/kl/prepared-study.ts";
import { startStudyServer } from "../viewer/server/start-server.ts";
import { announceServer } from "./announce-server.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import { formatFailure, formatWarning, tellFindings, writtenLine } from "./messages.ts";
import { createProgressFor } from "./progress.ts";
import { analyzeLine } from "./score-progress.ts";
import type { Terminal } from "./terminal.ts";

export interface ServeStudyOptions {
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly token: boolean | undefined;
  readonly open: boolean;
  readonly embed: boolean | undefined;
  readonly cache: string | undefined;
  readonly redact: "text" | undefined;
  /** Path to write to instead of serving. */
  readonly bundle: string | undefined;
  /** Given flags that apply only to runs, as command-line words. */
  readonly forRuns: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Analyzes a study and serves its viewer until interrupted; or writes the viewer as files.
 *
 * @throws UsageError for flags about how runs are read
 */
export async function serveStudy(
  dir: string,
  { port, host, token, open, embed, cache, redact, bundle, forRuns, signal }: ServeStudyOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const [flag] = forRuns;
  if (flag !== undefined)
    throw new UsageError(`${flag} applies to runs, but ${dir} is a study of checkpoints`, {
      hint: "leave it out; logratio kl --html writes a study as one page",
    });
  const wanted = { ...(cache !== undefined && { cache }), ...(redact !== undefined && { redact }) };
  const study = await prepare(dir, { ...wanted, signal }, terminal);
  if (study === undefined) return EXIT.interrupted;
  tellFindings(study.info.findings, terminal);
  if (bundle !== undefined) return await writeStudy(study, bundle, terminal);
  const server = await startStudyServer(study, {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(token !== undefined && { token }),
    ...(embed !== undefined && { embed }),
    onError: (error) => terminal.err(formatFailure(error, terminal)),
  }).catch(async (error: unknown) => {
    await study.close();
    throw error;
  });
  try {
    await announceServer(server, { open }, terminal);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    return EXIT.fine;
  } finally {
    await server.close();
    terminal.err("\n");
  }
}

async function writeStudy(study: PreparedStudy, target: string, terminal: Terminal): Promise<ExitStatus> {
  try {
    terminal.err(writtenLine(target, await writeBundle(study, target, { replace: true })));
    return EXIT.fine;
  } finally {
    await study.close();
  }
}

/** Undefined if it was interrupted: nothing is kept then. */
async function prepare(
  dir: string,
  options: PrepareStudyOptions & { readonly signal: AbortSignal },
  terminal: Terminal,
): Promise<PreparedStudy | undefined> {
  const progress = createProgressFor(terminal, analyzeLine);
  try {
    const onProgress = progress.update;
    const onNotice = (message: string): void => terminal.err(formatWarning(message, terminal));
    return await prepareStudy(dir, { ...options, onProgress, onNotice });
  } catch (error) {
    if (!options.signal.aborted) throw error;
    progress.end();
    terminal.err("interrupted\n");
    return undefined;
  } finally {
    progress.end();
  }
}
