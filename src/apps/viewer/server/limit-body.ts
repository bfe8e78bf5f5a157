import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { formatCount } from "../../../core/text/index.ts";
import { refuse } from "./reply.ts";

/** 413 for a body of more bytes, whatever length it declares. */
export function limitBody(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: (c) => refuse(c, 413, `at most ${formatCount(maxSize)} bytes are accepted here`),
  });
}
