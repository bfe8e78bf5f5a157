/**
 * Requests for ranges and JSON, shared by the stores that use HTTP.
 *
 * @module
 */
import { isPassingStatus, networkWords, retryAfterMs } from "../io/index.ts";
import { type RangeRequest, StoreFailure } from "./remote-file.ts";
import { changed } from "./retry.ts";

export type RequestHeaders = Readonly<Record<string, string>>;

/** Bytes of an error's body to search for a message. */
const MAX_WORDS = 200;

/** @throws StoreFailure for every status other than success */
export async function fetchChecked(
  url: string,
  init: RequestInit & { readonly headers: RequestHeaders },
): Promise<Response> {
  // A compressed body would be decompressed in transit, and its ranges would be of other bytes.
  const headers = { "accept-encoding": "identity", ...init.headers };
  const response = await fetch(url, { ...init, headers });
  if (response.ok) return response;
  throw new StoreFailure(await readWords(response), {
    status: response.status,
    isPassing: isPassingStatus(response.status),
    waitMs: retryAfterMs(response.headers.get("retry-after")),
  });
}

/** The store's own message, in JSON or XML, else the name of the status. */
async function readWords(response: Response): Promise<string> {
  const body = await response.text().catch(() => "");
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
  try {
    return { json: await response.json(), response };
  } catch (error) {
    throw new StoreFailure(`its answer is not JSON (${networkWords(error)})`, {
      status: response.status,
      isPassing: false,
      cause: error,
    });
  }
}

/** The version in an answer: a strong ETag (weak ones mean equal content, not equal bytes), else Last-Modified. */
export function readTag({ headers }: Response): string | undefined {
  const tag = headers.get("etag");
  return tag === null || tag.startsWith("W/") ? (headers.get("last-modified") ?? undefined) : tag;
}

/**
 * The bytes of a range, all of them.
 *
 * @param version version of the file when it was found; an answer with another version has another content
 * @throws FormatError when the content has changed
 * @throws StoreFailure when the server sends something else, or the connection breaks
 */
export async function fetchRange(
  url: string,
  headers: RequestHeaders,
  { start, end, signal }: RangeRequest,
  file: { readonly name: string; readonly version: string | undefined },
): Promise<Uint8Array> {
  const response = await fetchChecked(url, {
    headers: { ...headers, range: `bytes=${start}-${end - 1}` },
    signal,
  });
  if (response.status !== 206) {
    await response.body?.cancel();
    throw new StoreFailure("it answers a request for a range with the whole file", {
      status: response.status,
      isPassing: false,
    });
  }
  const version = readTag(response);
  if (file.version !== undefined && version !== undefined && version !== file.version) {
    await response.body?.cancel();
    throw changed(file.name);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length !== end - start) {
    throw new StoreFailure(`it sent ${bytes.length} of ${end - start} bytes`, { isPassing: true });
  }
  return bytes;
}
