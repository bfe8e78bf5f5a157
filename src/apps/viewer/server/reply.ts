/**
 * Answers with their caching and compression.
 *
 * @module
 */
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Context } from "hono";

const compress = promisify(gzip);
/** Smaller answers are not worth compressing. */
const SMALL = 2048;

export interface Content {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Changes when the bytes do. */
  readonly tag: string;
  /** Whether the address will never have other bytes. */
  readonly immutable: boolean;
}

export const JSON_TYPE = "application/json; charset=utf-8";
export const HTML_TYPE = "text/html; charset=utf-8";
export const BINARY_TYPE = "application/octet-stream";

/**
 * 200 with the bytes, or 304 where the browser has them. Addresses with a version are cached for good, others are
 * revalidated each time.
 */
export async function reply(c: Context, { type, bytes, tag, immutable }: Content): Promise<Response> {
  const etag = `W/"${tag}"`;
  const headers: Record<string, string> = {
    etag,
    vary: "accept-encoding",
    "cache-control": immutable ? "private, max-age=31536000, immutable" : "private, no-cache",
  };
  const known = (c.req.header("if-none-match") ?? "").split(",").map((text) => text.trim());
  if (known.includes(etag) || known.includes("*")) return c.body(null, 304, headers);
  headers["content-type"] = type;
  const wanted =
    (c.req.header("accept-encoding") ?? "")
      .split(",")
      .some((part) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i.test(part)) && bytes.length >= SMALL;
  if (!wanted) return c.body(own(bytes), 200, headers);
  headers["content-encoding"] = "gzip";
  return c.body(own(await compress(bytes, { level: constants.Z_BEST_SPEED })), 200, headers);
}

/** A refusal in one plain sentence. */
export function refuse(
  c: Context,
  status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 411 | 413 | 415 | 421 | 422 | 429 | 500 | 503 | 507,
  why: string,
): Response {
  return c.text(`${why}\n`, status, { "cache-control": "no-store" });
}

/** Responses accept only bytes in a plain ArrayBuffer. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
}
