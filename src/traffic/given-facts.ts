import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { nearest, suggestion } from '../core/schema/nearest.ts'
import { quote } from '../core/schema/text.ts'
import { timeMs } from '../core/schema/time.ts'
import { isObject, lookUp } from '../core/schema/values.ts'
import { type Config, type Variable, type Variables, variableOf } from '../service/policy/action.ts'
import { ACTIONS } from '../service/policy/actions/index.ts'
import { findBelow, listPaths, variablesOf } from '../service/policy/environment.ts'
import { isVariable } from '../service/policy/variables.ts'
import { factsOfCertificate } from './client-tls.ts'
import { refusals } from './refusals.ts'
import type { Visitor } from './visitor.ts'

/** The facts about most visitors. */
const NO_FACTS: ReadonlyMap<string, unknown> = new Map()

/**
 * Returns the facts about a visitor, by variable path. @throws Refusal for an unknown variable, or for a result that the action can't
 * produce
 */
export function readFacts({ country, facts, actions, certificate }: Visitor): ReadonlyMap<string, unknown> {
  if ([country, facts, actions, certificate].every((each) => each === undefined)) return NO_FACTS
  const given = new Map(Object.entries(facts ?? {}))
  const variables =
    given.size > 0 || actions ? variablesOf({ phase: 'on_http_response', hasTls: true, isModule: true }) : {}
  if (given.size > 0) {
    const known = listPaths(variables)
    for (const path of given.keys())
      if (!known.includes(path) && !path.startsWith('conn.tls.')) refuseName('from.facts', path, known)
  }
  if (actions) checkResults(actions, variables)
  for (const ip of ['conn.client_ip', 'conn.server_ip']) addCategories(given, ip)
  if (certificate !== undefined)
    for (const [path, fact] of Object.entries(factsOfCertificate(certificate)))
      if (!given.has(path)) given.set(path, fact)
  if (country === undefined) return given
  const name = new Intl.DisplayNames(['en'], { type: 'region' }).of(country)
  const found = { country, code: country, name: name ?? country }
  const defaults = Object.fromEntries([
    ...['conn.geo.country_code', 'conn.Geo.CountryCode', 'conn.client_ip.geo.location.country_code'].map((path) => [
      path,
      found.code,
    ]),
    ...['conn.geo.country', 'conn.Geo.Country', 'conn.client_ip.geo.location.country'].map((path) => [
      path,
      found.name,
    ]),
  ])
  return new Map([...Object.entries(defaults), ...given])
}

function refuseName(field: string, name: string, known: readonly string[]): never {
  const facts = { received: quote(name), nearest: nearest(name, known), suggested: suggestion(name, known) }
  return refuse(refusals.traffic_fact_unknown, { field, ...facts })
}

/** Checks the action results that a caller supplies. A misspelled denial would let the request pass. */
function checkResults(actions: NonNullable<Visitor['actions']>, variables: Variables): void {
  const types = ACTIONS.map(({ type }) => type)
  for (const [type, stated] of Object.entries(actions)) {
    const row = ACTIONS.find((each) => each.type === type)
    // An account may use undocumented actions.
    if (!row && nearest(type, types) !== undefined) refuseName('from.actions', type, types)
    const sets = row && findBelow(variables, ['actions', 'ngrok', variableOf(row)])
    if (sets) checkStated(stated, sets, `from.actions.${type}`)
  }
}

function checkStated(stated: Config, sets: Variables | Variable, field: string): void {
  for (const [name, value] of Object.entries(stated)) {
    const below = isVariable(sets) ? undefined : lookUp(sets, name)
    if (!below) refuseName(field, name, Object.keys(sets))
    const at = `${field}.${name}`
    if (isVariable(below)) checkStatedValue(value, below, at)
    else if (isObject(value)) checkStated(value, below, at)
    else refuse(general.field_invalid, { field: at, received: quote(value), allowed: 'an object' })
  }
}

/** The checks of values, by type, each with a description of the allowed values. Other types are not checked. */
const OF_TYPES: Readonly<Record<string, readonly [is: (value: unknown) => boolean, allowed: string]>> = {
  string: [(value) => typeof value === 'string', 'a string'],
  bool: [(value) => typeof value === 'boolean', 'true or false'],
  int: [(value) => typeof value === 'bigint' || Number.isInteger(value), 'an integer'],
  'google.protobuf.Timestamp': [(value) => timeMs(value) !== undefined, 'a time'],
}

function checkStatedValue(value: unknown, { type, choices }: Variable, field: string): void {
  const [is, allowed = ''] = OF_TYPES[type] ?? []
  const isAllowed = choices ? choices.some((each) => each === value) : is?.(value) !== false
  if (!isAllowed)
    refuse(general.field_invalid, { field, received: quote(value), allowed: choices?.join(' or ') ?? allowed })
}

/** Adds the parents of an address's categories and the facts that follow from them, according to the service's documentation. */
function addCategories(given: Map<string, unknown>, ip: string): void {
  const own = given.get(`${ip}.categories`)
  if (!Array.isArray(own)) return
  const all = new Set(own.flatMap((each) => listAbove(String(each).split('.'))))
  given.set(`${ip}.categories`, [...all])
  const facts = { is_tor_node: all.has('proxy.anonymous.tor'), is_on_blocklist: all.has('blocklist') }
  for (const [name, fact] of Object.entries(facts)) if (!given.has(`${ip}.${name}`)) given.set(`${ip}.${name}`, fact)
}

function listAbove(names: readonly string[]): readonly string[] {
  return names.map((_, at) => names.slice(0, names.length - at).join('.'))
}
