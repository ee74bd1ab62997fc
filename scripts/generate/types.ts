// The files of src/generated: the types of every schema of a family, a control or an option, and what speaks for each rule.
import * as v from 'valibot'
import type { AnyControl } from '../../src/control/control.ts'
import { controlCalls, controlErrors, controls } from '../../src/controls.ts'
import { gatewayOptions, gatewayRows } from '../../src/gateway/options.ts'
import { ngrokFamilies } from '../../src/ngrok/families.ts'
import { listDefinitions } from '../../src/openapi/json-schema.ts'
import { account } from '../../src/operation/account.ts'
import type { Family } from '../../src/operation/family.ts'
import { pageTail } from '../../src/operation/list.ts'
import { declared } from '../../src/resources/declarations.ts'
import { families } from '../../src/resources/index.ts'
import { listSchemas, marksOf, named } from '../../src/schema/documentation.ts'
import { general } from '../../src/schema/general-errors.ts'
import { resourceHead } from '../../src/schema/schema.ts'
import { configSchema } from '../../src/server/options/config.ts'
import { pairOptions } from '../../src/testing/certificates-options.ts'
import { evidenceJson } from './evidence.ts'
import {
  answeredBy,
  callsName,
  callsText,
  declarationsOf,
  declarationText,
  membersOf,
  operationsOf,
  sentTo,
  union,
} from './family-types.ts'
import { limitTypes } from './limits.ts'
import { sandboxExample } from './sandbox-example.ts'
import { comment, factOf, interfaceOf } from './schema-types.ts'

type AnySchema = v.GenericSchema

/** A file of types: the schemas that clients send, those that they receive, and the text after their interfaces. */
interface Group {
  readonly sent: readonly AnySchema[]
  readonly answered: readonly AnySchema[]
  readonly more?: string
}

/** The schemas whose interfaces others extend. */
const BASES: readonly AnySchema[] = [
  named(v.object(resourceHead), 'Resource', 'What every resource has.'),
  named(v.object(pageTail), 'ListPage', 'What every page of a list has, beside its items.'),
]

const allControls: readonly AnyControl[] = controls

/** The files. A type is in the first one that needs it. */
const GROUPS: Readonly<Record<string, () => Group>> = {
  'resources.ts': () => ({
    sent: sentTo(families),
    answered: [...BASES, ...answeredBy(families)],
    more: [callsText(families, 'Resources', 'The calls of a gateway, by family.'), namesText()].join('\n'),
  }),
  'ngrok.ts': () => ({
    sent: sentTo(ngrokFamilies),
    answered: answeredBy(ngrokFamilies),
    more: [
      callsText(ngrokFamilies, 'NgrokResources', "The calls of ngrok's additional families, by family."),
      ngrokText(),
    ].join('\n'),
  }),
  'controls.ts': () => ({
    sent: [...controlCalls.flatMap(({ schema }) => schema ?? []), ...allControls.flatMap(({ types = [] }) => types)],
    answered: controlCalls.flatMap(({ response: answer }) => answer ?? []),
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
  BuiltInFamily: '../direct/direct-api.ts',
  RouteIds: '../resources/route-module.ts',
  RouteModule: '../resources/route-module.ts',
}

/** The text of each file, by its path. */
export default function types(root: string): Map<string, string> {
  const homes = new Map(Object.entries(OTHERS))
  for (const name of ['ErrorKey', 'OperationName']) homes.set(name, './resources.ts')
  for (const name of Object.keys(families)) homes.set(callsName(name, families), './resources.ts')
  const texts = Object.entries(GROUPS).map(([file, group]) => [file, fileText(file, group(), homes)] as const)
  const evidence = ['evidence.json', evidenceJson(root)] as const
  const all = [...texts, limitTypes(), sandboxExample(root), evidence]
  return new Map(all.map(([file, text]) => [`src/generated/${file}`, text]))
}

function fileText(file: string, { sent, answered, more = '' }: Group, homes: Map<string, string>): string {
  const all = [...sent, ...answered]
  for (const schema of listSchemas(all))
    for (const [name, from] of Object.entries(factOf(schema, 'imports') ?? {})) homes.set(name, `../${from}`)
  const sentNames = Object.keys(listDefinitions(sent))
  const interfaces = Object.entries(listDefinitions(all)).flatMap(([name, schema]) => {
    if (homes.has(name) || factOf(schema, 'type') !== undefined) return []
    homes.set(name, `./${file}`)
    return interfaceOf(schema, sentNames.includes(name), BASES)
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

const INITIAL =
  'The resources that a gateway has from the beginning, and again after each `reset()`, by family: inputs of `create`, or for ' +
  'modules of `replace` with the ids.'

/** Returns an exported type with its sentence. */
const exportedType = (about: string, name: string, type: string) => `${comment(about)}export type ${name} = ${type}\n`

function namesText(): string {
  const own = [...Object.values<Family>(families), declared, account].flatMap(({ errors }) => Object.keys(errors))
  const keys = new Set([...Object.keys(general), ...own, ...controlErrors.flatMap(Object.keys)])
  const names = operationsOf(families).map(({ name }) => name)
  const ofKeys = 'A key of the one catalogue, for example `domain_taken`; your own families can have others.'
  return [
    exportedType(INITIAL, 'InitialResources', 'InitialOf<Resources>'),
    exportedType('The name of an operation of the API.', 'OperationName', union(names)),
    exportedType(ofKeys, 'ErrorKey', union([...keys].sort())),
  ].join('')
}

function ngrokText(): string {
  const declarations = declarationsOf(ngrokFamilies).map(declarationText).join('')
  const known = new Set(Object.values<Family>(families).flatMap(({ limits = {} }) => Object.keys(limits)))
  const typeOfFamily = (name: string, { errors, declares, limits = {} }: Family) => {
    const own = Object.keys(limits).filter((limit) => !known.has(limit))
    const parameters = [callsName(name, ngrokFamilies), union(Object.keys(errors)), union(own)]
    if (declares) parameters.push(`Pick<NgrokDeclare, ${union(Object.keys(declares))}>`)
    return `BuiltInFamily<${parameters.join(', ')}>`
  }
  const ofDeclare = 'The functions that declare resources which only agents and the service itself make.'
  const ofFamilies =
    'The families that ngrok has beside those of the standard dialect, by their names in the direct API.'
  const members = membersOf(ngrokFamilies, typeOfFamily)
  return [
    `${comment(ofDeclare)}export interface NgrokDeclare {\n${declarations}}\n`,
    exportedType(ofFamilies, 'NgrokFamilies', `{\n${members}}`),
  ].join('')
}
