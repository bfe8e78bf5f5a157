import type { Hono } from "hono";
import { buildGlossary } from "../../../render/glossary/index.ts";

/** What terms mean: the same for every run and study. */
export function glossaryAnswer(app: Hono): void {
  app.get("/glossary", (c) => c.json(buildGlossary(), 200, { "cache-control": "no-store" }));
}
