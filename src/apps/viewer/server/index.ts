/**
 * The viewer's HTTP server.
 *
 * @module
 */
export { isLoopback } from "./security.ts";
export {
  type Served,
  type ServerOptions,
  startPagesServer,
  startStudyServer,
  startViewServer,
  type ViewServer,
} from "./start-server.ts";
export { builtPage, filesBelow } from "./static-files.ts";
