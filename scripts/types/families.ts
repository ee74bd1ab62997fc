import * as v from 'valibot'
import type { Families, Family } from '../../src/operation/family.ts'
import { pageTail } from '../../src/operation/list.ts'
import { directErrorsOf, type Operation } from '../../src/operation/operation.ts'
import { documentationOf, named } from '../../src/schema/documentation.ts'
import type { CatalogueError } from '../../src/schema/errors.ts'
import { resourceHead } from '../../src/schema/schema.ts'
import { answerOf, type Base, baseOf, interfaceOf, namedIn, nameOf } from './schema-types.ts'
import { comment, kebabCase, literal, pascalCase, union } from './text.ts'

/** A file that is made, by its path below the folder of all of them. */
export type Files = ReadonlyMap<string, string>

const HEAD = '// Made from the table of families by `npm run types:generate`; a test says when that is due.\n'

const ROUTE_IDS = `${comment(['The ids in the path of a route module.'])}export interface RouteIds {
  /** The id of the HTTPS edge, which starts with \`edghts_\`. Refused as \`id_unparsable\`, \`id_wrong_prefix\`, \`edge_not_found\`. */
  readonly edge_id: string
  /** The id of the route on that edge, which starts with \`edghtsrt_\`. Refused as \`id_unparsable\`, \`id_wrong_prefix\`, \`not_found\`. */
  readonly id: string
}

/** What every route module has beside its \`replace\`, at the path that this one names. */
export interface RouteModule<Module> {
  /**
   * Get the module of a route: \`GET\`.
   * @throws GatewayError what ids are refused as.
   */
  get(ids: RouteIds): Module
  /**
   * Remove the module of a route: \`DELETE\`.
   * @throws GatewayError what ids are refused as.
   */
  delete(ids: RouteIds): void
}
`

/** What the answers of several families have: types that theirs have fields from. */
const COMMON = [
  named(v.object(resourceHead), 'Resource', 'What every resource has.'),
  named(v.object(pageTail), 'ListPage', 'What every page of a list has, beside its items.'),
]

const INITIAL = `${comment(['What a gateway begins with, and has again after each `reset()`: by family, what `create` takes or, for modules, `replace` with the ids.'])}export type InitialResources = InitialOf<Resources>
`

/** The types of a table of families: one file per family, one for what they share, and one that names them all. */
export function typesOf(families: Families, errorKeys: readonly string[]): Files {
  const homes = homesOf(families)
  const files = new Map<string, string>()
  const write = (home: string, text: string) => {
    const imported = importsOf(text, home, homes)
    files.set(`${home}.ts`, `${HEAD}${imported && `\n${imported}`}\n${text}`)
  }
  write(SHARED, [...interfacesOf(SHARED, homes), ROUTE_IDS].join('\n'))
  for (const [name, family] of Object.entries(families)) {
    const home = kebabCase(name)
    write(home, [...interfacesOf(home, homes), familyInterface(name, family, homes)].join('\n'))
  }
  write('index', indexText(families, homes, errorKeys))
  return files
}

const SHARED = 'shared'

/** The interfaces of a file, in their order. They have fields from what is common, and from those before them. */
function interfacesOf(home: string, homes: Homes): string[] {
  const common = home === SHARED ? [] : COMMON.map((schema) => baseOf(nameOf(schema), schema, false))
  const sent: (Base & Pick<Home, 'schema'>)[] = []
  return [...homes].flatMap(([name, each]) => {
    if (each.home !== home) return []
    const { schema, isSent } = each
    if (isSent) {
      const text = interfaceOf(name, schema, true, sent)
      sent.push({ ...baseOf(name, schema, true), schema })
      return [text]
    }
    const [answer] = sent.flatMap((body) => answerOf(name, schema, body) ?? [])
    return [answer ?? interfaceOf(name, schema, false, common)]
  })
}

/** A type: the file that it stands in, its schema, and whether clients send it. */
interface Home {
  readonly home: string
  readonly schema: Parameters<typeof interfaceOf>[1]
  readonly isSent: boolean
}

type Homes = ReadonlyMap<string, Home>

/** Where each type stands: in its family's file, or with what several families have. */
function homesOf(families: Families): Homes {
  const homes = new Map<string, Home>(COMMON.map((schema) => [nameOf(schema), { home: SHARED, schema, isSent: false }]))
  const note = (home: string, schemas: readonly (Home['schema'] | undefined)[], isSent: boolean) => {
    for (const [type, schema] of namedIn(schemas.filter((each) => each !== undefined))) {
      const known = homes.get(type)
      const isShared = known !== undefined && known.home !== home
      homes.set(type, { home: isShared ? SHARED : home, schema, isSent: isSent || known?.isSent === true })
    }
  }
  for (const [name, { operations }] of Object.entries(families)) {
    const all = Object.values(operations)
    note(
      kebabCase(name),
      all.flatMap(({ body, query }) => [body, query]),
      true,
    )
    note(
      kebabCase(name),
      all.map(({ response }) => response),
      false,
    )
  }
  return homes
}

function importsOf(text: string, home: string, homes: Homes): string {
  if (home === 'index') return ''
  const plain = text.replaceAll(/\/\*\*.*?\*\//gs, '')
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(plain)
  const names = [...homes].flatMap(([name, each]) => (each.home === SHARED && isUsed(name) ? [name] : []))
  const constant = ['RouteIds', 'RouteModule'].filter((name) => home !== SHARED && isUsed(name))
  const needed = home === SHARED ? [] : [...names, ...constant].sort()
  return needed.length === 0 ? '' : `import type { ${needed.join(', ')} } from './${SHARED}.ts'\n`
}

/** What the interface of a family's calls is named: like the family, unless a type has that name. */
function callsName(name: string, homes: Homes): string {
  const type = pascalCase(name)
  return homes.has(type) ? `${type}Module` : type
}

function familyInterface(name: string, family: Family, homes: Homes): string {
  const shown = moduleOf(family)
  const own = Object.entries(family.operations).filter(([verb]) => shown === undefined || verb === 'replace')
  const calls = own.map(([verb, operation]) => callOf(verb, operation))
  const base = shown === undefined ? '' : ` extends RouteModule<${shown}>`
  const about = comment([`The calls of \`gateway.${name}\`.`])
  return `${about}export interface ${callsName(name, homes)}${base} {\n${calls.join('')}}\n`
}

/** What a route module answers; undefined for a family that is none. */
function moduleOf({ operations: { get, replace } }: Family): string | undefined {
  return replace && get?.response && 'edge_id' in get.ids ? nameOf(get.response) : undefined
}

/** What a family is of, in the words of what it answers. */
function familySentence(family: Family): string {
  const shown = Object.values(family.operations).find(({ response }) => response)?.response
  const sentence = shown && documentationOf(shown).sentence
  if (!sentence) throw new Error('A family answers nothing that has a sentence.')
  return sentence
}

function callOf(verb: string, operation: Operation): string {
  const { response } = operation
  const parameters = [...idParameters(operation), ...inputParameters(operation)].join(', ')
  const answer = response ? nameOf(response) : 'void'
  return `${comment(callSentences(operation), '  ')}  ${verb}(${parameters}): ${answer}\n`
}

function idParameters({ ids }: Operation): string[] {
  const names = Object.keys(ids)
  if (names.length === 0) return []
  if (names.join() === 'id') return ['id: string']
  if (names.join() === 'edge_id,id') return ['ids: RouteIds']
  throw new Error(`No type is known for the ids ${names.join(', ')}.`)
}

function inputParameters({ body, query }: Operation): string[] {
  const schema = body ?? query
  if (!schema) return []
  const type = nameOf(schema)
  const isOptional = !/^ {2}readonly \w+: /m.test(interfaceOf(type, schema, true))
  return [`${body ? 'body' : 'query'}${isOptional ? '?' : ''}: ${type}`]
}

function callSentences(operation: Operation): string[] {
  const { summary, method, path, ids } = operation
  const [prefix, ...more] = Object.values(ids)
  const start = prefix !== undefined && more.length === 0 ? `; the id starts with \`${prefix}_\`` : ''
  const rules = operation.response && documentationOf(operation.response).facts.flatMap((each) => each.rules ?? [])
  const cited = rules?.length ? ` (rules: ${rules.at(-1)})` : ''
  return [`${summary}: \`${method} ${path}\`${start}${cited}.`, `@throws GatewayError ${thrownBy(operation)}.`]
}

/** What a call throws: what its ids, fields or parameters are refused as stands at the types of these. */
function thrownBy(operation: Operation): string {
  const { body, query, ids } = operation
  const sent = [body, query].filter((each) => each !== undefined)
  const places: [name: string, text: string][] = [
    ['ids', 'edge_id' in ids ? ROUTE_IDS : ''],
    [body ? 'fields' : 'parameters', [...namedIn(sent)].map(([name, each]) => interfaceOf(name, each, true)).join('')],
  ]
  const errors = directErrorsOf(operation)
  const saying = places.filter(([, text]) => errors.some((error) => isSaidIn(text, error)))
  const own = errors.filter((error) => !saying.some(([, text]) => isSaidIn(text, error)))
  const elsewhere = saying.length === 0 ? [] : [`what ${saying.map(([name]) => name).join(' and ')} are refused as`]
  return [...elsewhere, ...(own.length === 0 ? [] : [errorList(own)])].join('; ')
}

function isSaidIn(text: string, { key }: CatalogueError): boolean {
  return text.includes(`\`${key}\``)
}

/** Errors by their statuses, with their numbers: the digits of the wire's `error_code`. */
function errorList(errors: readonly CatalogueError[]): string {
  const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b)
  const of = (status: number) => errors.filter((error) => error.status === status)
  return statuses
    .map(
      (status) =>
        `${status}: ${of(status)
          .map(({ key, number }) => `\`${key}\` ${number}`)
          .join(', ')}`,
    )
    .join('; ')
}

function indexText(families: Families, homes: Homes, errorKeys: readonly string[]): string {
  const names = Object.keys(families)
  const files = [...names.map(kebabCase), SHARED].sort()
  const imports = names
    .map((name) => `import type { ${callsName(name, homes)} } from './${kebabCase(name)}.ts'\n`)
    .sort()
  const members = names.map((name) => memberOf(name, families[name] as Family, homes))
  return [
    `import type { InitialOf } from '../initial.ts'\nimport type { NamesOf } from '../operation-names.ts'\n${imports.join('')}`,
    files.map((file) => `export type * from './${file}.ts'\n`).join(''),
    `${comment(['What a gateway has of its families.'])}export interface Resources {\n${members.join('')}}\n`,
    INITIAL,
    `${comment(['The name of an operation of the API.'])}export type OperationName = NamesOf<Resources>\n`,
    comment(['A key of the one catalogue, for example `domain_taken`; families of your own have further ones.']) +
      union('export type ErrorKey =', [...errorKeys].sort().map(literal)),
  ].join('\n')
}

function memberOf(name: string, family: Family, homes: Homes): string {
  return `${comment([familySentence(family)], '  ')}  readonly ${name}: ${callsName(name, homes)}\n`
}
