import { createHmac } from "node:crypto";

const LIMIT_MS = 10_000;

export interface Webhook {
  readonly url: string;
  /** Key of the signature; undefined: not signed. */
  readonly secret: string | undefined;
}

/**
 * The signature of a delivery: HMAC-SHA256 over `TIMESTAMP.BODY`, in hexadecimal. The timestamp is part of it, so that
 * an old delivery cannot be sent again as a new one.
 */
function signBody(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

/**
 * Posts an alert as JSON. Redirects are not followed: they would take the body elsewhere.
 *
 * @throws Error if it is not answered with a 2xx status within ten seconds; the message omits the address, which may be
 * secret
 */
export async function sendWebhook(
  { url, secret }: Webhook,
  { id, body }: { readonly id: string; readonly body: string },
  signal: AbortSignal,
): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
      headers: {
        "content-type": "application/json",
        "logratio-alert-id": encodeURIComponent(id),
        "logratio-timestamp": timestamp,
        ...(secret !== undefined && { "logratio-signature": signBody(secret, timestamp, body) }),
      },
    });
  } catch (error) {
    const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: string } };
    throw new Error(name === "TimeoutError" ? "no answer within 10 s" : (cause?.code ?? "no connection"), {
      cause: error,
    });
  }
  await response.body?.cancel();
  if (!response.ok) throw new Error(`answered with status ${response.status || "of a redirect"}`);
}
