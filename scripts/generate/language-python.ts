import { CERTIFICATE_ERRORS } from '../../src/service/provisioning/certificate-errors.ts'
import { ngrok } from '../../src/service/resources/dialects.ts'
import { fieldOf, isDuration, type Json, kindsOf, type ObjectType, type Types } from './languages.ts'

const HEAD = `"""The types of what the controls take and return. \`npm run generate\` writes this file from the document of the controls."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

Duration = timedelta | int | str
Time = datetime | str
CertificateError = {CERTIFICATE_ERROR}
`

const TAIL = `
Outcome = {OUTCOME}
RecordType = {RECORD_TYPE}
RequestFilter = TypedDict("RequestFilter", {REQUEST}, total=False)
`

/** Returns the module of types. A TypedDict with names such as "from" needs the form of a call. */
export function pythonFile(types: Types): string {
  const ordered = [...types.types].sort((a, b) => depth(a, types) - depth(b, types))
  const request = types.types.find(({ name }) => name === 'Request')?.json.properties ?? {}
  const filter = Object.entries(request).map(([name, json]) => `"${name}": "${typeOf(json, types, false)}"`)
  const errors = Object.entries(CERTIFICATE_ERRORS).flatMap(([key, { number }]) => [
    `${ngrok.errorPrefix}${number}`,
    key,
  ])
  const head = HEAD.replace('{CERTIFICATE_ERROR}', literal(errors))
  const tail = TAIL.replace('{OUTCOME}', typeOf(fieldOf(types, 'ScriptOptions', 'always'), types, true))
    .replace('{RECORD_TYPE}', typeOf(fieldOf(types, 'DnsRecord', 'type'), types, true))
    .replace('{REQUEST}', `{${filter.join(', ')}}`)
  return `${head}${ordered.map((each) => formatType(each, types)).join('')}${tail}`
}

/** Types that a type names come before it. */
function depth({ json }: ObjectType, types: Types): number {
  const inner = JSON.stringify(json).match(/#\/components\/schemas\/\w+/g) ?? []
  const found = types.types.filter(({ name }) => inner.some((each) => types.nameOf(each) === name))
  return found.reduce((most, each) => Math.max(most, 1 + depth(each, types)), 0)
}

function formatType({ name, json, isSent }: ObjectType, types: Types): string {
  const fields = Object.entries(json.properties ?? {}).map(
    ([field, value]) => `        # ${types.describe(value)}\n        "${field}": "${typeOf(value, types, isSent)}",\n`,
  )
  return `\n${name} = TypedDict(\n    "${name}",\n    {\n${fields.join('')}    },\n    total=False,\n)\n`
}

function typeOf(json: Json, types: Types, isSent: boolean): string {
  const text = plainTypeOf(json, types, isSent)
  const kinds = [json, ...(json.anyOf ?? [])].flatMap(({ type = [] }) => type)
  return !isSent && kinds.includes('null') ? `${text} | None` : text
}

function plainTypeOf(json: Json, types: Types, isSent: boolean): string {
  const { $ref, enum: choices, anyOf, items, format, additionalProperties } = json
  if ($ref !== undefined) return types.nameOf($ref) ?? 'dict[str, Any]'
  if (choices) return literal(choices)
  if (anyOf)
    return (
      [...new Set(anyOf.filter(({ type }) => type !== 'null').map((each) => typeOf(each, types, isSent)))].join(
        ' | ',
      ) || 'Any'
    )
  if (isSent && isDuration(json)) return 'Duration'
  if (format === 'certificate-error') return 'CertificateError'
  if (isSent && format === 'date-time') return 'Time'
  const names = kindsOf(json).map((kind) => {
    if (kind === 'array') return `list[${items ? typeOf(items, types, isSent) : 'Any'}]`
    if (kind !== 'object') return { boolean: 'bool', integer: 'int', number: 'float', string: 'str' }[kind] ?? 'Any'
    return `dict[str, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, types, isSent) : 'Any'}]`
  })
  return names.join(' | ') || 'Any'
}

function literal(choices: readonly (string | number | null)[]): string {
  const texts = choices.filter((each) => each !== null).map((each) => JSON.stringify(each).replaceAll('"', "'"))
  return `Literal[${texts.join(', ')}]`
}
