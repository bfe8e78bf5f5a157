/** `s3` of `s3://bucket/key`. */
export const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;

/** Whether a user's path is an address rather than a path in the file system. */
export function isRemote(path: string): boolean {
  return SCHEME.test(path);
}

/** The address for messages, without passwords and signed queries. */
export function nameRemote(path: string): string {
  const scheme = SCHEME.exec(path)?.[1]?.toLowerCase();
  return (scheme === "https" || scheme === "http") && URL.canParse(path) ? publicName(new URL(path)) : path;
}

/** An address for messages and files, without secrets such as signed queries and passwords. */
export function publicName(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
