import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // Pages may be served below any path (a proxy, a notebook, a folder of files).
  base: "./",
  // The classic form names no `children`: the built page is smaller by it.
  oxc: {
    jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
    jsxInject: 'import { Fragment, h } from "preact";',
  },
  build: {
    outDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // The security policy allows no inline data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
