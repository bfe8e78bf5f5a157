/**
 * Requests for ranges and JSON, shared by the stores that use HTTP. Reads no body beyond the requested size.
 *
 * @module
 */
import { isPassingStatus, retryAfterMs } from "../io/backoff.ts";
import { readBodyBytes, readBodyStart, readBodyText } from "../io/bounded-body.ts";
import { networkWords } from "../io/network-words.ts";
import { type RangeRequest, type RemoteFile, StoreFailure } from "./remote-file.ts";
import { changed } from "./retry.ts";

export type RequestHeaders = Readonly<Record<string, string>>;

type Request = Omit<RequestInit, "headers"> & { readonly headers: RequestHeaders };

/** Bytes of an error's body to read, enough to find the message in it. */
const ERROR_BYTES = 8192;
/** Limit on the characters of a message. */
const MAX_WORDS = 200;
/** Limit on a description, or on a page of a list: a thousand files take about 0.3 MB. */
export const MAX_ANSWER_BYTES = 16 << 20;
const MAX_REDIRECTS = 10;

/** @throws StoreFailure for every status other than success */
export async function fetchChecked(url: string, init: Request): Promise<Response> {
  const response = await followRedirects(url, init);
  if (response.ok) return response;
  throw new StoreFailure(await readWords(response), {
    status: response.status,
    isPassing: isPassingStatus(response.status),
    waitMs: retryAfterMs(response.headers.get("retry-after")),
  });
}

/**
 * Follows redirects itself: fetch reports an endless chain, and one that leaves HTTP, in the same way as a broken
 * connection, which would be worth another attempt. Credentials go to the first host only.
 */
async function followRedirects(from: string, init: Request): Promise<Response> {
  let url = new URL(from);
  // A compressed body would be decompressed in transit, and its ranges would be of other bytes.
  let headers: RequestHeaders = { "accept-encoding": "identity", ...init.headers };
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url.href, { ...init, headers, redirect: "manual" });
    if (![301, 302, 303, 307, 308].includes(response.status)) return response;
    const { status } = response;
    await response.body?.cancel();
    const fail = (words: string): never => {
      throw new StoreFailure(words, { status, isPassing: false });
    };
    const location = response.headers.get("location") ?? "";
    if (!URL.canParse(location, url.href)) return fail("it redirects to an invalid address");
    const next = new URL(location, url);
    if (!/^https?:$/.test(next.protocol)) return fail(`it redirects to a ${next.protocol} address`);
    if (redirects >= MAX_REDIRECTS) return fail(`it redirects more than ${MAX_REDIRECTS} times`);
    // As a GET the request would mean something else.
    if (init.method === "POST" && status < 307) return fail("it redirects a request that has a body");
    if (next.origin !== url.origin)
      headers = Object.fromEntries(
        Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization"),
      );
    url = next;
  }
}

/** The store's own message, in JSON or XML, else the name of the status. */
async function readWords(response: Response): Promise<string> {
  const body = await readBodyStart(response, ERROR_BYTES).catch(() => "");
  const words =
    /"(?:message|error)"\s*:\s*"([^"]+)"/.exec(body)?.[1] ?? /<Message>([^<]+)<\/Message>/.exec(body)?.[1];
  return (words ?? (response.statusText || "no reason given")).slice(0, MAX_WORDS);
}

export async function fetchJson(
  url: string,
  headers: RequestHeaders,
  signal: AbortSignal,
  init: RequestInit = {},
): Promise<{ readonly json: unknown; readonly response: Response }> {
  const response = await fetchChecked(url, { ...init, headers, signal });
  const { text } = await readBodyText(response, MAX_ANSWER_BYTES);
  const { status } = response;
  if (text === undefined) {
    throw new StoreFailure(`its answer exceeds ${MAX_ANSWER_BYTES} bytes`, { status, isPassing: false });
  }
  try {
    return { json: JSON.parse(text), response };
  } catch (error) {
    throw new StoreFailure(`its answer is not JSON (${networkWords(error)})`, {
      status,
      isPassing: false,
      cause: error,
    });
  }
}

/** The version in a response: a strong ETag (weak ones mean equal content, not equal bytes), else Last-Modified. */
export function readTag({ headers }: Response): string | undefined {
  const tag = headers.get("etag");
  return tag === null || tag.startsWith("W/") ? (headers.get("last-modified") ?? undefined) : tag;
}

/** What is known of a file before its ranges are read. */
export type KnownFile = Pick<RemoteFile, "name" | "byteLength" | "version">;

/**
 * Compares a `Content-Range` with the request.
 *
 * @throws FormatError when the file's size has changed
 * @throws StoreFailure when the bytes are not the requested ones
 */
export function checkRange(
  header: string | null | undefined,
  { start, end }: Pick<RangeRequest, "start" | "end">,
  { name, byteLength }: KnownFile,
): void {
  const found = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header?.trim() ?? "");
  if (found !== null && found[3] !== "*" && Number(found[3]) !== byteLength) throw changed(name);
  if (found !== null && Number(found[1]) === start && Number(found[2]) === end - 1) return;
  const asked = `bytes ${start} to ${end - 1}`;
  const answer = found === null ? "an answer that does not say which" : `bytes ${found[1]} to ${found[2]}`;
  throw new StoreFailure(`it answers a request for ${asked} with ${answer}`, {
    status: 206,
    isPassing: false,
  });
}

/** @throws StoreFailure unless a range has the expected bytes; undefined means more than those */
export function checkLength(bytes: Uint8Array | undefined, expected: number): Uint8Array {
  if (bytes?.length === expected) return bytes;
  if (bytes === undefined) {
    throw new StoreFailure(`it sent more than the ${expected} bytes that were asked for`, {
      status: 206,
      isPassing: false,
    });
  }
  throw new StoreFailure(`it sent ${bytes.length} of ${expected} bytes`, { isPassing: true });
}

/**
 * All bytes of a range.
 *
 * @param file a response with another version or size has other content
 * @throws FormatError when the content has changed
 * @throws StoreFailure when the server sends something else, or the connection breaks
 */
export async function fetchRange(
  url: string,
  headers: RequestHeaders,
  { start, end, signal }: RangeRequest,
  file: KnownFile,
): Promise<Uint8Array> {
  const response = await fetchChecked(url, {
    headers: { ...headers, range: `bytes=${start}-${end - 1}` },
    signal,
  });
  try {
    if (response.status !== 206) {
      throw new StoreFailure("it answers a request for a range with the whole file", {
        status: response.status,
        isPassing: false,
      });
    }
    const version = readTag(response);
    if (file.version !== undefined && version !== undefined && version !== file.version)
      throw changed(file.name);
    checkRange(response.headers.get("content-range"), { start, end }, file);
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
  return checkLength(await readBodyBytes(response, end - start), end - start);
}
