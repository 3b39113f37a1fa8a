/** How the pages are built: from pages/ into the package, under names that do not change with the contents. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: "pages",
  base: "/static/",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: "../src/errai/web/static",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // Names are the same for every build: the server says by their contents whether files have changed.
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        chunkFileNames: "parts/[name].js",
        manualChunks: (id) => (/node_modules|pages\/(api|shared)\//.test(id) ? "shared" : undefined),
        assetFileNames: ({ names }) => (names[0] === "index.css" ? "app.css" : "parts/[name][extname]"),
      },
    },
  },
  test: {
    environment: "happy-dom",
    include: ["**/*.test.{ts,tsx}"],
    setupFiles: "testing/setup.ts",
    isolate: false,
  },
});
