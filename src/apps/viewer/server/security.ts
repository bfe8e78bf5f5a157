/**
 * Which requests are allowed: their Host, Origin and method, the token, and what the page itself may load.
 *
 * @module
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { refuse } from "./reply.ts";

/** No page of another site may frame this one. */
const FRAMES = "; frame-ancestors 'none'";
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": `default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'${FRAMES}`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Also on refusals and errors. */
export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.header(name, value);
  };
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Only names that no foreign name server can point here (DNS rebinding): loopback's own, with any port, because a
 * tunnel may have another one. Bound elsewhere, where a token is required as well: also addresses, the host that it was
 * bound to, and this machine's name.
 */
export function allowedHosts(bound: string): (host: string) => boolean {
  const names = new Set(LOOPBACK);
  if (isLoopback(bound)) return (host) => names.has(stripPort(host));
  const own = hostname().toLowerCase().split(".")[0]!;
  names.add(bound.toLowerCase());
  return (host) => {
    const name = stripPort(host);
    return names.has(name) || isIP(name.replace(/^\[|\]$/g, "")) !== 0 || name.split(".")[0] === own;
  };
}

function stripPort(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}

export function checkHost(isAllowed: (host: string) => boolean): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header("host") ?? "";
    // The address may name another host than the header, as in a request to a proxy.
    if (!isAllowed(host) || !isAllowed(parseHost(c.req.url) ?? "")) {
      return refuse(
        c,
        421,
        `this server is not ${host}: open it at the address that logratio view printed, or bind it with --host`,
      );
    }
    return next();
  };
}

/** Existing paths accept only their own methods; other paths accept reads only. */
export function checkMethod(methodsAt: (path: string) => ReadonlySet<string>): MiddlewareHandler {
  return async (c, next) => {
    const { method, path } = c.req;
    const methods = methodsAt(path);
    const asked = method === "HEAD" ? "GET" : method;
    if (methods.has(asked) || (methods.size === 0 && asked === "GET")) return next();
    if (methods.size === 0) return refuse(c, 404, `there is nothing at ${path}`);
    c.header("allow", [...methods].join(", "));
    return refuse(c, 405, `${path} must be requested with ${[...methods].join(" or ")}, not by ${method}`);
  };
}

/**
 * Requests that change something must come from the server's own page, or from no page.
 *
 * @param onlyOwnTypes also refuses other bodies than JSON and bytes, which another site's form could send; default true
 */
export function checkOrigin(onlyOwnTypes = true): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.method === "GET" || c.req.method === "HEAD") return next();
    const origin = c.req.header("origin");
    const site = c.req.header("sec-fetch-site");
    if (origin !== undefined && parseHost(origin) !== c.req.header("host"))
      return refuse(c, 403, `requests from ${origin} are not answered`);
    if (site !== undefined && site !== "same-origin" && site !== "none")
      return refuse(c, 403, "requests from other sites are not answered");
    if (onlyOwnTypes && !/^application\/(?:json|octet-stream)\b/i.test(c.req.header("content-type") ?? ""))
      return refuse(c, 415, "send the request as application/json, files as application/octet-stream");
    return next();
  };
}

function parseHost(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

/**
 * Asks for the token: once in the address, from where it goes into a cookie that no script reads and no other site
 * sends; programs may send it as a bearer token.
 *
 * @param advice for requests without it
 */
export function checkToken(
  token: string,
  portOf: () => number,
  advice = "open the whole address that logratio view printed: it has ?token=… at its end",
): MiddlewareHandler {
  return async (c, next) => {
    const cookie = `logratio_${portOf()}`;
    const given = c.req.query("token");
    if (given !== undefined && c.req.method === "GET" && isSame(given, token)) {
      setCookie(c, cookie, token, { httpOnly: true, sameSite: "Strict", path: "/" });
      c.header("cache-control", "no-store");
      // Relative, so that the browser keeps its scheme and host, whatever proxies are in between.
      const { pathname, searchParams } = new URL(c.req.url);
      searchParams.delete("token");
      const query = searchParams.toString();
      return c.redirect(`${pathname.replace(/^\/+/, "/")}${query === "" ? "" : `?${query}`}`, 303);
    }
    const bearer = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1];
    // Either will do: a program may have another server's cookie of the same port.
    const isKnown = [getCookie(c, cookie), bearer].map((sent) => isSame(sent ?? "", token));
    if (isKnown.includes(true)) return next();
    return refuse(c, 401, advice);
  };
}

/**
 * Asks for the token as the first folder of every address: in another site's frame, such as a notebook's cell, a
 * browser sends no cookie. A site that does not know the address cannot frame the page either, so framing is allowed
 * only here.
 */
export class PathToken {
  readonly #known = new WeakSet<IncomingMessage>();

  constructor(private readonly token: string) {}

  /** Takes the token off a request's path; before anything else looks at it. */
  strip(request: IncomingMessage): void {
    const [, first = "", rest] = /^\/([^/?]*)(\/.*)$/.exec(request.url ?? "") ?? [];
    if (rest === undefined || !isSame(first, this.token)) return;
    request.url = rest;
    this.#known.add(request);
  }

  check(): MiddlewareHandler<{ Bindings: { incoming: IncomingMessage } }> {
    return async (c, next) => {
      if (!this.#known.has(c.env.incoming))
        return refuse(
          c,
          401,
          "open the whole address that logratio view printed: its first folder is a token",
        );
      await next();
      c.header("content-security-policy", HEADERS["content-security-policy"]!.replace(FRAMES, ""));
      return undefined;
    };
  }
}

/** In constant time, whatever the lengths. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
