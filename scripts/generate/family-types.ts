// The calls of families as TypeScript interfaces.
import type * as v from 'valibot'
import { listDefinitions } from '../../src/openapi/json-schema.ts'
import type { Declaration, Families, Family } from '../../src/operation/family.ts'
import { listDirectErrors, type Operation, sortByNumber } from '../../src/operation/operation.ts'
import { documentationOf, listErrors } from '../../src/schema/documentation.ts'
import type { CatalogueError } from '../../src/schema/errors.ts'
import { general } from '../../src/schema/general-errors.ts'
import { comment, factOf, interfaceOf, literal, nameOf, typeOf } from './schema-types.ts'

type AnySchema = v.GenericSchema

export function operationsOf(families: Families): Operation[] {
  return Object.values(families).flatMap(({ operations }) => Object.values(operations))
}

/** The resources that tests can declare, by name. */
export function declarationsOf(families: Families): [string, Declaration][] {
  return Object.values(families).flatMap(({ declares = {} }) => Object.entries(declares))
}

/** The schemas that clients and tests send to families. */
export function sentTo(families: Families): AnySchema[] {
  const schemas = operationsOf(families).flatMap(({ body, query }) =>
    [body, query].filter((each) => each !== undefined),
  )
  return [...schemas, ...declarationsOf(families).map(([, { schema }]) => schema)]
}

/** The schemas that clients and tests receive from families. */
export function answeredBy(families: Families): AnySchema[] {
  const schemas = operationsOf(families).flatMap(({ response }) => response ?? [])
  return [...schemas, ...declarationsOf(families).map(([, { answer }]) => answer)]
}

/** The interface of a family's calls is named like the family, unless a schema has that name. */
export function callsName(name: string, families: Families): string {
  const type = name.charAt(0).toUpperCase() + name.slice(1)
  return type in listDefinitions(answeredBy(families)) ? `${type}Module` : type
}

/** The interfaces of the families' calls, and one of this name that has them all. */
export function callsText(families: Families, name: string, sentence: string): string {
  const typeOfFamily = (family: string) => callsName(family, families)
  const interfaces = Object.entries(families).map(([family, each]) => familyText(family, typeOfFamily(family), each))
  return [
    ...interfaces,
    `${comment(sentence)}export interface ${name} {\n${membersOf(families, typeOfFamily)}}\n`,
  ].join('\n')
}

/** Members named like the families, each with its sentence. */
export function membersOf(families: Families, typeOfFamily: (name: string, family: Family) => string): string {
  const members = Object.entries(families).map(([name, family]) => {
    const response = Object.values(family.operations).find((each) => each.response)?.response
    const sentence = response && documentationOf(response).sentence
    const about = comment(sentence ?? `The calls of \`gateway.${name}\`.`)
    return `${about}readonly ${name}: ${typeOfFamily(name, family)}\n`
  })
  return members.join('')
}

function familyText(name: string, type: string, family: Family): string {
  const module = moduleOf(family)
  const own = Object.entries(family.operations).filter(([verb]) => module === undefined || verb === 'replace')
  const base = module === undefined ? '' : ` extends RouteModule<${module}>`
  const about = comment(`The calls of \`gateway.${name}\`.`)
  return `${about}export interface ${type}${base} {\n${own.map(callText).join('')}}\n`
}

/** The answer of a route module; undefined for any other family. */
function moduleOf({ operations: { get, replace } }: Family): string | undefined {
  return replace && get?.response && 'edge_id' in get.ids ? nameOf(get.response) : undefined
}

function callText([verb, operation]: readonly [string, Operation]): string {
  const { body, query, response, ids } = operation
  const parameters = [
    ...idParameters(Object.keys(ids)),
    ...(body ? [parameterText('body', body)] : []),
    ...(query ? [parameterText('query', query)] : []),
  ]
  const about = comment(callSentence(operation), `@throws GatewayError ${thrownBy(operation)}.`)
  return `${about}${verb}(${parameters.join(', ')}): ${response ? typeOf(response) : 'void'}\n`
}

/** The function in `gateway.declare` of something that tests declare. */
export function declarationText([name, { schema, answer, errors = [] }]: readonly [string, Declaration]): string {
  const { sentence = '' } = documentationOf(schema)
  const thrown = listed(['what fields are refused as'], sortByNumber(errors))
  const about = comment(sentence, `@throws GatewayError ${thrown}.`)
  return `${about}${name}(${parameterText('input', schema)}): ${typeOf(answer)}\n`
}

/** A parameter can be left out if each of its fields can. */
function parameterText(name: string, schema: AnySchema): string {
  const isOptional = !/^readonly \w+: /m.test(interfaceOf(schema, true))
  return `${name}${isOptional ? '?' : ''}: ${nameOf(schema)}`
}

function idParameters(names: readonly string[]): string[] {
  if (names.length === 0) return []
  if (names.length === 1) return ['id: string']
  if (names.join() === 'edge_id,id') return ['ids: RouteIds']
  return [`ids: { ${names.map((name) => `readonly ${name}: string`).join('; ')} }`]
}

function callSentence({ summary, method, path, ids, response }: Operation): string {
  const prefixes = Object.values(ids)
  const starts = prefixes.length === 1 ? prefixes.flatMap((prefix) => prefix.split('|')) : []
  const start = starts.length > 0 ? `; the id starts with ${starts.map((each) => `\`${each}_\``).join(' or ')}` : ''
  const rules = response && factOf(response, 'rules')
  const inThirdPerson = summary.replace(/^\w+/, (verb) => `${verb}${verb.endsWith('ch') ? 'es' : 's'}`)
  return `${inThirdPerson}: \`${method} ${path}\`${start}${rules ? ` (rules: ${rules})` : ''}.`
}

/** The errors of a call, with their numbers; those of its fields are at the fields. */
function thrownBy(operation: Operation): string {
  const { body, query } = operation
  const ofFields = new Set([body, query].flatMap((each) => (each ? [...listErrors(each)] : [])))
  const own = listDirectErrors(operation).filter((error) => error === general.field_invalid || !ofFields.has(error))
  return listed(ofFields.size === 0 ? [] : [`what ${body ? 'fields' : 'parameters'} are refused as`], own)
}

/** Errors by their statuses, with the digits of the wire's `error_code`. */
function listed(elsewhere: readonly string[], errors: readonly CatalogueError[]): string {
  const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b)
  const byStatus = statuses.map((status) => {
    const those = errors.filter((error) => error.status === status)
    return `${status}: ${those.map(({ key, number }) => `\`${key}\` ${number}`).join(', ')}`
  })
  return [...elsewhere, ...byStatus].join('; ')
}

/** Returns a union of texts. */
export const union = (texts: readonly string[]): string => texts.map(literal).join(' | ') || 'never'
