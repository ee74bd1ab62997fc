import { isDuration, type Json, kindsOf, type ObjectType, type Types } from './languages.ts'

const HEAD = `"""The types of what the controls take and return. \`npm run generate\` writes this file from the document of the controls."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

Duration = timedelta | int | str
Time = datetime | str
`

const TAIL = `
Outcome = str | FailedAttempt
RequestFilter = TypedDict("RequestFilter", {REQUEST}, total=False)
`

/** Returns the module of types. A TypedDict with names such as "from" needs the form of a call. */
export function pythonFile(types: Types): string {
  const ordered = [...types.types].sort((a, b) => depth(a, types) - depth(b, types))
  const request = types.types.find(({ name }) => name === 'Request')
  const filter = Object.entries(request?.json.properties ?? {}).map(
    ([name, json]) => `"${name}": "${typeOf(json, types, false)}"`,
  )
  return `${HEAD}${ordered.map((each) => formatType(each, types)).join('')}${TAIL.replace('{REQUEST}', `{${filter.join(', ')}}`)}`
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
  return !isSent && [json.type].flat().includes('null') ? `${text} | None` : text
}

function plainTypeOf(json: Json, types: Types, isSent: boolean): string {
  const { $ref, enum: choices, anyOf, items, format, additionalProperties } = json
  if ($ref !== undefined) return types.nameOf($ref) ?? 'dict[str, Any]'
  if (choices)
    return `Literal[${choices
      .filter((each) => each !== null)
      .map((each) => JSON.stringify(each).replaceAll('"', "'"))
      .join(', ')}]`
  if (anyOf)
    return (
      [...new Set(anyOf.filter(({ type }) => type !== 'null').map((each) => typeOf(each, types, isSent)))].join(
        ' | ',
      ) || 'Any'
    )
  if (isSent && isDuration(json)) return 'Duration'
  if (isSent && format === 'date-time') return 'Time'
  const names = kindsOf(json).map((kind) => {
    if (kind === 'array') return `list[${items ? typeOf(items, types, isSent) : 'Any'}]`
    if (kind !== 'object') return { boolean: 'bool', integer: 'int', number: 'float', string: 'str' }[kind] ?? 'Any'
    return `dict[str, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, types, isSent) : 'Any'}]`
  })
  return names.join(' | ') || 'Any'
}
