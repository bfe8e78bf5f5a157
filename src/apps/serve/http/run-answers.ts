/**
 * The page's requests: the list of runs, and the viewer of each below `runs/FOLDER/`.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { basename, join, resolve } from "node:path";
import type { Hono } from "hono";
import { type RunsInfo, VIEW_SCHEMA_VERSION } from "../../../results/index.ts";
import { type Events, JSON_TYPE, refuse, reply } from "../../viewer/server/index.ts";
import type { DataStore } from "../store/data-store.ts";
import { ViewerError, type Viewers } from "./viewers.ts";

export interface RunAnswersOptions {
  readonly store: DataStore;
  readonly viewers: Viewers;
  readonly events: Events;
}

export function describeRuns(store: DataStore): RunsInfo {
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
  app.get("/runs/:folder", (c) => c.redirect(`${c.req.param("folder")}/`, 308));
  app.on(["GET", "HEAD", "POST"], "/runs/:folder/*", async (c) => {
    // The raw path: the viewer decodes what is below the folder.
    const [, folder = "", path = ""] = /^\/runs\/([^/?]+)\/(.*)$/s.exec(c.env.incoming.url ?? "") ?? [];
    if (!store.has(folder)) return refuse(c, 404, `there is no run in the folder ${folder}`);
    try {
      return await viewers.forward(join(store.directory, folder), path, c.env.incoming);
    } catch (error) {
      if (error instanceof ViewerError) return refuse(c, 503, error.message);
      throw error;
    }
  });
}
