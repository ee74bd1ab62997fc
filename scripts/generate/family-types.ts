// Formats the calls of families as TypeScript interfaces.
import type * as v from 'valibot'
import type { Declaration, Families, Family } from '../../src/core/operation/family.ts'
import { listDirectErrors, type Operation, sortByNumber } from '../../src/core/operation/operation.ts'
import { documentationOf } from '../../src/core/schema/documentation.ts'
import type { CatalogueError } from '../../src/core/schema/errors.ts'
import { general } from '../../src/core/schema/general-errors.ts'
import { listErrors } from '../../src/core/schema/schema-parts.ts'
import { listDefinitions } from '../../src/gateway/openapi/json-schema.ts'
import { factOf, formatComment, formatInterface, formatLiteral, nameOf, typeOf } from './schema-types.ts'

type AnySchema = v.GenericSchema

export function listOperations(families: Families): Operation[] {
  return Object.values(families).flatMap(({ operations }) => Object.values(operations))
}

/** Returns the resources that tests can declare, by name. */
export function listDeclarations(families: Families): [string, Declaration][] {
  return Object.values(families).flatMap(({ declares = {} }) => Object.entries(declares))
}

/** Returns the schemas that clients and tests send to families. */
export function listInputSchemas(families: Families): AnySchema[] {
  const schemas = listOperations(families).flatMap(({ body, query }) =>
    [body, query].filter((each) => each !== undefined),
  )
  return [...schemas, ...listDeclarations(families).map(([, { schema }]) => schema)]
}

/** Returns the schemas that clients and tests receive from families. */
export function listResponseSchemas(families: Families): AnySchema[] {
  const schemas = listOperations(families).flatMap(({ response }) => response ?? [])
  return [...schemas, ...listDeclarations(families).map(([, { response }]) => response)]
}

/** Returns the name of the interface of a family's calls: the name of the family, unless a schema has that name. */
export function nameCallType(name: string, families: Families): string {
  const type = name.charAt(0).toUpperCase() + name.slice(1)
  return type in listDefinitions(listResponseSchemas(families)) ? `${type}Module` : type
}

/** Formats the interfaces of the families' calls, and one of this name that has them all. */
export function formatCallTypes(families: Families, name: string, sentence: string): string {
  const typeOfFamily = (family: string) => nameCallType(family, families)
  const interfaces = Object.entries(families).map(([family, each]) => formatFamily(family, typeOfFamily(family), each))
  return [
    ...interfaces,
    `${formatComment(sentence)}export interface ${name} {\n${formatMembers(families, typeOfFamily)}}\n`,
  ].join('\n')
}

/** Formats members with the names of the families, each with its sentence. */
export function formatMembers(families: Families, typeOfFamily: (name: string, family: Family) => string): string {
  const members = Object.entries(families).map(([name, family]) => {
    const response = Object.values(family.operations).find((each) => each.response)?.response
    const sentence = response && documentationOf(response).sentence
    const about = formatComment(sentence ?? `The methods of \`gateway.${name}\`.`)
    return `${about}readonly ${name}: ${typeOfFamily(name, family)}\n`
  })
  return members.join('')
}

function formatFamily(name: string, type: string, family: Family): string {
  const module = findModuleType(family)
  const own = Object.entries(family.operations).filter(([verb]) => module === undefined || verb === 'replace')
  const base = module === undefined ? '' : ` extends RouteModule<${module}>`
  const about = formatComment(`The methods of \`gateway.${name}\`.`)
  return `${about}export interface ${type}${base} {\n${own.map(formatCall).join('')}}\n`
}

/** Returns the type of a route module's response; undefined for any other family. */
function findModuleType({ operations: { get, replace } }: Family): string | undefined {
  return replace && get?.response && 'edge_id' in get.ids ? nameOf(get.response) : undefined
}

function formatCall([verb, operation]: readonly [string, Operation]): string {
  const { body, query, response, ids } = operation
  const parameters = [
    ...formatIdParameters(Object.keys(ids)),
    ...(body ? [formatParameter('body', body)] : []),
    ...(query ? [formatParameter('query', query)] : []),
  ]
  const about = formatComment(formatSentence(operation), ...formatThrown(operation))
  return `${about}${verb}(${parameters.join(', ')}): ${response ? typeOf(response) : 'void'}\n`
}

/** Formats the function of `gateway.declare` for a resource that tests declare. */
export function formatDeclaration([name, { schema, response, errors = [] }]: readonly [string, Declaration]): string {
  const { sentence = '' } = documentationOf(schema)
  const about = formatComment(sentence, ...formatErrors('field', sortByNumber(errors)))
  return `${about}${name}(${formatParameter('input', schema)}): ${typeOf(response)}\n`
}

/** Formats a parameter. It is optional if each of its fields is. */
function formatParameter(name: string, schema: AnySchema): string {
  const isOptional = !/^readonly \w+: /m.test(formatInterface(schema, true))
  return `${name}${isOptional ? '?' : ''}: ${nameOf(schema)}`
}

function formatIdParameters(names: readonly string[]): string[] {
  if (names.length === 0) return []
  if (names.length === 1) return ['id: string']
  if (names.join() === 'edge_id,id') return ['ids: RouteIds']
  return [`ids: { ${names.map((name) => `readonly ${name}: string`).join('; ')} }`]
}

function formatSentence({ summary, method, path, ids, response }: Operation): string {
  const prefixes = Object.values(ids)
  const starts = prefixes.length === 1 ? prefixes.flatMap((prefix) => prefix.split('|')) : []
  const start = starts.length > 0 ? `; the ID starts with ${starts.map((each) => `\`${each}_\``).join(' or ')}` : ''
  const rules = response && factOf(response, 'rules')
  const inThirdPerson = summary.replace(/^\w+/, (verb) => `${verb}${verb.endsWith('ch') ? 'es' : 's'}`)
  return `${inThirdPerson}: \`${method} ${path}\`${start}${rules ? ` (rules: ${rules})` : ''}.`
}

/** Formats the errors of a call, with their numbers. The errors of its fields are at the fields. */
function formatThrown(operation: Operation): string[] {
  const { body, query } = operation
  const ofFields = new Set([body, query].flatMap((each) => (each ? [...listErrors(each)] : [])))
  const own = listDirectErrors(operation).filter((error) => error === general.field_invalid || !ofFields.has(error))
  return formatErrors(ofFields.size === 0 ? undefined : body ? 'field' : 'parameter', own)
}

/** Formats errors by status, with the digits of the wire's `error_code`. A `part` documents its own errors. */
function formatErrors(part: 'field' | 'parameter' | undefined, errors: readonly CatalogueError[]): string[] {
  const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b)
  const byStatus = statuses.map((status) => {
    const errorsOfStatus = errors.filter((error) => error.status === status)
    return `${status}: ${errorsOfStatus.map(({ key, number }) => `\`${key}\` ${number}`).join(', ')}`
  })
  const ofStatuses = byStatus.length === 0 ? [] : [`with status ${byStatus.join('; ')}`]
  const thrown = [...(part ? [`if a ${part} is invalid`] : []), ...ofStatuses]
  return thrown.length === 0 ? [] : [`@throws GatewayError ${thrown.join('; or ')}.`]
}

/** Returns a union of texts. */
export const formatUnion = (texts: readonly string[]): string => texts.map(formatLiteral).join(' | ') || 'never'
