// Writes the licences of everything that the build bundles into dist.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const BUNDLED = [
  '@marcbachmann/cel-js',
  '@noble/curves',
  '@noble/hashes',
  '@sinonjs/commons',
  '@sinonjs/fake-timers',
  '@valibot/to-json-schema',
  'node-forge',
  'preact',
  'punycode.js',
  'type-detect',
  'valibot',
  'js-yaml',
]

/** The chosen licences of packages with several. The text of the other licence begins at its heading. */
const CHOSEN = { 'node-forge': { license: 'BSD-3-Clause', upTo: /^\s*GNU GENERAL PUBLIC LICENSE$/m } }

const chapters = BUNDLED.map((name) => {
  const folder = new URL(`../../node_modules/${name}/`, import.meta.url)
  const { version, license } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no licence file.`)
  const chosen = CHOSEN[name]
  const [text] = readFileSync(new URL(file, folder), 'utf8').split(chosen?.upTo ?? /$^/)
  return `## ${name} ${version} (${chosen?.license ?? license})\n\n${text.replace(/[-\s]+$/, '')}\n`
})

const head = '# Software that fauxgate contains\n\nThe files in this folder contain parts of the packages below.\n'
writeFileSync(new URL('../../dist/THIRD-PARTY-LICENSES.md', import.meta.url), [head, ...chapters].join('\n'))
