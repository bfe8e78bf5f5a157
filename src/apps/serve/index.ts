/**
 * `logratio serve`: takes batches over HTTP, and stores and shows runs. The format of a batch belongs to the adapters,
 * the display of a run to `viewer`.
 *
 * @module
 */
export { type ServeOptions, type Serving, startServing } from "./start-serving.ts";
