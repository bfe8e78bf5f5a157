/**
 * The page's requests: the list of runs, and the viewer of each below `runs/FOLDER/`.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { basename, join, resolve } from "node:path";
import type { Hono } from "hono";
import { printable } from "../../../render/text/index.ts";
import { type RunsInfo, VIEW_SCHEMA_VERSION } from "../../../results/view.ts";
import type { Events } from "../../viewer/server/events.ts";
import { JSON_TYPE, refuse, reply } from "../../viewer/server/reply.ts";
import type { DataStore } from "../store/data-store.ts";
import { ViewerError, type Viewers } from "./viewers.ts";

export interface RunAnswersOptions {
  readonly store: DataStore;
  readonly viewers: Viewers;
  readonly events: Events;
}

function describeRuns(store: DataStore): RunsInfo {
  const runs = store.list();
  const version = createHash("sha256").update(JSON.stringify(runs)).digest("hex").slice(0, 20);
  return {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-runs",
    name: basename(resolve(store.directory)),
    version,
    runs,
    status: "reading",
    findings: [],
  };
}

export function runAnswers(
  app: Hono<{ Bindings: { incoming: IncomingMessage } }>,
  { store, viewers, events }: RunAnswersOptions,
): void {
  app.get("/api/run", (c) => {
    const info = describeRuns(store);
    const bytes = Buffer.from(JSON.stringify(info));
    return reply(c, { type: JSON_TYPE, bytes, tag: info.version, immutable: false });
  });
  app.get("/api/events", (c) => events.answer(c));
  app.get("/runs/:folder", (c) => {
    const folder = c.req.param("folder");
    // The name of a run's folder needs no escapes, and is no address of another host.
    if (!store.has(folder)) return refuse(c, 404, noRun(folder));
    return c.redirect(`${folder}/`, 308);
  });
  app.on(["GET", "HEAD", "POST"], "/runs/:folder/*", async (c) => {
    // The raw path: the viewer decodes what is below the folder.
    const [, folder = "", path = ""] = /^\/runs\/([^/?]+)\/(.*)$/s.exec(c.env.incoming.url ?? "") ?? [];
    if (!store.has(folder)) return refuse(c, 404, noRun(folder));
    if (!viewers.has(join(store.directory, folder)) && isOfOtherSite(c.req.header()))
      return refuse(c, 403, "other sites cannot start a viewer: open the address of the run itself");
    try {
      return await viewers.forward(join(store.directory, folder), path, c.env.incoming);
    } catch (error) {
      if (error instanceof ViewerError) return refuse(c, 503, error.message);
      throw error;
    }
  });
}

function noRun(folder: string): string {
  return `there is no run in the folder ${printable(folder)}`;
}

/**
 * Whether a page of another site requests this for itself, as an image, a frame or ahead of a visit. Following a link is
 * not that: a person opens the run.
 */
function isOfOtherSite(headers: Readonly<Record<string, string>>): boolean {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  const isVisit = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return !isVisit || headers["sec-purpose"] !== undefined || headers.purpose !== undefined;
}
