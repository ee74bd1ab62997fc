import type { ASTNode } from '@marcbachmann/cel-js'
import { quote } from '../../../core/schema/text.ts'
import { lookUp } from '../../../core/schema/values.ts'
import { pathOfNode } from '../expression.ts'
import { readTest, type Test } from './cases.ts'
import { listStored } from './stored.ts'
import { type Finding, findInExpressions, literalOf, type ReadPolicy, type Warning } from './warning.ts'

export const variableType: Warning = {
  id: 'variable-type',
  about: 'A `set-vars` variable is compared with, or used in a calculation with, a value of another type.',
  reason:
    'A string never equals a number, and a double plus an int fails. A string that consists of a single `${…}` keeps the type of the value.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/set-vars/',
  wrong: `on_http_request:
  - actions: [{ type: set-vars, config: { vars: [{ limit: '100' }] } }]
  - expressions: ["vars.limit == 100"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - actions: [{ type: set-vars, config: { vars: [{ limit: 100 }] } }]
  - expressions: ["vars.limit == 100"]
    actions: [{ type: deny }]
`,
  find: (policy) => {
    const types = readTypes(policy)
    return findInExpressions(
      policy,
      'vars.',
      (node) => describeComparison(node, types) ?? describeCalculation(node, types),
    )
  },
}

type Types = ReadonlyMap<string, ReadonlySet<string>>

/** Returns the types of the values that a policy gives to each variable. Types have their CEL names. */
function readTypes({ actions, expressions }: ReadPolicy): Types {
  const types = new Map<string, Set<string>>()
  const typesByPlace = new Map(expressions.map(({ path, type }) => [path.join(), type]))
  for (const { name, value, path } of listStored(actions)) {
    const whole = typeof value === 'string' && /^\$\{[^}]*\}$/.test(value)
    const type = whole ? typesByPlace.get(path.join()) : typeof value
    const known = types.get(name) ?? new Set()
    types.set(name, known.add(type === 'number' ? 'double' : (type ?? 'dyn')))
  }
  return types
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ string: 'string', boolean: 'bool', bool: 'bool' },
  ...{ number: 'number', int: 'number', uint: 'number', double: 'number' },
}

function describeComparison(node: ASTNode, types: Types): Pick<Finding, 'what' | 'hint'> | undefined {
  const { subject, name, constants = [] } = readTest(node) ?? readOrder(node) ?? {}
  const source = subject && pathOfNode(subject)
  const [type, ...others] = new Set(typesOf(source, types).map((each) => lookUp(NAMES, each) ?? 'dyn'))
  const wrong = constants.find((each) => NAMES[typeof each] !== type)
  if (source === undefined || type === undefined || type === 'dyn') return undefined
  if (others.length > 0 || wrong === undefined || name === 'startsWith') return undefined
  const what = `compares ${source}, a ${type}, with ${typeof wrong === 'string' ? quote(wrong) : wrong}`
  return { what, hint: `Write a ${type}, or change the value in set-vars.` }
}

/** Reads a test of whether a value is less than, or greater than, a string. */
function readOrder(node: ASTNode): Test | undefined {
  if (node.op !== '<' && node.op !== '<=' && node.op !== '>' && node.op !== '>=') return undefined
  const text = literalOf(node.args[1])
  return text === undefined ? undefined : { subject: node.args[0], name: node.op, constants: [text] }
}

/** Finds a number of `set-vars`, which is a double, and an int in a calculation. CEL converts neither. */
function describeCalculation(node: ASTNode, types: Types): Pick<Finding, 'what' | 'hint'> | undefined {
  if (node.op !== '+' && node.op !== '-' && node.op !== '*' && node.op !== '/') return undefined
  const [left, right] = node.args
  const [variable, constant] = right.op === 'value' ? [left, right] : [right, left]
  const source = pathOfNode(variable)
  const isDouble = typesOf(source, types).join() === 'double'
  if (!isDouble || constant.op !== 'value' || typeof constant.args !== 'bigint') return undefined
  const what = `calculates with ${source}, a double, and ${constant.args}, an int, which fails`
  return { what, hint: `Write ${constant.args}.0, or int(${source}).` }
}

function typesOf(source: string | undefined, types: Types): readonly string[] {
  return [...(types.get(source?.replace(/^vars\./, '') ?? '') ?? [])]
}
