/**
 * Whether an address lies below another, decided on what will be requested and not on what was written: `new URL`
 * takes `\` for `/`, drops tabs and line breaks, resolves dots, also `%2e`, and cuts `#…` off.
 *
 * @module
 */

/** Characters that a parser of addresses drops or changes, and that no name of a file needs. */
const ODD = /[\p{Cc}\p{Zl}\p{Zp}\\]/u;
const WEB = /^https?:\/\//i;
const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;
/** How often a name is decoded: a proxy and the server behind it may each decode it once. */
const MOST_DECODINGS = 4;

/**
 * The address to open if it is the root or below it: in its normal form, with the root's user and password.
 *
 * @returns undefined where it lies elsewhere, or where servers differ about where it lies
 */
export function admitAddress(address: string, root: string): string | undefined {
  if (ODD.test(address)) return undefined;
  return WEB.test(address) ? admitUrl(address, root) : admitKey(address, root);
}

function admitUrl(address: string, root: string): string | undefined {
  if (!WEB.test(root) || !URL.canParse(address) || !URL.canParse(root)) return undefined;
  const [url, top] = [new URL(address), new URL(root)];
  const isAnonymous = url.username === "" && url.password === "";
  if (!isAnonymous && (url.username !== top.username || url.password !== top.password)) return undefined;
  if (url.origin !== top.origin || !isBelow(url.pathname, top.pathname)) return undefined;
  // The signature of a root that is one file.
  if (url.pathname === top.pathname && url.search === "") url.search = top.search;
  url.username = top.username;
  url.password = top.password;
  url.hash = "";
  return url.href;
}

/** Object stores take the rest of an address as it is, or build the address of a request from it. */
function admitKey(address: string, root: string): string | undefined {
  const [scheme, rootScheme] = [address, root].map((text) => SCHEME.exec(text)?.[1]?.toLowerCase());
  if (scheme === undefined || scheme !== rootScheme) return undefined;
  const [path, top] = [address, root].map((text) => text.replace(SCHEME, "/")) as [string, string];
  return isBelow(path, top) ? `${scheme}:/${path}` : undefined;
}

function isBelow(path: string, top: string): boolean {
  const folder = top.replace(/\/+$/, "");
  if (path === top || path === folder) return true;
  return (
    path.startsWith(`${folder}/`) &&
    path
      .slice(folder.length + 1)
      .split("/")
      .every(isPlainName)
  );
}

/** No name that means a folder to some server: `..`, `%252e.`, `..;x`, `..#x`, `a%2f..`. */
function isPlainName(name: string): boolean {
  const decoded = decode(name);
  return decoded !== undefined && !/[/\\\p{Cc}]/u.test(decoded) && !/^\.{1,2}(?:[;?#]|$)/.test(decoded);
}

function decode(name: string): string | undefined {
  let text = name;
  for (let time = 0; time < MOST_DECODINGS; time++) {
    // Only what encodes ASCII can mean a dot or a slash.
    const next = text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (next === text) return text;
    text = next;
  }
  return undefined;
}
