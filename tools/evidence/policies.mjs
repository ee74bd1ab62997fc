// The policies in the files of a folder, for tools/evidence/traffic.mjs.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { load as parse } from 'js-yaml'
import { importSource } from '../../scripts/import-source.mjs'
import { matchAll } from './guesses.mjs'

const { findPolicies } = await importSource('src/service/policy/files/find.ts')

function outdent(text) {
  const indent = Math.min(...[...text.matchAll(/^[ \t]*(?=\S)/gm)].map(([blanks]) => blanks.length))
  return text.replace(new RegExp(`^[ \\t]{${indent}}`, 'gm'), '')
}

function readTexts(path) {
  const text = readFileSync(path, 'utf8')
  if (!/\.mdx?$/.test(path)) return [text]
  const blocks = /^[ \t]*(`{3,})(?:ya?ml|json)\b.*\n([\s\S]*?)\n[ \t]*\1[ \t]*$/gm
  return matchAll(blocks, text).map(([, block]) => outdent(block))
}

/** Returns the policies of the folder. Two that say the same, such as in YAML and in JSON, are one. */
export function listPolicies(folder) {
  const found = new Map()
  for (const path of readdirSync(folder, { recursive: true }).sort()) {
    if (!/\.(?:mdx?|ya?ml|json)$/.test(path) || !statSync(join(folder, path)).isFile()) continue
    const policies = readTexts(join(folder, path)).flatMap((each) => findPolicies(each).policies)
    for (const { text } of policies.map(({ slice }) => slice())) {
      let value = text
      try {
        value = JSON.stringify(parse(text, { json: true }))
      } catch {
        // It is refused later.
      }
      const hash = createHash('sha256').update(value).digest('hex')
      if (!found.has(hash)) found.set(hash, { path, hash, text: outdent(text) })
    }
  }
  return [...found.values()]
}
