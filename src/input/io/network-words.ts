/** `ECONNREFUSED`, `ENOTFOUND`, …: fetch itself only says "fetch failed". */
export function networkWords(error: unknown): string {
  let deepest: unknown = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (!(deepest instanceof Error)) return String(deepest);
  const { code } = deepest as NodeJS.ErrnoException;
  if (deepest.message === "") return code ?? deepest.name;
  return code === undefined || deepest.message.includes(code)
    ? deepest.message
    : `${deepest.message} (${code})`;
}
