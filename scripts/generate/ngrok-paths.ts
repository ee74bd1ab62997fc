// Generates the groups of ngrok's further families with their paths, for the messages of gateways without these families. The
// file is committed, because the code that generates it imports it.
import type { Family } from '../../src/core/operation/family.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'

/**
 * Returns the file with the names of the groups of operations, by the beginning of their paths up to the first id. The path of
 * the groups under "/" is their name.
 */
export default function ngrokPaths(): Map<string, string> {
  const operations = Object.values<Family>(ngrokFamilies).flatMap((family) => Object.values(family.operations))
  const groups = new Map<string, Set<string>>()
  for (const { name, path } of operations) {
    const [group = ''] = name.split('.')
    const start = path.replace(/\/\{.*/, '')
    const key = start === `/${group}` ? '/' : start
    groups.set(key, (groups.get(key) ?? new Set()).add(group))
  }
  const texts = Object.fromEntries([...groups].map(([start, names]) => [start, [...names].join(' ')]))
  return new Map([['src/service/resources/ngrok-paths.json', `${JSON.stringify(texts, null, 2)}\n`]])
}
