import { makeHref } from "../../state/url.ts";

/** Links to a sequence of run A and of run B. */
export function hrefToA(sequence: number, token?: number): string {
  return makeHref({ view: "sequence", sequence, token });
}

export function hrefToB(sequence: number, token?: number): string {
  return makeHref({ view: "sequence", sequence, token, params: { run: "b" } });
}
