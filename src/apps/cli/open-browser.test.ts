import { expect, it } from "vitest";
import { browserOpener, tunnelCommand } from "./open-browser.ts";

it("opens a browser with what the desktop has for it, and none without a display", () => {
  const url = "http://127.0.0.1:8270/?a=1&b=2";
  const on = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}) =>
    browserOpener(url, { platform, env })?.command;
  expect([on("darwin"), on("win32"), on("linux")]).toEqual(["open", "rundll32", undefined]);
  expect(on("linux", { DISPLAY: ":0" })).toBe("xdg-open");
  expect(on("linux", { WAYLAND_DISPLAY: "wayland-0" })).toBe("xdg-open");
});

it("names the tunnel that an SSH session needs", () => {
  const command = (connection: string | undefined) => tunnelCommand(8271, { connection, user: "ana" });
  expect(command("10.0.0.2 50000 10.0.0.7 22")).toBe("ssh -N -L 8271:127.0.0.1:8271 ana@10.0.0.7");
  expect(command("10.0.0.2 50000 10.0.0.7 2222")).toBe("ssh -N -L 8271:127.0.0.1:8271 -p 2222 ana@10.0.0.7");
  expect(command(undefined)).toBeUndefined();
});
