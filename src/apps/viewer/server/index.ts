/**
 * The viewer's HTTP server.
 *
 * @module
 */
export type { ReadDropped } from "./drop-answers.ts";
export { Events } from "./events.ts";
export { listen } from "./listen.ts";
export { JSON_TYPE, refuse, reply } from "./reply.ts";
export {
  allowedHosts,
  checkHost,
  checkOrigin,
  checkToken,
  isLoopback,
  securityHeaders,
} from "./security.ts";
export {
  type Served,
  type ServerOptions,
  startPagesServer,
  startStudyServer,
  startViewServer,
  type ViewServer,
} from "./start-server.ts";
export { builtPage, filesBelow, staticFiles } from "./static-files.ts";
