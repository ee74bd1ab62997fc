// Writes the table of stable and experimental parts into README.md and docs/README.md.
import { table, withParts } from './markdown.ts'

const STABLE = [
  '`createGateway` and `createNgrok`, the clock, faults, and provisioning',
  'fixtures and matchers for test runners',
  '`survives`',
  '`fauxgate policy check`',
  '`fauxgate serve` and its control API',
  'the store',
]

export const EXPERIMENTAL = [
  'traffic: `gateway.traffic`, `serve --traffic`, `fauxgate http`',
  "the agent's API: `gateway.agent`, `serve --agent`",
  'events: `gateway.sentEvents`, `toHaveSentEvent`',
  'sandboxes: `fauxgate/sandbox`, `fauxgate sandbox`',
  "the inspector's appearance",
  'the Python and Go packages',
]

/** Returns the pages with the table. test/docs/stability.test.ts finds the types of experimental parts by the names in the table. */
export default function stability(root: string): Map<string, string> {
  const rows = STABLE.map((stable, index) => [stable, EXPERIMENTAL[index] ?? ''])
  const parts = { stability: `\n${table(['stable', 'experimental'], rows)}\n` }
  return new Map(['README.md', 'docs/README.md'].map((page) => withParts(root, page, parts)))
}
