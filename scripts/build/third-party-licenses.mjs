// Writes the versions and licences of everything that the build bundles into dist.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** The bundled packages. scripts/build/bundle.mjs fails if it bundles another one. */
export const BUNDLED = [
  '@marcbachmann/cel-js',
  '@noble/curves',
  '@noble/hashes',
  '@sinonjs/commons',
  '@sinonjs/fake-timers',
  '@valibot/to-json-schema',
  'ipaddr.js',

  'jose',
  'js-yaml',
  'nanoid',
  'node-forge',
  'preact',
  'punycode.js',
  're2js',
  'type-detect',
  'valibot',
]

/** The chosen licences of packages with several. The text of the other licence begins at its heading. */
const CHOSEN = { 'node-forge': { license: 'BSD-3-Clause', upTo: /^\s*GNU GENERAL PUBLIC LICENSE$/m } }

/** Returns what a licence file says before its terms, such as the copyright, and the terms. */
function splitLicense(text) {
  const start = text.search(/^(?:Permission is hereby|Redistribution and use)/m)
  const notice = text
    .slice(0, start)
    .trim()
    .replace(/^\(?(?:The )?(?:MIT|BSD).* License.*\n/, '')
  return { notice: notice.trim(), terms: text.slice(start).trim() }
}

/** Returns the notice of a package with its version, its licence, and the terms. */
function readPackage(name) {
  const folder = new URL(`../../node_modules/${name}/`, import.meta.url)
  const { version, license } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no licence file.`)
  const chosen = CHOSEN[name]
  const [text] = readFileSync(new URL(file, folder), 'utf8').split(chosen?.upTo ?? /$^/)
  const { notice, terms } = splitLicense(text.replace(/[-\s]+$/, ''))
  return { about: `### ${name} ${version}\n\n${notice}\n`, license: chosen?.license ?? license, terms }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const groups = new Map()
  for (const each of BUNDLED.map(readPackage)) {
    const terms = each.terms.replace(/\s+/g, ' ')
    groups.set(terms, [...(groups.get(terms) ?? []), each])
  }
  const chapters = [...groups.values()].map((all) => {
    const [{ license, terms }] = all
    return `## ${license}\n\n${all.map(({ about }) => about).join('\n')}\n#### Terms\n\n${terms}\n`
  })
  const head =
    '# Software that fauxgate contains\n\nThe files in this folder contain parts of these packages. Packages with the same terms share a chapter.\n'
  writeFileSync(new URL('../../dist/THIRD-PARTY-LICENSES.md', import.meta.url), [head, ...chapters].join('\n'))
}
