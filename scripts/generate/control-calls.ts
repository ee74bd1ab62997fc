import type * as v from 'valibot'
import { controlCalls } from '../../src/control/controls.ts'
import { documentationOf } from '../../src/core/schema/documentation.ts'
import { isSchema, partsOf } from '../../src/core/schema/schema-parts.ts'
import type { Flag } from '../../src/server/options/flags.ts'

/**
 * Returns the file with the commands and the fields of each control call. The client makes its commands and flags from it. So a command
 * such as `fauxgate clock` loads no schema and no gateway.
 */
export function controlCallsFile(): [string, string] {
  const calls = controlCalls.map(({ method, path, summary, from, mediaType, commands, schema }) => [
    `${method} ${path}`,
    { method, path, summary, from, mediaType, commands, fields: schema ? fieldsOf(schema, path) : [] },
  ])
  return ['control-calls.json', `${JSON.stringify(Object.fromEntries(calls))}\n`]
}

/** Returns the fields of a body or a query. A field without a sentence can be set by words only. */
function fieldsOf(schema: v.GenericSchema, path: string) {
  return Object.entries(partsOf(schema).entries ?? {}).map(([field, each]) => {
    const { sentence, facts } = documentationOf(each)
    const isFlag = sentence !== undefined && !facts.some(({ isNoData }) => isNoData)
    return { field, ...kindOf(each, placeholderOf(path, field)), ...(isFlag && { sentence }) }
  })
}

/** The placeholders of fields in the help, if the field's own name does not say what to write. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '/dns after': 'DURATION',
  '/dns issuewild': 'AUTHORITIES',
  '/explorations allow': 'REGEXP',
  '/explorations also': 'KIND',
  '/explorations ignore': 'PATH',
  '/explorations kinds': 'KIND',
  '/explorations mayLeave': 'FAMILY',
  '/explorations replay': 'SCHEDULE',
  '/explorations within': 'DURATION',
  '/faults agent': 'PATH',
  '/faults error': 'CODE',
  '/faults latency': 'DURATION',
  '/faults message': 'TEXT',
  '/faults operation': 'NAME',
  '/faults resource': 'ID',
  '/faults retryAfter': 'DURATION',
  '/faults traffic': 'URL',
  '/report about': 'TEXT',
  '/sent-events destination': 'ID',
  '/traffic after': 'N',
  '/traffic/upstreams body': 'TEXT',
}

function placeholderOf(path: string, field: string): string {
  if (path === '/declare') return 'ID'
  if (path === '/timelines' && /^(?:skip|limit)$/.test(field)) return 'N'
  return PLACEHOLDERS[`${path} ${field}`] ?? field.replace(/[A-Z]/g, '-$&').toUpperCase()
}

function kindOf(schema: v.GenericSchema, placeholder: string): Pick<Flag, 'kind' | 'value'> {
  const { type, wrapped, options = [] } = partsOf(schema)
  if (wrapped) return kindOf(wrapped, placeholder)
  if (type === 'array') return { kind: 'texts', value: placeholder }
  if (type === 'record' || type === 'object') return { kind: 'json', value: 'JSON' }
  if (type === 'number') return { kind: 'integer', value: 'N' }
  if (type === 'boolean' || type === 'literal') return { kind: 'switch', value: '' }
  if (type === 'picklist') return { kind: 'text', value: options.join('|') }
  // A text, or an object as JSON.
  if (type === 'union' && options.some((each) => isSchema(each) && partsOf(each).type === 'custom')) {
    return { kind: 'json', value: 'JSON' }
  }
  return { kind: 'text', value: placeholder }
}
