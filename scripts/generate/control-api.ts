// Generates the tables of calls in docs/control-api.md. The descriptions of calls on the page stay unchanged.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONTROL_PATH } from '../../src/control/address.ts'
import type { ControlCall } from '../../src/control/control.ts'
import { controlCalls } from '../../src/control/controls.ts'
import { partsOf } from '../../src/core/schema/schema-parts.ts'

const PAGE = 'docs/control-api.md'
const ROW = new RegExp(`^\\| \`([A-Z]+ ${CONTROL_PATH}/[^\`?]+).*\\n`, 'gm')

/** Returns the page with a row for each call. A new row follows that of the call before it, and has words of its schema. */
export default function controlApi(root: string, calls: readonly ControlCall[] = controlCalls): Map<string, string> {
  const names = calls.map(nameOf)
  let page = readFileSync(join(root, PAGE), 'utf8').replaceAll(ROW, (row, name) => (names.includes(name) ? row : ''))
  const existingRows = new Map([...page.matchAll(ROW)].map(([row, name = '']) => [name, row]))
  let before = '|---|---|\n' // The head of the first table.
  for (const call of calls) {
    const row = existingRows.get(nameOf(call)) ?? createRow(call)
    if (!existingRows.has(nameOf(call))) page = page.replace(before, () => before + row)
    before = row
  }
  return new Map([[PAGE, page]])
}

const nameOf = ({ method, path }: ControlCall) => `${method} ${CONTROL_PATH}${path}`

function createRow(call: ControlCall): string {
  const entries = call.schema ? partsOf(call.schema).entries : {}
  const fields = Object.keys(entries ?? {}).map((name) => `\`${name}\``)
  const sentences = [
    `${call.summary}.`,
    fields.length > 0 && `Fields: ${fields.join(', ')}.`,
    !call.response && !call.mediaType && '204.',
  ]
  return `| \`${nameOf(call)}\` | ${sentences.filter(Boolean).join(' ')} |\n`
}
