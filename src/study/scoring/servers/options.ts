/**
 * Options of a policy behind a server, checked once.
 *
 * @module
 */
import { UsageError } from "../../../core/base/index.ts";
import { basicCredentials } from "../../../input/io/index.ts";

export interface ServerOptions {
  /** The model's name on the server; found automatically if it serves only one. Also `URL#model`. */
  readonly model?: string | undefined;
  /** Number of most probable tokens to request; 0 means only the sampled token's log-prob. Default 20. */
  readonly topK?: number | undefined;
  /** Whether to request rows over the whole vocabulary (vLLM, SGLang), one request for each token. Default false. */
  readonly fullVocabulary?: boolean | undefined;
  /** Columns of a row of logits (`vocab_size` in the model's config.json), if the server does not report it. */
  readonly vocabularySize?: number | undefined;
  /** Time limit of one attempt, from the request to the last byte of the reply. Default 240,000; at most 300,000. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first. Default 5. */
  readonly retries?: number | undefined;
  /** Wait before the first retry; doubles each time, at most 30 s, with jitter. Default 500. */
  readonly retryDelayMs?: number | undefined;
  /** Requests in progress at once. Default 8. */
  readonly concurrency?: number | undefined;
  /** Sent as `Authorization: Bearer …`. */
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Longest reply that is read. Default 256 MiB; at most 511 MiB, the longest string that Node holds. */
  readonly maxResponseBytes?: number | undefined;
  /** Further members of each request's body. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Aborts the opening; later calls have their own signals. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResolvedOptions {
  /** Without credentials, fragment, trailing slash or `/v1`. */
  readonly base: string;
  readonly model: string | undefined;
  readonly topK: number;
  readonly fullVocabulary: boolean;
  readonly vocabularySize: number | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly retryDelayMs: number;
  readonly concurrency: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxResponseBytes: number;
  readonly extraBody: Readonly<Record<string, unknown>>;
}

const DEFAULTS = {
  topK: 20,
  timeoutMs: 240_000,
  retries: 5,
  retryDelayMs: 500,
  concurrency: 8,
  maxResponseBytes: 256 * 2 ** 20,
};

/** Node's own fetch gives up after 300 s without headers. */
const MAX_TIMEOUT_MS = 300_000;

/** V8 holds strings of up to 2^29 - 24 characters. */
const MAX_RESPONSE_BYTES = 511 * 2 ** 20;

function integer(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `between ${least} and ${most}`;
    throw new UsageError(`${name} must be a whole number ${range}, not ${value}`);
  }
  return value;
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new UsageError(`"${url}" is not a server URL`, {
    hint: "write it with its protocol and port: http://localhost:8000",
  });
}

function decodeFragment({ hash, host }: URL): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    throw new UsageError(
      `the model ${hash.slice(1)} after the address of ${host} has a % that encodes no character`,
      {
        hint: "write a percent sign in it as %25",
      },
    );
  }
}

/** @throws UsageError */
export function resolveOptions(url: string, options: ServerOptions): ResolvedOptions {
  const parsed = parseUrl(url);
  const fragment = decodeFragment(parsed);
  const headers: Record<string, string> = { accept: "application/json", ...options.headers };
  const credentials = basicCredentials(parsed);
  if (credentials !== undefined) headers.authorization = credentials;
  if (options.apiKey !== undefined) headers.authorization = `Bearer ${options.apiKey}`;
  const path = parsed.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return {
    base: `${parsed.origin}${path}`,
    model: options.model ?? (fragment === "" ? undefined : fragment),
    topK: integer("topK", options.topK ?? DEFAULTS.topK, 0),
    fullVocabulary: options.fullVocabulary ?? false,
    vocabularySize:
      options.vocabularySize === undefined
        ? undefined
        : integer("vocabularySize", options.vocabularySize, 1, 2 ** 31 - 1),
    timeoutMs: integer("timeoutMs", options.timeoutMs ?? DEFAULTS.timeoutMs, 1, MAX_TIMEOUT_MS),
    retries: integer("retries", options.retries ?? DEFAULTS.retries, 0),
    retryDelayMs: integer("retryDelayMs", options.retryDelayMs ?? DEFAULTS.retryDelayMs, 0),
    concurrency: integer("concurrency", options.concurrency ?? DEFAULTS.concurrency, 1),
    headers,
    maxResponseBytes: integer(
      "maxResponseBytes",
      options.maxResponseBytes ?? DEFAULTS.maxResponseBytes,
      1,
      MAX_RESPONSE_BYTES,
    ),
    extraBody: options.extraBody ?? {},
  };
}

/** Timeouts while opening: a running server describes itself at once. */
export function openingPatience(resolved: ResolvedOptions): {
  readonly retries: number;
  readonly timeoutMs: number;
} {
  return { retries: Math.min(1, resolved.retries), timeoutMs: Math.min(20_000, resolved.timeoutMs) };
}
