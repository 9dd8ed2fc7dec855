// Bundles the page into dist/: app.js and app.css for the studio, stage.js for notebooks, pack.js for the pages of packs. `--watch` keeps at it.
import { context } from "esbuild";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = process.env.FOOTFALL_PAGE_DIST ?? join(here, "dist");
const shared = {
  bundle: true,
  minify: true,
  target: ["chrome110", "firefox115", "safari16.4"],
  legalComments: "eof",
  logLevel: "warning",
};

await mkdir(dist, { recursive: true });
await cp(join(here, "src", "index.html"), join(dist, "index.html"));
const jobs = await Promise.all([
  context({
    ...shared,
    entryPoints: { app: join(here, "src", "main.ts") },
    outdir: dist,
    format: "esm",
  }),
  context({
    ...shared,
    entryPoints: { stage: join(here, "src", "notebook.ts"), pack: join(here, "src", "pack.ts") },
    outdir: dist,
    format: "iife",
    charset: "ascii", // it is pasted into HTML of unknown encoding
    loader: { ".css": "text" },
  }),
]);
if (process.argv.includes("--watch")) {
  await Promise.all(jobs.map((job) => job.watch()));
} else {
  await Promise.all(jobs.map((job) => job.rebuild()));
  await Promise.all(jobs.map((job) => job.dispose()));
}
