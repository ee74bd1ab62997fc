// Generates the table of fauxgate's own error numbers in docs/decisions/errors.md. Its column "when" stays unchanged.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatMessage } from '../../src/core/schema/error-facts.ts'
import { tableOf } from '../../src/gateway/table.ts'
import { standard } from '../../src/index.ts'
import { table } from './markdown.ts'

const PAGE = 'docs/decisions/errors.md'
const HEAD = ['number', 'status', 'key', 'when']
const FIRST_OWN = 90_000

/** Returns the page with a row for each own number. A new row has the message of its error. */
export default function ownNumbers(root: string): Map<string, string> {
  const page = readFileSync(join(root, PAGE), 'utf8')
  const descriptions = new Map(
    [...page.matchAll(/^\| \d{5} \| \d{3} \| (`\w+`) \| (.+) \|$/gm)].map(([, key, when]) => [key, when]),
  )
  // An error with a code of its own is sent with that code.
  const own = [...tableOf(standard).catalogue.values()].filter(({ number, code }) => number >= FIRST_OWN && !code)
  const rows = own
    .sort((a, b) => a.number - b.number)
    .map((error) => {
      const key = `\`${error.key}\``
      return [error.number, error.status, key, descriptions.get(key) ?? formatMessage(error, {})]
    })
  return new Map([[PAGE, page.replace(/^\| number \|[\s\S]*?(?=\n\n)/m, () => table(HEAD, rows))]])
}
