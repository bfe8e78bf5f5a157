/**
 * `logratio serve`: batches in over HTTP, runs out as the record and as the viewer. What is in a batch belongs to the
 * adapters, how a run is shown to `viewer`.
 *
 * @module
 */
export { type ServeOptions, type Serving, startServing } from "./start-serving.ts";
