import { spawn } from "node:child_process";

interface Opener {
  readonly command: string;
  readonly args: readonly string[];
}

/** The program that opens an address on this desktop; undefined if there is no display. */
export function browserOpener(
  url: string,
  {
    platform = process.platform,
    env = process.env,
  }: { platform?: NodeJS.Platform; env?: NodeJS.ProcessEnv } = {},
): Opener | undefined {
  if (platform === "darwin") return { command: "open", args: [url] };
  // Not `start`: cmd would interpret the & of an address.
  if (platform === "win32") return { command: "rundll32", args: ["url.dll,FileProtocolHandler", url] };
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return undefined;
  return { command: "xdg-open", args: [url] };
}

/** Opens the address in the user's browser, without waiting; false if there is nothing to open it with. */
export function openBrowser(url: string): Promise<boolean> {
  const opener = browserOpener(url);
  if (opener === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(opener.command, opener.args, { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

/** The command to run on one's own machine to see a page served at the other end of an SSH session. */
export function tunnelCommand(
  port: number,
  { connection, user }: { readonly connection: string | undefined; readonly user: string },
): string | undefined {
  const [, , server, serverPort] = (connection ?? "").split(" ");
  if (server === undefined || serverPort === undefined) return undefined;
  const other = serverPort === "22" ? "" : `-p ${serverPort} `;
  return `ssh -N -L ${port}:127.0.0.1:${port} ${other}${user}@${server}`;
}
