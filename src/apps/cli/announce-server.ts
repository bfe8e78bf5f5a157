import { userInfo } from "node:os";
import type { Served } from "../viewer/server/start-server.ts";
import { openBrowser, tunnelCommand } from "./open-browser.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Prints the viewer's address, also for use from another machine, and opens it in the browser unless told not to.
 *
 * @param place the part of the address after the server's own: which view, and its parameters
 */
export async function announceServer(
  { url, port }: Served,
  { open, place = "" }: { readonly open?: boolean | undefined; readonly place?: string },
  terminal: Terminal,
): Promise<void> {
  terminal.out(`${url}${place}\n`);
  const { pathname, search } = new URL(url);
  const tunnel = tunnelCommand(port, { connection: process.env.SSH_CONNECTION, user: userInfo().username });
  const address = `http://127.0.0.1:${port}${pathname}${search}${place}`;
  if (tunnel !== undefined) terminal.err(`from your own machine: ${tunnel}\nthen open ${address} there\n`);
  terminal.err("nothing leaves this machine; press Ctrl-C to stop\n");
  if (open !== false && process.env.SSH_CONNECTION === undefined) await openBrowser(url + place);
}
