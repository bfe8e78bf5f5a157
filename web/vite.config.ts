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
    // Saves half a kilobyte of the page over Vite's own minifier; its weight is limited
    // (scripts/check-page-weight.mjs).
    minify: "terser",
    terserOptions: { module: true, ecma: 2020, compress: { passes: 3, unsafe_arrows: true } },
    // The security policy allows no inline data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The minifier is worth its time, which a newcomer need not be warned of.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
