// Generates the groups of ngrok's further families with their paths, for the messages of gateways without these families. The
// file is committed, because the code that generates it imports it.
import type { Family } from '../../src/core/operation/family.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'

/** Returns the file with the beginning of each path, up to the first id, by the name of its group of operations. */
export default function ngrokPaths(): Map<string, string> {
  const operations = Object.values<Family>(ngrokFamilies).flatMap((family) => Object.values(family.operations))
  const starts = Object.fromEntries(
    operations.map(({ name, path }) => [name.replace(/\..*/, ''), path.replace(/\/\{.*/, '')]),
  )
  return new Map([['src/control/ngrok-paths.json', `${JSON.stringify(starts, null, 2)}\n`]])
}
