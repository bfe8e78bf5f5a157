import { fileURLToPath } from "node:url";
import { defineConfig, minify, type Plugin } from "vite";

const TARGET = "es2022";
/** As the viewer's server sends it (`src/apps/viewer/server/security.ts`), but for `frame-ancestors`. */
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // Pages may be served below any path (a proxy, a notebook, a folder of files).
  base: "./",
  // The classic form names no `children`: the built page is smaller by it.
  oxc: {
    jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
    jsxInject: 'import { Fragment, h } from "preact";',
  },
  plugins: [shortNames(), ownPolicy(), classicScript()],
  build: {
    outDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    emptyOutDir: true,
    target: TARGET,
    // Terser finds what can go; Vite's own minifier then chooses names that gzip better. Each alone leaves 1 to 2.5 kB more.
    minify: "terser",
    terserOptions: {
      module: true,
      ecma: 2020,
      compress: { passes: 3, unsafe_arrows: true },
      mangle: false,
    },
    // The security policy allows no inline data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A script of this form would bring its styles inline, which the policy forbids.
    cssCodeSplit: false,
    rolldownOptions: {
      // Of a page that is opened from a disk, browsers run scripts but no modules.
      output: { format: "iife" },
      // The minifier is worth its time, which a newcomer need not be warned of.
      checks: { bundlerTimings: false },
    },
  },
});

function shortNames(): Plugin {
  return {
    name: "short-names",
    apply: "build",
    enforce: "post",
    async generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        const options = { module: true, compress: { target: TARGET }, mangle: { toplevel: true } } as const;
        const { code, errors } = await minify(file.fileName, file.code, options);
        if (errors.length > 0) this.error(errors.map(({ message }) => message).join("; "));
        // Dropped with the module's own strictness, but a classic script has none.
        file.code = `"use strict";${code}`;
      }
    },
  };
}

/**
 * A bundle is served by anyone, without the headers of our server: the page brings its policy itself. What only a header can
 * say (who may frame it) stays with the server. The page in development has inline scripts of Vite.
 */
function ownPolicy(): Plugin {
  return {
    name: "own-policy",
    apply: "build",
    transformIndexHtml: (page) =>
      page.replace(
        "<head>",
        `<head>\n    <meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}" />`,
      ),
  };
}

/** A page from a disk has no origin that the attribute `crossorigin` would allow. */
function classicScript(): Plugin {
  return {
    name: "classic-script",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (page) => page.replace(' type="module"', " defer").replaceAll(" crossorigin", ""),
    },
  };
}
