// Writes the licences of everything that the build bundles into dist.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const BUNDLED = [
  '@marcbachmann/cel-js',
  '@noble/curves',
  '@noble/hashes',
  '@sinonjs/commons',
  '@sinonjs/fake-timers',
  '@valibot/to-json-schema',
  'preact',
  'punycode.js',
  'type-detect',
  'valibot',
]

const chapters = BUNDLED.map((name) => {
  const folder = new URL(`../node_modules/${name}/`, import.meta.url)
  const { version, license } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no licence file.`)
  return `## ${name} ${version} (${license})\n\n${readFileSync(new URL(file, folder), 'utf8').trim()}\n`
})

const head = '# Software that fauxgate contains\n\nThe files in this folder contain parts of the packages below.\n'
writeFileSync(new URL('../dist/THIRD-PARTY-LICENSES.md', import.meta.url), [head, ...chapters].join('\n'))
