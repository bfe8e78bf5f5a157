import { UsageError } from "../../core/base/index.ts";

/**
 * The `Authorization` of a URL's user and password, which fetch refuses to take from a URL; undefined without a user.
 *
 * @throws UsageError when they are not percent-encoded; the message quotes neither
 */
export function basicCredentials({ username, password, host }: URL): string | undefined {
  if (username === "") return undefined;
  const pair = `${decodePart(username, host)}:${decodePart(password, host)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

function decodePart(text: string, host: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError(`the user or password in the address of ${host} has a % that encodes no character`, {
      hint: "write a percent sign in them as %25",
    });
  }
}
