// Generates the files of src/generated: the types of every schema of a family, a control or an option, and the
// evidence.
import * as v from 'valibot'
import type { AnyControl } from '../../src/control/control.ts'
import { controlCalls, controlErrors, controls } from '../../src/control/controls.ts'
import { account } from '../../src/core/operation/account.ts'
import type { Family } from '../../src/core/operation/family.ts'
import { listQuery, pageTail } from '../../src/core/operation/list.ts'
import { named } from '../../src/core/schema/documentation.ts'
import { general } from '../../src/core/schema/general-errors.ts'
import { resourceHead } from '../../src/core/schema/schema.ts'
import { listSchemas, marksOf } from '../../src/core/schema/schema-parts.ts'
import { listDefinitions } from '../../src/gateway/openapi/json-schema.ts'
import { gatewayOptions, gatewayRows } from '../../src/gateway/options.ts'
import { configSchema } from '../../src/server/options/config.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'
import { accountState } from '../../src/service/resources/account-state.ts'
import { declared } from '../../src/service/resources/declarations.ts'
import { families } from '../../src/service/resources/index.ts'
import { pairOptions } from '../../src/testing/certificates-options.ts'
import { controlCallsFile } from './control-calls.ts'
import { evidenceJson } from './evidence.ts'
import {
  formatCallTypes,
  formatDeclaration,
  formatMembers,
  formatUnion,
  listDeclarations,
  listInputSchemas,
  listOperations,
  listResponseSchemas,
  nameCallType,
} from './family-types.ts'
import { formatLimitTypes } from './limits.ts'
import { sandboxExample } from './sandbox-example.ts'
import { factOf, formatComment, formatInterface } from './schema-types.ts'

type AnySchema = v.GenericSchema

/** A file of types: the schemas that clients send, those that they receive, and the text after their interfaces. */
interface Group {
  readonly inputs: readonly AnySchema[]
  readonly responses: readonly AnySchema[]
  readonly more?: string
}

/** The schemas whose interfaces others extend. */
const BASES: readonly AnySchema[] = [
  named(v.object(resourceHead), 'Resource', 'The fields of every resource.'),
  named(v.object(pageTail), 'ListPage', 'The fields of every page of a list, apart from its items.'),
]

const allControls: readonly AnyControl[] = controls

/** The files. A type is in the first file that needs it. */
const GROUPS: Readonly<Record<string, () => Group>> = {
  'core.ts': () => ({ inputs: [listQuery], responses: BASES }),
  'resources.ts': () => ({
    inputs: listInputSchemas(families),
    responses: listResponseSchemas(families),
    more: [
      formatCallTypes(families, 'Resources', 'The methods of the direct API, grouped by family.'),
      formatNames(),
    ].join('\n'),
  }),
  'ngrok.ts': () => ({
    inputs: listInputSchemas(ngrokFamilies),
    responses: listResponseSchemas(ngrokFamilies),
    more: [
      formatCallTypes(
        ngrokFamilies,
        'NgrokResources',
        "The methods of ngrok's additional families, grouped by family.",
      ),
      formatNgrokTypes(),
      // Code for ngrok's API needs one import for the types of all its resources.
      `export type { ${listTypeNames(families).join(', ')} }\n`,
    ].join('\n'),
  }),
  'controls.ts': () => ({
    inputs: [...controlCalls.flatMap(({ schema }) => schema ?? []), ...allControls.flatMap(({ types = [] }) => types)],
    responses: controlCalls.flatMap(({ response: answer }) => answer ?? []),
  }),
  // The sentences of options state their defaults and limits.
  'options.ts': () => ({
    inputs: [],
    responses: [
      ...Object.values(gatewayRows).flatMap((row) => marksOf(row).whole ?? []),
      ...[gatewayOptions, configSchema, pairOptions()],
    ],
  }),
}

/** Returns the names of the interfaces of families: of the bodies that clients send, of the responses, and of the calls. */
function listTypeNames(of: Readonly<Record<string, Family>>): string[] {
  const definitions = listDefinitions([...listInputSchemas(of), ...listResponseSchemas(of)])
  const inCore = Object.keys(listDefinitions([listQuery, ...BASES]))
  const names = Object.entries(definitions).flatMap(([name, schema]) =>
    factOf(schema, 'type') !== undefined || inCore.includes(name) ? [] : name,
  )
  return [...names, ...Object.keys(of).map((name) => nameCallType(name, of))].sort()
}

/** The modules of names that the text of a group uses and no schema imports. */
const OTHERS: Readonly<Record<string, string>> = {
  InitialOf: '../service/resources/initial.ts',
  BuiltInFamily: '../gateway/direct/direct-api.ts',
  RouteIds: '../service/resources/route-module.ts',
  RouteModule: '../service/resources/route-module.ts',
}

/** Returns the text of each file, by its path. */
export default function types(root: string): Map<string, string> {
  const homes = new Map(Object.entries(OTHERS))
  for (const name of ['ErrorKey', 'OperationName']) homes.set(name, './resources.ts')
  for (const name of Object.keys(families)) homes.set(nameCallType(name, families), './resources.ts')
  const texts = Object.entries(GROUPS).map(([file, group]) => [file, formatFile(file, group(), homes)] as const)
  const evidence = ['evidence.json', evidenceJson(root)] as const
  const all = [...texts, formatLimitTypes(), controlCallsFile(), sandboxExample(root), evidence]
  return new Map(all.map(([file, text]) => [`src/generated/${file}`, text]))
}

function formatFile(file: string, { inputs, responses, more = '' }: Group, homes: Map<string, string>): string {
  const all = [...inputs, ...responses]
  for (const schema of listSchemas(all))
    for (const [name, from] of Object.entries(factOf(schema, 'imports') ?? {})) homes.set(name, `../${from}`)
  const sentNames = Object.keys(listDefinitions(inputs))
  const interfaces = Object.entries(listDefinitions(all)).flatMap(([name, schema]) => {
    if (homes.has(name) || factOf(schema, 'type') !== undefined) return []
    homes.set(name, `./${file}`)
    return formatInterface(schema, sentNames.includes(name), BASES)
  })
  const text = [...interfaces, ...(more ? [more] : [])].join('\n')
  return `// Written by \`npm run generate\` from the schemas in src/.\n${formatImports(text, `./${file}`, homes)}\n${text}`
}

function formatImports(text: string, file: string, homes: ReadonlyMap<string, string>): string {
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '')
  const used = [...homes].filter(([name, home]) => home !== file && new RegExp(`\\b${name}\\b`).test(code))
  return used
    .map(([name, home]) => `import type { ${name} } from '${home}'\n`)
    .sort()
    .join('')
}

const INITIAL =
  'The resources that a gateway has at the start and after each `reset()`, by family: inputs of `create` or, for modules, ' +
  'inputs of `replace` with the IDs.'

/** Formats an exported type with its sentence. */
const formatTypeAlias = (about: string, name: string, type: string) =>
  `${formatComment(about)}export type ${name} = ${type}\n`

function formatNames(): string {
  const own = [...Object.values<Family>(families), declared, account, accountState].flatMap(({ errors }) =>
    Object.keys(errors),
  )
  const keys = new Set([...Object.keys(general), ...own, ...controlErrors.flatMap(Object.keys)])
  const names = listOperations(families).map(({ name }) => name)
  const ofKeys = 'A key in the error catalogue, such as `domain_taken`. Your own families can add keys.'
  return [
    formatTypeAlias(INITIAL, 'InitialResources', 'InitialOf<Resources>'),
    formatTypeAlias('The name of an operation of the API.', 'OperationName', formatUnion(names)),
    formatTypeAlias(ofKeys, 'ErrorKey', formatUnion([...keys].sort())),
  ].join('')
}

function formatNgrokTypes(): string {
  const declarations = listDeclarations(ngrokFamilies).map(formatDeclaration).join('')
  const known = new Set(Object.values<Family>(families).flatMap(({ limits = {} }) => Object.keys(limits)))
  const typeOfFamily = (name: string, { errors, declares, limits = {} }: Family) => {
    const own = Object.keys(limits).filter((limit) => !known.has(limit))
    const parameters = [nameCallType(name, ngrokFamilies), formatUnion(Object.keys(errors)), formatUnion(own)]
    if (declares) parameters.push(`Pick<NgrokDeclare, ${formatUnion(Object.keys(declares))}>`)
    return `BuiltInFamily<${parameters.join(', ')}>`
  }
  const ofDeclare = 'The functions that declare resources which only agents or the service itself can create.'
  const ofFamilies = 'The families that ngrok has in addition to the standard dialect, by name in the direct API.'
  const members = formatMembers(ngrokFamilies, typeOfFamily)
  return [
    `${formatComment(ofDeclare)}export interface NgrokDeclare {\n${declarations}}\n`,
    formatTypeAlias(ofFamilies, 'NgrokFamilies', `{\n${members}}`),
  ].join('')
}
