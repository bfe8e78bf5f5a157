/**
 * The whole state of the page, in its address: `#/steps?v=1&metric=k3`. Parameters with their default are left out,
 * so links stay short, and links of an older version keep their meaning. A sequence is named by its handle, which does
 * not depend on what else is read; older addresses have its place in the table.
 *
 * @module
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { readHandle } from "../../../src/core/schema/index.ts";

const URL_VERSION = 1;
const VIEWS = [
  "answer",
  "steps",
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

/** Views of older addresses. */
const RENAMED: ReadonlyMap<string, ViewName> = new Map([["overview", "steps"]]);

export interface Route {
  readonly view: ViewName;
  /** `sequence`: the place in the table of sequences; `group`: that of the group's first one. */
  readonly sequence: number | undefined;
  /** The handle that the address has instead of a place; undefined if `sequence` is known. */
  readonly name: string | undefined;
  /** `sequence`: a response token. */
  readonly token: number | undefined;
  /** What the address has in place of a view, if it does not name one. */
  readonly lost: string | undefined;
  readonly params: Readonly<Record<string, string>>;
}

/** `#/sequence/s12.q41/t880?v=1&metric=k3`, or with the sequence's place in the table: `#/sequence/41/t880`. */
function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/");
  // A handle alone is the address of its sequence.
  const [view = "", sequence, token] = readHandle(parts[0] ?? "") ? ["sequence", ...parts] : parts;
  const { v: _version, ...params } = Object.fromEntries(new URLSearchParams(query)) as Record<string, string>;
  const known = VIEWS.find((name) => name === (RENAMED.get(view) ?? view));
  const place = wholeNumber(sequence);
  return {
    view: known ?? "answer",
    sequence: place,
    name:
      place === undefined && sequence !== "" && known !== undefined && hasPlace(known) ? sequence : undefined,
    token: wholeNumber(token?.replace(/^t/, "")),
    lost: known === undefined && view !== "" ? view : undefined,
    params,
  };
}

/** @param names gives the handle of a sequence, once that is known */
function formatRoute(
  { view, sequence, name, token, params }: Omit<Route, "lost">,
  names: Names = () => undefined,
): string {
  let place = "";
  if (hasPlace(view) && (sequence ?? name) !== undefined) {
    const named = sequence === undefined ? name : (names(sequence, params) ?? sequence);
    place = `/${named}${token === undefined ? "" : `/t${token}`}`;
  }
  const query = new URLSearchParams({ v: String(URL_VERSION), ...params });
  // An address may contain colons and commas, and a correction is easier to read with them.
  return `#/${view}${place}?${String(query).replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

/** Views that show one sequence, or its group. */
function hasPlace(view: ViewName): boolean {
  return view === "sequence" || view === "group";
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** What addresses call the sequence at a place; undefined until its table is loaded. */
type Names = (sequence: number, params: Route["params"]) => string | undefined;

let nameSequences: Names = () => undefined;

/** Called by the module that knows the tables; this one only knows addresses. */
export function setNames(names: Names): void {
  nameSequences = names;
}

/** What the address had when it was opened, beside its route. */
export interface Arrival {
  /** The address's version, if it is not this page's. */
  readonly version?: string | undefined;
  /** The place of its sequence or group in the table: what older addresses had instead of a handle. */
  readonly row?: number | undefined;
}

const current = signal<Route>(parseRoute(location.hash));
const arrived = signal<Arrival>(readArrival(location.hash));

function follow(): void {
  current.value = parseRoute(location.hash);
  arrived.value = readArrival(location.hash);
}
addEventListener("hashchange", follow);
addEventListener("popstate", follow);

function readArrival(hash: string): Arrival {
  const { view, sequence } = parseRoute(hash);
  const version = new URLSearchParams(hash.split("?")[1]).get("v") ?? String(URL_VERSION);
  return {
    version: version === String(URL_VERSION) ? undefined : version,
    row: hasPlace(view) ? sequence : undefined,
  };
}

export const route: ReadonlySignal<Route> = current;
/** What the last opened address had; empty after the next move. */
export const arrival: ReadonlySignal<Arrival> = arrived;

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
function moved(from: Route, move: Move): Route {
  const params: Record<string, string | undefined> = {
    ...from.params,
    ...(move.view !== undefined && { run: undefined, enlarged: undefined }),
    // A link from another view is about this token, so its card is open.
    ...(move.view === "sequence" && move.token !== undefined && { pins: String(move.token) }),
    ...move.params,
  };
  const kept = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const view = move.view ?? from.view;
  return {
    view,
    sequence: "sequence" in move ? move.sequence : from.sequence,
    name: "sequence" in move ? undefined : from.name,
    lost: undefined,
    token: "token" in move ? move.token : from.token,
    params: Object.fromEntries(kept),
  };
}

/** The address of a move, for links: real addresses, so that they open in another tab. */
export function makeHref(move: Move): string {
  return formatRoute(moved(current.value, move), nameSequences);
}

/** Makes a move. `replace` is for what changes while dragging or scrolling: it adds no step for the back button. */
export function navigate(move: Move, { replace = false } = {}): void {
  const next = moved(current.value, move);
  const hash = formatRoute(next, nameSequences);
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, "", hash);
  else {
    history.pushState(null, "", hash);
    arrived.value = {};
  }
  current.value = next;
}

/** One parameter as a signal, with its default. */
export function param(name: string, fallback: string): ReadonlySignal<string> {
  return computed(() => route.value.params[name] ?? fallback);
}
