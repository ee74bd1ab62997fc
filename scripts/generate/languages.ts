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
  readonly anyOf?: readonly Json[]
  readonly items?: Json
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Json | boolean
  readonly pattern?: string
  readonly format?: string
  readonly description?: string
}

/** An object type: its name in the languages, its schema, and whether a client sends it. */
export interface ObjectType {
  readonly name: string
  readonly json: Json
  readonly isSent: boolean
}

/** The schemas of the document that have types, by the names that the languages give them. Of a part, some fields are left out. */
const SENT: Readonly<Record<string, readonly [schema: string, ...without: string[]]>> = {
  Options: ['GatewayRequest'],
  Fault: ['FaultSpec'],
  FailedAttempt: ['FailedAttempt'],
  ScriptOptions: ['ProvisioningScript', 'outcomes'],
  DnsFields: ['DnsRecordBody', 'name', 'type'],
  Visit: ['TrafficRequest'],
  VisitFields: ['TrafficRequest', 'url'],
  Visitor: ['Visitor'],
  Upstream: ['CannedUpstream'],
  UpstreamFields: ['CannedUpstream', 'url'],
  Declaration: ['Declaration'],
  SurvivalSettings: ['ExplorationSettings', 'replayCall', 'for', 'setup'],
}
/** The calls whose query has a type, by its name. */
const FILTERS: Readonly<Record<string, readonly [method: string, path: string]>> = {
  DnsFilter: ['delete', '/dns'],
  EventFilter: ['get', '/sent-events'],
  FaultFilter: ['delete', '/faults'],
  ScriptFilter: ['delete', '/provisioning/script'],
}
const RETURNED: Readonly<Record<string, readonly [schema: string]>> = {
  ListedFault: ['ListedFault'],
  MissedRequest: ['MissedRequest'],
  TimelineEntry: ['TimelineEntry'],
  WaitingRequest: ['WaitingRequest'],
  TrafficOutcome: ['TrafficOutcome'],
  Request: ['JournalEntry'],
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
  const add = (name: string, schema: string, without: readonly string[], isSent: boolean) => {
    const json = schemas[schema]
    if (!json) throw new Error(`The document of the controls has no ${schema}.`)
    if (without.length === 0) names.set(schema, name)
    const properties = Object.fromEntries(
      Object.entries(json.properties ?? {}).filter(([each]) => !without.includes(each)),
    )
    types.push({ name, json: { ...json, properties }, isSent })
    if (isSent) addReferences(Object.values(properties))
  }
  const addReferences = (all: readonly Json[]) => {
    for (const { $ref, items, anyOf = [] } of all) {
      const schema = $ref?.replace(/^.*\//, '')
      if (schema !== undefined && !names.has(schema) && !Object.values(SENT).some(([each]) => each === schema))
        add(schema.replace(/(?:Body|Fields)$/, ''), schema, [], true)
      addReferences([...(items ? [items] : []), ...anyOf])
    }
  }
  for (const [name, [schema, ...without]] of Object.entries(SENT)) add(name, schema, without, true)
  for (const [name, [method, path]] of Object.entries(FILTERS)) {
    const parameters = document.paths[`/_fauxgate${path}`]?.[method]?.parameters ?? []
    const fields = parameters.flatMap((each) => {
      if (!('schema' in each)) return []
      const json = each.schema as Json // Json leaves out what the types do not need.
      return [[each.name, { ...json, description: each.description }]]
    })
    types.push({ name, json: { properties: Object.fromEntries(fields) }, isSent: true })
  }
  for (const [name, [schema]] of Object.entries(RETURNED)) add(name, schema, [], false)
  const describe = ({ description, $ref, anyOf = [] }: Json): string => {
    const reference = $ref ?? anyOf.find((each) => each.$ref)?.$ref ?? ''
    const text = description ?? schemas[reference.replace(/^.*\//, '')]?.description ?? 'A value.'
    return text.split('\n').join(' ')
  }
  return { types, nameOf: (reference) => names.get(reference.replace(/^.*\//, '')), describe }
}

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
export const kindsOf = ({ type = [] }: Json): readonly string[] => [type].flat().filter((each) => each !== 'null')
