import { fileURLToPath } from "node:url";
import { defineConfig, minify, type Plugin } from "vite";

const TARGET = "es2022";
/** The policy that the viewer's server sends (`src/apps/viewer/server/security.ts`), without `frame-ancestors`. */
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // Pages may be served below any path (a proxy, a notebook, a folder of files).
  base: "./",
  // The classic form does not name `children`, which makes the built page smaller.
  oxc: {
    jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
    jsxInject: 'import { Fragment, h } from "preact";',
  },
  plugins: [shortNames(), ownPolicy(), classicScript()],
  build: {
    outDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    emptyOutDir: true,
    target: TARGET,
    // Terser removes more; Vite's own minifier then chooses names that gzip better. Alone, either costs 1 to 2.5 kB.
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
    // A script of this form would inject its styles inline, which the policy forbids.
    cssCodeSplit: false,
    rolldownOptions: {
      // In a page opened from disk, browsers run scripts but not modules.
      output: { format: "iife" },
      // The minifier is worth its time, so there is no need for a warning.
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
        // The minifier drops this because modules are strict, but a classic script is not.
        file.code = `"use strict";${code}`;
      }
    },
  };
}

/**
 * A bundle may be served by anyone, without the headers of our server, so the page contains its own policy. What only a
 * header can say (who may frame it) stays with the server. In development, the page has inline scripts by Vite.
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

/** A page opened from disk has no origin that the attribute `crossorigin` would allow. */
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
