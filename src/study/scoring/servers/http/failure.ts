import { isObject } from "../../../../core/base/index.ts";
/**
 * A failed reply, or the reason why there was none.
 *
 * @module
 */

export interface Failure {
  readonly kind: "network" | "timeout" | "status" | "too-large" | "not-json" | "cut-off" | "redirect";
  /** Without credentials. */
  readonly url: string;
  readonly status?: number;
  /** The server's message, or what went wrong on the way to it. */
  readonly message: string;
  readonly attempts: number;
}

export type Reply =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly failure: Failure };

function fromDetail(detail: unknown): string | undefined {
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return undefined;
  // FastAPI's validation: [{loc: ["body", "prompt"], msg: "Field required"}]
  const parts = detail.filter(isObject).map(({ loc, msg }) => {
    const place = Array.isArray(loc) ? loc.filter((part) => part !== "body").join(".") : "";
    return place === "" ? String(msg) : `${place}: ${String(msg)}`;
  });
  return parts.length === 0 ? undefined : parts.join("; ");
}

function fromJson(json: unknown): string | undefined {
  if (typeof json === "string") return json;
  if (!isObject(json)) return undefined;
  const { error, message, detail } = json;
  if (isObject(error) && typeof error.message === "string") return error.message;
  if (typeof error === "string") return error;
  if (typeof message === "string") return message;
  return fromDetail(detail);
}

const MAX_WORDS = 500;

/** The message within an error body of vLLM, SGLang, FastAPI or OpenAI; else the beginning of the body as text. */
export function serverWords(body: string): string {
  let words: string | undefined;
  try {
    words = fromJson(JSON.parse(body));
  } catch {
    const title = /<title>([^<]*)<\/title>/i.exec(body)?.[1];
    words = title === undefined ? undefined : `a web page, "${title.trim()}"`;
  }
  const text = (words ?? body).replace(/\s+/g, " ").trim();
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}…` : text;
}
