import { refuse } from '../core/schema/errors.ts'
import { nearest, suggestion } from '../core/schema/nearest.ts'
import { quote } from '../core/schema/text.ts'
import { listPaths, variablesOf } from '../service/policy/environment.ts'
import { refusals } from './refusals.ts'
import type { Visitor } from './visitor.ts'

/** Returns the facts about a visitor, by the paths of variables. @throws Refusal if there is no such variable. */
export function readFacts({ country, facts = {} }: Visitor): ReadonlyMap<string, unknown> {
  const given = new Map(Object.entries(facts))
  if (given.size > 0) {
    const known = listPaths(variablesOf({ phase: 'on_http_response', hasTls: true, isModule: true }))
    for (const path of given.keys()) {
      if (known.includes(path) || path.startsWith('conn.tls.')) continue
      const facts = { received: quote(path), nearest: nearest(path, known), suggested: suggestion(path, known) }
      refuse(refusals.traffic_fact_unknown, { field: 'from.facts', ...facts })
    }
  }
  for (const ip of ['conn.client_ip', 'conn.server_ip']) addCategories(given, ip)
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

/** Adds the categories that are above those of an address, and what follows from them, as the documentation of the service says. */
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
