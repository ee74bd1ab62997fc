// Makes the CommonJS files from the ESM ones in dist, chunk by chunk, and lets both share one copy of the types.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { transform } from 'esbuild'

const dist = new URL('../dist/', import.meta.url)
const read = (name) => readFileSync(new URL(name, dist), 'utf8')
const write = (name, text) => writeFileSync(new URL(name, dist), text)
const { exports: ways } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The ways in that can be required, without extension. */
const required = Object.values(ways).flatMap((way) =>
  way.require ? [/dist\/([\w-]+)\.cjs$/.exec(way.require.default)[1]] : [],
)

/** The files that some file imports, and those that they import, without extension. */
function withImports(names) {
  const found = new Set(names)
  for (const name of found) for (const [, each] of read(`${name}.js`).matchAll(/"\.\/([\w-]+)\.js"/g)) found.add(each)
  return found
}

for (const name of withImports(required)) {
  const { code } = await transform(read(`${name}.js`), {
    format: 'cjs',
    target: 'es2022',
    // require() in place of import(), since the file that import() would load is another copy.
    supported: { 'dynamic-import': false },
    // A copy for machines: without its indentation it is a quarter smaller.
    minifyWhitespace: true,
    lineLimit: 120,
  })
  write(`${name}.cjs`, code.replace(/require\("\.\/([\w-]+)\.js"\)/g, 'require("./$1.cjs")'))
}

// An entry of the build alone, whose chunk is what counts.
rmSync(new URL('gateway-error.js', dist))

// ESM may take its types from a CommonJS file, not the other way round. Types of what can only be imported stay as they are.
const declarations = readdirSync(dist).filter((name) => name.endsWith('.d.ts'))
for (const name of declarations.map((each) => each.slice(0, -'.d.ts'.length))) {
  const text = read(`${name}.d.ts`).replace(/(['"]\.\/[\w-]+)\.js(['"])/g, '$1.cjs$2')
  const isWay = `./${name}` in ways || name === 'index'
  write(`${name}.d.ts`, text)
  if (isWay && !required.includes(name)) continue
  renameSync(new URL(`${name}.d.ts`, dist), new URL(`${name}.d.cts`, dist))
  if (isWay) write(`${name}.d.ts`, `export * from './${name}.cjs'\n`)
}
