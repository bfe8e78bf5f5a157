import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";

/**
 * Bounds the connections of a server. Beyond the bound, a new one takes the place of the one that has been without a
 * request for longest, so connections that ask nothing keep nobody out.
 */
export function limitConnections(server: Server, most: number): void {
  // In the order in which they became idle.
  const idle = new Set<Socket>();
  let open = 0;
  server.on("connection", (socket: Socket) => {
    open++;
    if (open > most) {
      const [oldest = socket] = idle;
      idle.delete(oldest);
      oldest.destroy();
    }
    if (!socket.destroyed) idle.add(socket);
    socket.once("close", () => {
      open--;
      idle.delete(socket);
    });
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
}
