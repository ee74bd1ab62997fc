// Generates the types of the fixtures for Python and Go from the document of the controls.

import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'
import { ngrok } from '../../src/service/resources/dialects.ts'
import { goFile } from './language-go.ts'
import { pythonFile } from './language-python.ts'

/** A JSON Schema, as far as the types need it. */
export interface Json {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | number | null)[]
  readonly const?: unknown
  readonly anyOf?: readonly Json[]
  readonly items?: Json
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Json | boolean
  readonly pattern?: string
  readonly format?: string
  readonly description?: string
}

/** An object type: its name in the languages, and its schema. */
export interface ObjectType {
  readonly name: string
  readonly json: Json
  /** True for the body of a call or a part of it, false for a part of a response. */
  readonly isSent: boolean
  /** True for the arguments of a call by name, which some languages do not have. */
  readonly isOfArguments: boolean
}

/** Schemas by the name of their type in the languages, each with the fields that the type leaves out. */
type Schemas = Readonly<Record<string, readonly [schema: string, ...without: string[]]>>

const SENT: Schemas = {
  Options: ['GatewayRequest'],
  Fault: ['FaultSpec'],
  FailedAttempt: ['FailedAttempt'],
  Visit: ['TrafficRequest'],
  Visitor: ['Visitor'],
  Upstream: ['CannedUpstream'],
  Declaration: ['Declaration'],
  SurvivalSettings: ['ExplorationSettings', 'replayCall', 'for', 'setup'],
}
/** The fields that are arguments by name, beside those that a call has by position. */
const ARGUMENTS: Schemas = {
  ScriptOptions: ['ProvisioningScript', 'outcomes'],
  DnsFields: ['DnsRecordBody', 'name', 'type'],
  VisitFields: ['TrafficRequest', 'url'],
  UpstreamFields: ['CannedUpstream', 'url'],
}
/** The calls whose query has arguments by name, by the name of their type. */
const FILTERS: Readonly<Record<string, readonly [method: string, path: string]>> = {
  DnsFilter: ['delete', '/dns'],
  EventFilter: ['get', '/sent-events'],
  FaultFilter: ['delete', '/faults'],
  ScriptFilter: ['delete', '/provisioning/script'],
}
const RETURNED: Schemas = {
  ListedFault: ['ListedFault'],
  TimelineEntry: ['TimelineEntry'],
  WaitingRequest: ['WaitingRequest'],
  TrafficOutcome: ['TrafficOutcome'],
  Request: ['JournalEntry'],
  DnsRecord: ['DnsRecord'],
  SentEvent: ['SentEvent'],
  ReservedDomain: ['ReservedDomain'],
  Declared: ['Declared'],
}

export interface Types {
  readonly types: readonly ObjectType[]
  /** Returns the name of the type for a reference; undefined if the languages have none. */
  nameOf(reference: string): string | undefined
  /** Returns the sentences about a field, in one line: its own, or those of its type. */
  describe(json: Json): string
}

function listTypes(): Types {
  const document = openApi(ngrok, { families: ngrokFamilies, part: 'controls', url: 'http://localhost' })
  const schemas = document.components.schemas as Readonly<Record<string, Json>> // Json leaves out what the types do not need.
  const names = new Map<string, string>()
  const types: ObjectType[] = []
  const own = [...Object.values(SENT), ...Object.values(RETURNED)].map(([schema]) => schema)
  const add = (name: string, schema: string, without: readonly string[], isSent: boolean, isOfArguments = false) => {
    const json = schemas[schema]
    const unknown = without.filter((field) => !json?.properties?.[field])
    if (!json || unknown.length > 0)
      throw new Error(`The document of the controls has no ${[schema, ...unknown].join('.')}.`)
    if (!isOfArguments) names.set(schema, name)
    const fields = Object.entries(json.properties ?? {}).filter(([each]) => !without.includes(each))
    const properties = Object.fromEntries(
      fields.map(([field, value]) => [field, isReference(value) ? toRef(value) : value]),
    )
    types.push({ name, json: { ...json, properties }, isSent, isOfArguments })
    addReferences(Object.values(properties), isSent)
  }
  const addReferences = (all: readonly Json[], isSent: boolean) => {
    for (const { $ref, items, anyOf = [] } of all) {
      const schema = $ref?.replace(/^.*\//, '')
      if (schema !== undefined && !names.has(schema) && !own.includes(schema))
        add(schema.replace(/(?:Body|Fields)$/, ''), schema, [], isSent)
      addReferences([...(items ? [items] : []), ...anyOf], isSent)
    }
  }
  for (const [name, [schema, ...without]] of Object.entries(SENT)) add(name, schema, without, true)
  for (const [name, [schema, ...without]] of Object.entries(ARGUMENTS)) add(name, schema, without, true, true)
  for (const [name, [method, path]] of Object.entries(FILTERS)) {
    const { parameters = [] } = document.paths[`/_fauxgate${path}`]?.[method] ?? {}
    const fields = parameters.flatMap((each) => {
      if (!('schema' in each)) return []
      const json = each.schema as Json // Json leaves out what the types do not need.
      return [[each.name, { ...json, description: each.description }]]
    })
    if (fields.length === 0) throw new Error(`${method} ${path} has no query in the document of the controls.`)
    types.push({ name, json: { properties: Object.fromEntries(fields) }, isSent: true, isOfArguments: true })
  }
  for (const [name, [schema]] of Object.entries(RETURNED)) add(name, schema, [], false)
  const describe = ({ description, $ref, anyOf = [] }: Json): string => {
    const reference = $ref ?? anyOf.find((each) => each.$ref)?.$ref ?? ''
    const text = description ?? schemas[reference.replace(/^.*\//, '')]?.description ?? 'A value.'
    return text.split('\n').join(' ')
  }
  return { types, nameOf: (reference) => names.get(reference.replace(/^.*\//, '')), describe }
}

/** The document has references to resources in place, unless they can be null. */
const isReference = ({ properties = {} }: Json) => Object.keys(properties).join() === 'id,uri'

const toRef = ({ description = '' }: Json): Json => ({ description, $ref: '#/components/schemas/Ref' })

/** Returns the text of each file, by its path. */
export default function languages(): Map<string, string> {
  const types = listTypes()
  return new Map([
    ['languages/python/src/fauxgate/types.py', pythonFile(types)],
    ['languages/go/fauxgatetest/types.go', goFile(types)],
  ])
}

/** Tells whether a value is a duration: a number of ms, or a text with a unit. */
export const isDuration = ({ type, pattern }: Json): boolean =>
  Array.isArray(type) && type.includes('string') && (pattern?.includes('(ms|s|m|h|d)') ?? false)

/** Returns the kinds of values without null. */
export const kindsOf = ({ type, const: constant }: Json): readonly string[] =>
  [type ?? (typeof constant === 'boolean' ? 'boolean' : [])].flat().filter((each) => each !== 'null')

/** Returns the type of a field of a type. @throws Error if there is none. */
export function fieldOf({ types }: Types, type: string, field: string): Json {
  const found = types.find(({ name }) => name === type)?.json.properties?.[field]
  if (!found) throw new Error(`The document of the controls has no ${type}.${field}.`)
  return found
}
