// The TypeScript types of src/generated: those of every schema of a family, a control or an option.
import * as v from 'valibot'
import type { AnyControl } from '../../src/control/control.ts'
import { controlErrors, controls } from '../../src/controls.ts'
import { gatewayOptions, gatewayRows } from '../../src/gateway/options.ts'
import { definitionsIn, schemasBelow } from '../../src/openapi/json-schema.ts'
import type { Family } from '../../src/operation/family.ts'
import { pageTail } from '../../src/operation/list.ts'
import { directErrorsOf, type Operation } from '../../src/operation/operation.ts'
import { declared } from '../../src/resources/declarations.ts'
import { families } from '../../src/resources/index.ts'
import { documentationOf, errorsIn, marksOf, named } from '../../src/schema/documentation.ts'
import type { CatalogueError } from '../../src/schema/errors.ts'
import { general } from '../../src/schema/general-errors.ts'
import { resourceHead } from '../../src/schema/schema.ts'
import { configSchema } from '../../src/server/options/config.ts'
import { pairOptions } from '../../src/testing/certificates-options.ts'
import { sandboxExample } from './sandbox-example.ts'
import { comment, factOf, interfaceOf, literal, nameOf, typeOf } from './schema-types.ts'

type AnySchema = v.GenericSchema

/** A file of types: the schemas that clients send, those that they receive, and the text after their interfaces. */
interface Group {
  readonly sent: readonly AnySchema[]
  readonly answered: readonly AnySchema[]
  readonly more?: string
}

const tables: readonly [string, Family][] = Object.entries<Family>(families)
const operations = tables.flatMap(([, family]) => Object.values(family.operations))
const allControls: readonly AnyControl[] = controls
const calls = allControls.flatMap((control) => Object.values(control.calls))

/** The files. A type is in the first one that needs it. */
const GROUPS: Readonly<Record<string, () => Group>> = {
  'resources.ts': () => ({
    sent: operations.flatMap(({ body, query }) => [body, query].filter((each) => each !== undefined)),
    answered: [
      named(v.object(resourceHead), 'Resource', 'What every resource has.'),
      named(v.object(pageTail), 'ListPage', 'What every page of a list has, beside its items.'),
      ...operations.flatMap(({ response }) => response ?? []),
    ],
    more: [...tables.map(familyText), resourcesText()].join('\n'),
  }),
  'controls.ts': () => ({
    sent: [...calls.flatMap(({ schema }) => schema ?? []), ...allControls.flatMap(({ types = [] }) => types)],
    answered: calls.flatMap(({ answer }) => answer ?? []),
  }),
  // The sentences of options have their defaults and limits.
  'options.ts': () => ({
    sent: [],
    answered: [
      ...Object.values(gatewayRows).flatMap((row) => marksOf(row).whole ?? []),
      ...[gatewayOptions, configSchema, pairOptions()],
    ],
  }),
}

/** The modules of names that the text of a group uses and no schema brings. */
const OTHERS: Readonly<Record<string, string>> = {
  InitialOf: '../resources/initial.ts',
  RouteIds: '../resources/route-module.ts',
  RouteModule: '../resources/route-module.ts',
}

/** The text of each file, by its path. */
export default function types(root: string): Map<string, string> {
  const homes = new Map(Object.entries(OTHERS))
  for (const name of ['ErrorKey', 'OperationName', ...tables.map(([name]) => callsName(name))])
    homes.set(name, './resources.ts')
  const texts = Object.entries(GROUPS).map(([file, group]) => [file, fileText(file, group(), homes)] as const)
  return new Map([...texts, sandboxExample(root)].map(([file, text]) => [`src/generated/${file}`, text]))
}

function fileText(file: string, { sent, answered, more = '' }: Group, homes: Map<string, string>): string {
  const all = [...sent, ...answered]
  for (const schema of schemasBelow(all))
    for (const [name, from] of Object.entries(factOf(schema, 'imports') ?? {})) homes.set(name, `../${from}`)
  const sentNames = Object.keys(definitionsIn(sent))
  const interfaces = Object.entries(definitionsIn(all)).flatMap(([name, schema]) => {
    if (homes.has(name) || factOf(schema, 'type') !== undefined) return []
    homes.set(name, `./${file}`)
    return interfaceOf(schema, sentNames.includes(name))
  })
  const text = [...interfaces, ...(more ? [more] : [])].join('\n')
  return `// Written by \`npm run generate\` from the schemas in src/.\n${importsOf(text, `./${file}`, homes)}\n${text}`
}

function importsOf(text: string, file: string, homes: ReadonlyMap<string, string>): string {
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '')
  const used = [...homes].filter(([name, home]) => home !== file && new RegExp(`\\b${name}\\b`).test(code))
  return used
    .map(([name, home]) => `import type { ${name} } from '${home}'\n`)
    .sort()
    .join('')
}

/** The interface of a family's calls is named like the family, unless a schema has that name. */
function callsName(name: string): string {
  const type = name.charAt(0).toUpperCase() + name.slice(1)
  return type in definitionsIn(operations.flatMap(({ response }) => response ?? [])) ? `${type}Module` : type
}

function familyText([name, family]: readonly [string, Family]): string {
  const module = moduleOf(family)
  const own = Object.entries(family.operations).filter(([verb]) => module === undefined || verb === 'replace')
  const base = module === undefined ? '' : ` extends RouteModule<${module}>`
  const about = comment([`The calls of \`gateway.${name}\`.`])
  return `${about}export interface ${callsName(name)}${base} {\n${own.map(callText).join('')}}\n`
}

/** The answer of a route module; undefined for any other family. */
function moduleOf({ operations: { get, replace } }: Family): string | undefined {
  return replace && get?.response && 'edge_id' in get.ids ? nameOf(get.response) : undefined
}

function callText([verb, operation]: readonly [string, Operation]): string {
  const { body, query, response, ids } = operation
  const schema = body ?? query
  const parameters = [
    ...idParameters(Object.keys(ids)),
    ...(schema ? [`${body ? 'body' : 'query'}${isOptional(schema) ? '?' : ''}: ${nameOf(schema)}`] : []),
  ]
  const about = comment([callSentence(operation), `@throws GatewayError ${thrownBy(operation)}.`], '  ')
  return `${about}  ${verb}(${parameters.join(', ')}): ${response ? typeOf(response) : 'void'}\n`
}

function idParameters(names: readonly string[]): string[] {
  if (names.length === 0) return []
  if (names.length === 1) return ['id: string']
  if (names.join() === 'edge_id,id') return ['ids: RouteIds']
  return [`ids: { ${names.map((name) => `readonly ${name}: string`).join('; ')} }`]
}

/** Tests whether an input can be left out, because each of its fields can. */
function isOptional(schema: AnySchema): boolean {
  return !/^ {2}readonly \w+: /m.test(interfaceOf(schema, true))
}

function callSentence({ summary, method, path, ids, response }: Operation): string {
  const [prefix, ...more] = Object.values(ids)
  const start = prefix !== undefined && more.length === 0 ? `; the id starts with \`${prefix}_\`` : ''
  const rules = response && factOf(response, 'rules')
  return `${summary}: \`${method} ${path}\`${start}${rules ? ` (rules: ${rules})` : ''}.`
}

/** The errors of a call, with their numbers; those of its fields are at the fields. */
function thrownBy(operation: Operation): string {
  const { body, query } = operation
  const ofFields = new Set([body, query].flatMap((each) => (each ? [...errorsIn(each)] : [])))
  const own = directErrorsOf(operation).filter((error) => error === general.field_invalid || !ofFields.has(error))
  const elsewhere = ofFields.size === 0 ? [] : [`what ${body ? 'fields' : 'parameters'} are refused as`]
  return [...elsewhere, ...errorList(own)].join('; ')
}

/** Errors by their statuses, with the digits of the wire's `error_code`. */
function errorList(errors: readonly CatalogueError[]): string[] {
  const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b)
  return statuses.map((status) => {
    const those = errors.filter((error) => error.status === status)
    return `${status}: ${those.map(({ key, number }) => `\`${key}\` ${number}`).join(', ')}`
  })
}

const INITIAL = `/**
 * What a gateway begins with, and has again after each \`reset()\`: by family, what \`create\` takes or, for modules,
 * \`replace\` with the ids.
 */
export type InitialResources = InitialOf<Resources>
`

function resourcesText(): string {
  const members = tables.map(([name, family]) => {
    const response = Object.values(family.operations).find((each) => each.response)?.response
    const sentence = response && documentationOf(response).sentence
    return `${comment([sentence ?? `The calls of \`gateway.${name}\`.`], '  ')}  readonly ${name}: ${callsName(name)}\n`
  })
  const own = [...tables.map(([, family]) => family), declared].flatMap(({ errors }) => Object.keys(errors))
  const keys = new Set([...Object.keys(general), ...own, ...controlErrors.flatMap(Object.keys)])
  return [
    `/** The calls of a gateway, by family. */\nexport interface Resources {\n${members.join('')}}\n`,
    INITIAL,
    `/** The name of an operation of the API. */\n${union(
      'OperationName',
      operations.map(({ name }) => name),
    )}`,
    `/** A key of the one catalogue, for example \`domain_taken\`; families of your own have further ones. */\n${union('ErrorKey', [...keys].sort())}`,
  ].join('\n')
}

function union(name: string, texts: readonly string[]): string {
  return `export type ${name} =\n${texts.map((text) => `  | ${literal(text)}\n`).join('')}`
}
