/**
 * The whole state of the page, in its address: `#/overview?v=1&metric=k3`. Parameters with their default are left out,
 * so links stay short, and links of an older version keep their meaning.
 *
 * @module
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";

export const URL_VERSION = 1;
export const VIEWS = [
  "overview",
  "sequences",
  "sequence",
  "group",
  "tokens",
  "correct",
  "checkpoints",
  "digits",
  "doctor",
  "health",
  "compare",
  "sql",
  "story",
] as const;
export type ViewName = (typeof VIEWS)[number];

export interface Route {
  readonly view: ViewName;
  /** `sequence`: the place in the table of sequences; `group`: that of the group's first one. */
  readonly sequence: number | undefined;
  /** `sequence`: a response token. */
  readonly token: number | undefined;
  readonly params: Readonly<Record<string, string>>;
}

/** `#/sequence/41/t880?v=1&metric=k3`; anything unreadable is the overview. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view = "", sequence, token] = path.split("/");
  const { v: _version, ...params } = Object.fromEntries(new URLSearchParams(query)) as Record<string, string>;
  const known = VIEWS.find((name) => name === view) ?? "overview";
  return {
    view: known,
    sequence: wholeNumber(sequence),
    token: wholeNumber(token?.replace(/^t/, "")),
    params,
  };
}

export function formatRoute({ view, sequence, token, params }: Route): string {
  const place =
    (view === "sequence" || view === "group") && sequence !== undefined
      ? `/${sequence}${token === undefined ? "" : `/t${token}`}`
      : "";
  const query = new URLSearchParams({ v: String(URL_VERSION), ...params });
  // Colons and commas may stand in an address as they are, and a correction is easier to read with them.
  return `#/${view}${place}?${String(query).replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

const current = signal<Route>(parseRoute(location.hash));
addEventListener("hashchange", () => {
  current.value = parseRoute(location.hash);
});

export const route: ReadonlySignal<Route> = current;

export interface Move {
  readonly view?: ViewName;
  readonly sequence?: number | undefined;
  readonly token?: number | undefined;
  /** Undefined removes a parameter. */
  readonly params?: Readonly<Record<string, string | undefined>>;
}

/**
 * The route that a move leads to. Going to another view keeps the parameters: filters and colors go along. Only `run`,
 * the run of a sequence, must be given again with a view, and an enlarged picture is closed.
 */
export function moved(from: Route, move: Move): Route {
  const params: Record<string, string | undefined> = {
    ...from.params,
    ...(move.view !== undefined && { run: undefined, enlarged: undefined }),
    // A link from another view is about this token: its card is open.
    ...(move.view === "sequence" && move.token !== undefined && { pins: String(move.token) }),
    ...move.params,
  };
  const kept = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const view = move.view ?? from.view;
  return {
    view,
    sequence: "sequence" in move ? move.sequence : from.sequence,
    token: "token" in move ? move.token : from.token,
    params: Object.fromEntries(kept),
  };
}

/** For links: real addresses, so that they open in another tab. */
export function makeHref(move: Move): string {
  return formatRoute(moved(current.value, move));
}

/** Goes there. `replace` is for what changes while one drags or scrolls: it leaves no step for the back button. */
export function navigate(move: Move, { replace = false } = {}): void {
  const next = moved(current.value, move);
  const hash = formatRoute(next);
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  current.value = next;
}

addEventListener("popstate", () => {
  current.value = parseRoute(location.hash);
});

/** One parameter as a signal, with its default. */
export function param(name: string, fallback: string): ReadonlySignal<string> {
  return computed(() => route.value.params[name] ?? fallback);
}
