// Generates the tables of calls in docs/control-api.md. The lists of fields are those of the schemas. Other words of the page stay unchanged.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONTROL_PATH } from '../../src/control/address.ts'
import type { ControlCall } from '../../src/control/control.ts'
import { controlCalls } from '../../src/control/controls.ts'
import { innermostParts } from '../../src/core/schema/schema-parts.ts'

const PAGE = 'docs/control-api.md'
const FIELDS = / Fields: `[^.]*\./
const ROW = new RegExp(`^\\| \`([A-Z]+ ${CONTROL_PATH}/[^\`?]+).*\\n`, 'gm')

/** Returns the page with a row for each call. A new row follows that of the call before it, and has words of its schema. */
export default function controlApi(root: string, calls: readonly ControlCall[] = controlCalls): Map<string, string> {
  const names = calls.map(nameOf)
  let page = readFileSync(join(root, PAGE), 'utf8').replaceAll(ROW, (row, name) => (names.includes(name) ? row : ''))
  const existingRows = new Map([...page.matchAll(ROW)].map(([row, name = '']) => [name, row]))
  let before = '|---|---|\n' // The head of the first table.
  for (const call of calls) {
    const existing = existingRows.get(nameOf(call))
    const row = existing?.replace(FIELDS, () => listFields(call)) ?? createRow(call)
    page = existing ? page.replace(existing, () => row) : page.replace(before, () => before + row)
    before = row
  }
  return new Map([[PAGE, page]])
}

const nameOf = ({ method, path }: ControlCall) => `${method} ${CONTROL_PATH}${path}`

function createRow(call: ControlCall): string {
  const end = !call.response && !call.mediaType ? ' 204.' : ''
  return `| \`${nameOf(call)}\` | ${call.summary}.${listFields(call)}${end} |\n`
}

function listFields({ schema }: ControlCall): string {
  const names = Object.keys((schema && innermostParts(schema).entries) ?? {})
  return names.length > 0 ? ` Fields: ${names.map((name) => `\`${name}\``).join(', ')}.` : ''
}
