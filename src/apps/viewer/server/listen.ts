import type { AddressInfo } from "node:net";
import type { createAdaptorServer } from "@hono/node-server";
import { UsageError } from "../../../core/base/index.ts";

const DEFAULT_PORT = 8270;
/** Ports tried after the default one. */
const MORE_PORTS = 50;

type Server = ReturnType<typeof createAdaptorServer>;

/**
 * Listens at the wanted port, or at the first free one from 8270 on.
 *
 * @returns the port
 * @throws UsageError when the port or host is unavailable
 */
export async function listen(server: Server, host: string, wanted: number | undefined): Promise<number> {
  const ports =
    wanted === undefined ? Array.from({ length: MORE_PORTS }, (_, i) => DEFAULT_PORT + i) : [wanted];
  for (const port of ports) {
    const error = await listenAt(server, host, port);
    if (error === undefined) return (server.address() as AddressInfo).port;
    if (error.code !== "EADDRINUSE") {
      throw new UsageError(`cannot listen at ${host}, port ${port}: ${error.message}`, {
        cause: error,
        hint: "leave out --host and --port, or name an address of this machine and a free port",
      });
    }
  }
  throw new UsageError(
    wanted === undefined
      ? `none of the ports ${DEFAULT_PORT} to ${DEFAULT_PORT + MORE_PORTS - 1} is free`
      : `port ${wanted} is taken`,
    { hint: wanted === undefined ? "name one: --port N" : "leave out --port to use a free one" },
  );
}

function listenAt(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      server.off("listening", listening);
      resolve(error);
    };
    const listening = (): void => {
      server.off("error", failed);
      resolve(undefined);
    };
    server.once("error", failed);
    server.once("listening", listening);
    server.listen(port, host);
  });
}
