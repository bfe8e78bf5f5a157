/**
 * Requests JSON from a server, with retries where they may help, within limits of time and size. Failures are returned,
 * not thrown, since their meaning depends on the request.
 *
 * @module
 */
import { UsageError } from "../../../../core/base/index.ts";
import {
  backoffMs,
  createSemaphore,
  isPassingStatus,
  networkWords,
  readBodyStart,
  readBodyText,
  retryAfterMs,
  sleep,
} from "../../../../input/io/index.ts";
import type { ResolvedOptions } from "../options.ts";
import { type Failure, type Reply, serverWords } from "./failure.ts";
import { linkSignals } from "./linked-signal.ts";
import { parseJson } from "./parse-json.ts";

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Overrides the resolved options. */
  readonly retries?: number;
  readonly timeoutMs?: number;
}

export interface HttpClient {
  /** @param path - from the root of the server, with its slash. @throws the signal's reason; UsageError after `close` */
  get(path: string, options?: AskOptions): Promise<Reply>;
  post(path: string, body: unknown, options?: AskOptions): Promise<Reply>;
  /** Aborts requests in progress. */
  close(): Promise<void>;
}

/** Bytes of an error's body to read, enough to find the message in it. */
const MAX_ERROR_BYTES = 8192;

interface Attempt {
  readonly reply: Reply;
  readonly again: boolean;
  readonly waitMs?: number | undefined;
}

/** Where a reply redirects to, without credentials and query; undefined if it is not a redirect. */
function findRedirect({ status, headers, url }: Response): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  try {
    const { origin, pathname } = new URL(headers.get("location") ?? "", url);
    return `${origin}${pathname}`;
  } catch {
    return "an invalid address";
  }
}

/** The outcome of a response, and whether another attempt is worthwhile. */
async function readReply(
  resolved: ResolvedOptions,
  response: Response,
  url: string,
  attempts: number,
): Promise<Attempt> {
  const failed = (failure: Omit<Failure, "url" | "attempts" | "status">): Reply => ({
    ok: false,
    failure: { ...failure, url, attempts, status: response.status },
  });
  if (!response.ok) {
    const said = serverWords(await readBodyStart(response, MAX_ERROR_BYTES));
    return {
      reply: failed({ kind: "status", message: said === "" ? response.statusText : said }),
      again: isPassingStatus(response.status),
      waitMs: retryAfterMs(response.headers.get("retry-after")),
    };
  }
  const body = await readBodyText(response, resolved.maxResponseBytes);
  if (body.text === undefined) {
    const message = `its reply exceeds ${resolved.maxResponseBytes} bytes`;
    return { reply: failed({ kind: "too-large", message }), again: false };
  }
  const parsed = parseJson(body.text);
  if (parsed.ok) return { reply: { ok: true, json: parsed.json }, again: false };
  const reply = parsed.looksCutOff
    ? failed({ kind: "cut-off", message: `its JSON is truncated or damaged (${body.bytes} bytes)` })
    : failed({ kind: "not-json", message: serverWords(body.text) });
  return { reply, again: false };
}

/** One attempt. @throws only the signal's reason, when the whole request was aborted */
async function attemptOnce(
  resolved: ResolvedOptions,
  url: string,
  init: RequestInit,
  attempts: number,
  timeoutMs: number,
  ended: AbortSignal,
): Promise<Attempt> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const { signal, unlink } = linkSignals([ended, timeout.signal]);
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    const target = findRedirect(response);
    if (target === undefined) return await readReply(resolved, response, url, attempts);
    await response.body?.cancel();
    const message = `it redirects to ${target}, but texts and keys are sent only to the address given`;
    const failure: Failure = { kind: "redirect", url, attempts, status: response.status, message };
    return { reply: { ok: false, failure }, again: false };
  } catch (error) {
    ended.throwIfAborted();
    const failure: Failure = timeout.signal.aborted
      ? { kind: "timeout", url, attempts, message: `no complete reply within ${timeoutMs} ms` }
      : { kind: "network", url, attempts, message: networkWords(error) };
    return { reply: { ok: false, failure }, again: true };
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

export function createClient(resolved: ResolvedOptions): HttpClient {
  const semaphore = createSemaphore(resolved.concurrency);
  const closing = new AbortController();

  async function ask(path: string, init: RequestInit, options: AskOptions): Promise<Reply> {
    const { retries = resolved.retries, timeoutMs = resolved.timeoutMs } = options;
    const url = `${resolved.base}${path}`;
    const { signal, unlink } = linkSignals([options.signal, closing.signal]);
    try {
      return await semaphore.run(async () => {
        for (let attempt = 0; ; attempt++) {
          signal.throwIfAborted();
          const { reply, again, waitMs } = await attemptOnce(
            resolved,
            url,
            init,
            attempt + 1,
            timeoutMs,
            signal,
          );
          if (!again || attempt >= retries) return reply;
          // If a server asks for a longer wait than an attempt may take, it is given up.
          if (waitMs !== undefined && waitMs > timeoutMs) return reply;
          await sleep(waitMs ?? backoffMs(attempt, resolved.retryDelayMs), signal);
        }
      }, signal);
    } finally {
      unlink();
    }
  }

  return {
    get: (path, options = {}) => ask(path, { headers: resolved.headers }, options),
    post(path, body, options = {}) {
      const headers = { ...resolved.headers, "content-type": "application/json" };
      return ask(path, { method: "POST", headers, body: JSON.stringify(body) }, options);
    },
    async close() {
      closing.abort(new UsageError(`the policy at ${resolved.base} is closed`));
    },
  };
}
