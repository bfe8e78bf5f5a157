/**
 * Answers where a run is not read yet, or has changed since the page was loaded.
 *
 * @module
 */
import { basename, resolve } from "node:path";
import type { MiddlewareHandler } from "hono";
import { VIEW_SCHEMA_VERSION, type WaitingInfo } from "../../../results/view.ts";
import type { CurrentRun } from "./current-run.ts";
import { refuse } from "./reply.ts";

export function waitingFor(
  paths: readonly string[],
  reason: string | null,
  status: WaitingInfo["status"],
): WaitingInfo {
  return {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-waiting",
    name: basename(resolve(paths[0] ?? ".")),
    version: "",
    paths,
    reason,
    status,
    findings: [],
  };
}

/** Row numbers of a run are invalid after it was read again, so a page of the old one is refused. */
export function onlyWhatIsThere(current: CurrentRun, waiting: () => WaitingInfo): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.path === "/api/events") return next();
    if (current.info === undefined) {
      if (c.req.path === "/api/run") return c.json(waiting(), 200, { "cache-control": "no-store" });
      return refuse(c, 503, "nothing has been read yet");
    }
    const asked = c.req.query("v");
    if (asked !== undefined && !current.answersFor(asked))
      return refuse(c, 409, "the run was read again after this page was loaded: reload the page");
    return next();
  };
}
