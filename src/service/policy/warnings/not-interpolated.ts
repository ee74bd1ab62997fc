import type { ASTNode } from '@marcbachmann/cel-js'
import { cut, quote } from '../../../core/schema/text.ts'
import { findBelow, TEXT } from '../environment.ts'
import { checkExpression, walk } from '../expression.ts'
import type { PolicyPath } from '../problem.ts'
import { blankInterpolations, findInterpolations } from '../template.ts'
import { isVariable } from '../variables.ts'
import {
  type Finding,
  findInExpressions,
  isWithin,
  listValues,
  listVariables,
  literalOf,
  type ReadPolicy,
  type ReadValue,
  SCOPE,
  type Warning,
} from './warning.ts'

export const notInterpolated: Warning = {
  id: 'not-interpolated',
  about: 'A string contains the name of a variable or a function, but the name is not replaced with a value.',
  reason:
    'In a string, only `${…}` is replaced, in fields that take it. In an expression, a name in quotes is a string.',
  docs: 'https://ngrok.com/docs/traffic-policy/concepts/cel-interpolation/',
  wrong: `on_http_request:
  - actions: [{ type: add-headers, config: { headers: { x-client-ip: '{{ conn.client_ip }}' } } }]
`,
  right: `on_http_request:
  - actions: [{ type: add-headers, config: { headers: { x-client-ip: '\${conn.client_ip}' } } }]
`,
  find: (policy) => {
    const values = policy.actions.flatMap(listValues)
    return [
      ...values.flatMap(listTexts).flatMap((each) => findIn(each) ?? []),
      ...values.filter(({ path }) => !policy.problems.some((each) => isWithin(each.path, path))).flatMap(findVerbatim),
      ...findQuoted(policy),
    ]
  },
}

interface Text {
  readonly text: string
  readonly path: PolicyPath
}

/** Lists the strings in a value that can contain expressions. */
function listTexts({ field, value, path }: ReadValue): readonly Text[] {
  if (!field.takesCel && field.kind !== 'variables') return []
  if (typeof value === 'string') return [{ text: value, path }]
  const isList = Array.isArray(value)
  return Object.entries(Object(value)).flatMap(([name, each]) =>
    listTexts({ field, value: each, path: [...path, isList ? Number(name) : name] }),
  )
}

const NAME = '((?:req|res|conn|endpoint|time|vars|actions)(?:\\.\\w+)+)'
const CALL = '(?:(?:get|has)(?:Re[qs](?:Header|Cookie)|QueryParam)|secrets\\.get)\\(\\s*[\'"]'
/** A variable or a call in another language's syntax, or as the whole string. */
const OTHER_SIGNS = new RegExp(`(?:\\$\\(|\\{\\{-?|[#%]\\{|\\{|\\$)\\s*(?:${NAME}|${CALL})`)
const WHOLE = new RegExp(`^\\s*(?:${NAME}|${CALL}[^{}]*\\)(?:\\[\\d+\\])?)\\s*$`)

function findIn({ text, path }: Text): Finding | undefined {
  const [found, name] = WHOLE.exec(text) ?? OTHER_SIGNS.exec(blankInterpolations(text)) ?? []
  if (found === undefined || (name !== undefined && !isName(name))) return undefined
  const what = `has ${name === undefined ? 'a call' : quote(cut(name))} outside of \${…}, so it is not replaced with its value`
  return { path, what, hint: `Write \${${name === undefined ? '…' : cut(name)}}.` }
}

function isName(name: string): boolean {
  const found = findBelow(listVariables(), name.split('.'))
  return name.startsWith('vars.') || (found !== undefined && (isVariable(found) || TEXT in found))
}

/** Finds expressions in a field that takes none. A text such as `${5}` or `${NAME}` reads nothing from the traffic, so it may be meant. */
function findVerbatim({ field, value, path }: ReadValue): readonly Finding[] {
  if (field.kind !== 'text' || field.takesCel || typeof value !== 'string') return []
  return findInterpolations(value).found.flatMap(({ source, offset }) => {
    const { tree, problem } = checkExpression(source, SCOPE)
    if (!tree || problem || !isRead(tree)) return []
    const what = `has ${quote(cut(`\${${source}}`))}, but the field takes no expressions, so it is not replaced with its value`
    const hint = 'Write the value itself.'
    return { path, within: { offset: offset - 2, length: source.length + 3 }, what, hint }
  })
}

/** Returns whether an expression contains a variable or a call. */
function isRead(tree: ASTNode): boolean {
  let found = false
  walk(tree, ({ op }) => {
    found ||= op === 'id' || op === 'call' || op === 'rcall'
  })
  return found
}

/** Finds names of variables in quotes. */
function findQuoted(policy: ReadPolicy): readonly Finding[] {
  return findInExpressions(policy, '.', (node: ASTNode) => {
    const text = literalOf(node) ?? ''
    if (!new RegExp(`^${NAME}$`).test(text) || !isName(text)) return undefined
    return {
      what: `has ${quote(cut(text))} in quotes, which is a string, not the value`,
      hint: `Write ${cut(text)}.`,
    }
  })
}
