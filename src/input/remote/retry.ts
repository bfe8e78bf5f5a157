/**
 * Retries a request to a store when that may help, and turns a final failure into an error for the user.
 *
 * @module
 */
import {
  FileSystemError,
  FormatError,
  isLogratioError,
  type LogratioError,
  NotFoundError,
} from "../../core/base/index.ts";
import { backoffMs, sleep } from "../io/backoff.ts";
import { networkWords } from "../io/network-words.ts";
import { StoreFailure } from "./remote-file.ts";
import { remoteTimeLimitMs } from "./time-limit.ts";

export interface RetryOptions {
  /** Attempts in total, including the first. */
  readonly attempts: number;
  /** Wait before the first retry; doubled before each further one. */
  readonly delayMs: number;
  /** Time limit of one attempt, including its body. */
  readonly timeoutMs: number;
}

export const RETRY: RetryOptions = { attempts: 5, delayMs: 250, timeoutMs: 60_000 };
/** If a store asks for a longer wait, the request fails. */
const LONGEST_WAIT_MS = 60_000;

/** Sources of credentials for each kind of address, for hints. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  "s3:":
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; AWS_ENDPOINT_URL for other stores that speak S3",
  "gs:": "GOOGLE_APPLICATION_CREDENTIALS, or run gcloud auth application-default login",
  "hf:": "HF_TOKEN, or run hf auth login",
};

/**
 * Tries until the request succeeds, `attempts` or the total time are used up, or a retry cannot help.
 *
 * @param name the address, for messages
 * @throws NotFoundError, FileSystemError or FormatError: the failure of the store or the network, and what to try
 */
export async function retrying<T>(
  name: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { attempts, delayMs, timeoutMs }: RetryOptions = RETRY,
): Promise<T> {
  const end = performance.now() + remoteTimeLimitMs();
  for (let attempt = 1; ; attempt++) {
    const ownMs = Math.min(timeoutMs, Math.max(1, Math.ceil(end - performance.now())));
    const timeout = AbortSignal.timeout(ownMs);
    try {
      return await ask(timeout);
    } catch (error) {
      if (isLogratioError(error)) throw error;
      const failure = timeout.aborted
        ? new StoreFailure(`no complete answer within ${ownMs / 1000} s`, { isPassing: true })
        : toFailure(error);
      const waitMs = failure.waitMs ?? backoffMs(attempt - 1, delayMs);
      const isOver = attempt >= attempts || performance.now() + waitMs >= end;
      if (!failure.isPassing || isOver || waitMs > LONGEST_WAIT_MS) {
        throw explain(name, failure, attempt);
      }
      await sleep(waitMs);
    }
  }
}

/** Anything other than a response of the store is a network error: unknown names, broken connections. */
function toFailure(error: unknown): StoreFailure {
  if (error instanceof StoreFailure) return error;
  const words = networkWords(error);
  const isFinal = /ENOTFOUND|CERT|SELF_SIGNED|ERR_INVALID_URL|ERR_TLS/.test(words);
  return new StoreFailure(words, { isPassing: !isFinal, cause: error });
}

/** The error for a response that broke off after it began. */
export function explainBreak(name: string, error: unknown): LogratioError {
  return isLogratioError(error) ? error : explain(name, toFailure(error), 1);
}

function explain(name: string, failure: StoreFailure, attempts: number): LogratioError {
  const { message, status, cause } = failure;
  const at = { file: name };
  const scheme = /^[a-z0-9]+:/.exec(name)?.[0] ?? "";
  const tried = attempts > 1 ? `, ${attempts} times` : "";
  if (status === undefined) {
    const isProxied = [process.env.HTTPS_PROXY, process.env.https_proxy].some(
      (proxy) => proxy !== undefined && proxy !== "",
    );
    return new FileSystemError(`cannot reach the store of ${name}: ${message}${tried}`, {
      at,
      cause,
      likely: isProxied
        ? "this machine goes through a proxy (HTTPS_PROXY), which Node uses from version 24 on with NODE_USE_ENV_PROXY=1"
        : "this machine cannot reach that host, or the address is misspelled",
      hint: "try the same address with curl from this machine, or copy the files here and give their path",
    });
  }
  if (status === 404) {
    return new NotFoundError(`${name} does not exist`, {
      at,
      likely: `the address is misspelled, or private: stores also answer 404 for files that the credentials do not cover`,
      hint:
        CREDENTIALS[scheme] === undefined
          ? "check the address"
          : `check the address; credentials come from ${CREDENTIALS[scheme]}`,
    });
  }
  if (status === 401 || status === 403) {
    return new FileSystemError(`the store refuses to read ${name}: ${message} (${status})`, {
      at,
      likely:
        "there are no credentials for it in this environment, or they have expired or lack the permission",
      hint:
        CREDENTIALS[scheme] === undefined
          ? "use a signed address, or copy the file here first"
          : `credentials come from the environment: ${CREDENTIALS[scheme]}`,
    });
  }
  if (status === 412) return changed(name);
  return new FileSystemError(`the store failed to return ${name}: ${message} (${status})${tried}`, {
    at,
    ...(failure.isPassing ? { likely: "the store is overloaded or failing" } : {}),
    hint: "try again later, or copy the file here first",
  });
}

/** The content has changed since the file was found. */
export function changed(name: string): FormatError {
  return new FormatError(`${name} changed while it was read`, {
    at: { file: name },
    likely: "the trainer is still writing it",
    hint: "try again when the trainer has finished writing it",
  });
}
