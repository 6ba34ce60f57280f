// One classic script and one stylesheet, un-minified so that a change reads as a change: node build.mjs FOLDER.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"

const folder = process.argv[2]
if (!folder) throw new Error("node build.mjs FOLDER")

const notices = ["preact", "@preact/signals", "@preact/signals-core"].map((name) => {
  const home = join("node_modules", name)
  const { version, license } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
  return `${name} ${version} (${license})\n\n${readFileSync(join(home, "LICENSE"), "utf8").trim()}`
})

await build({
  entryPoints: ["src/main.tsx"],
  outfile: join(folder, "explorer.js"),
  bundle: true,
  format: "iife",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "ascii",
  legalComments: "none",
  banner: { js: `/*\nContains these libraries.\n\n${notices.join("\n\n")}\n*/` },
})

writeFileSync(join(folder, "explorer.css"), readFileSync(join("src", "explorer.css"), "utf8"))
