import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../../support/property.ts'
import { openWithDomain } from '../../support/provisioning.ts'
import { Resolver, type ZoneRecord } from './resolver.ts'

const TARGET = 'the target'
const CHALLENGE_TARGET = 'the target of the challenge'

const createNames = (...labels: string[]) =>
  fc.array(fc.constantFrom(...labels), { maxLength: 3 }).map((parts) => [...parts, 'b', 'test'].join('.'))
const nameBelow = createNames('a', 'b', 'a-b', '_acme-challenge')
const exactName = fc.oneof(nameBelow, fc.constantFrom('b.test', 'a.b.test'))
const wildcardName = nameBelow.map((name) => `*.${name}`)
const name = fc.oneof({ weight: 3, arbitrary: exactName }, { weight: 2, arbitrary: wildcardName })
const value = fc.oneof(
  { weight: 3, arbitrary: exactName },
  { weight: 2, arbitrary: fc.constantFrom(TARGET, CHALLENGE_TARGET) },
  { weight: 1, arbitrary: fc.constantFrom('elsewhere.test', '*.b.test') },
)
const record: fc.Arbitrary<ZoneRecord> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ name, type: fc.constant('CNAME' as const), value }) },
  { weight: 1, arbitrary: fc.record({ name, type: fc.constant('A' as const), value: fc.constant('192.0.2.7') }) },
)
const records = fc.uniqueArray(record, { maxLength: 14, selector: (each) => each.name })
const domain = fc.constantFrom('b.test', 'a.b.test', 'b.a.b.test', 'a-b.a.b.test', '*.b.test', '*.a.b.test')

/** A chain of names that each point to the next. The last points to the target or back into the chain. */
const chain = fc
  .record({
    names: fc.uniqueArray(createNames('a', 'b', 'a-b', 'c'), { minLength: 1, maxLength: 11 }),
    back: fc.option(fc.nat(10)),
  })
  .map(({ names, back }) =>
    names.map((each, i): ZoneRecord => {
      const end = back === null ? TARGET : (names[back % names.length] as string)
      return { name: each, type: 'CNAME', value: names[i + 1] ?? end }
    }),
  )

/** Writes every other name in upper case and with a trailing dot: the zone takes these for the same name. */
const writeName = (text: string) => (text.length % 2 === 0 ? `${text.toUpperCase()}.` : text)

/** Runs one attempt of a managed domain against a zone. Compares its message with the result of the resolver. */
function expectSameFinding(domain: string, zoneRecords: readonly ZoneRecord[]): void {
  const { gateway, id, domain: readDomain } = openWithDomain({ dns: 'simulated' }, domain)
  const { cname_target, acme_challenge_cname_target } = readDomain()
  const targets = new Map([
    [TARGET, cname_target],
    [CHALLENGE_TARGET, acme_challenge_cname_target ?? 'elsewhere.test'],
  ])
  const zone = zoneRecords.map((each) => ({ ...each, value: targets.get(each.value) ?? each.value }))
  for (const { name, type, value } of zone) {
    if (type === 'A') gateway.dns.a(writeName(name), value)
    else gateway.dns.cname(writeName(name), writeName(value))
  }
  const resolver = new Resolver(zone)
  const neededRecords: [string, string | null][] = [
    [domain, cname_target],
    [`_acme-challenge.${domain.replace('*.', '')}`, acme_challenge_cname_target],
  ]
  const findings = neededRecords.flatMap(([name, target]) => {
    const text = target === null ? undefined : resolver.findObstacle(name, target)
    return text === undefined ? [] : [`Expected a CNAME record for ${name} with the value ${target}. Found ${text}.`]
  })
  const job = gateway.provisioning.attempt(id).certificate_management_status?.provisioning_job
  expect(job?.msg.replace(/ \(ERR_GATEWAY_\d+, ERR_GATEWAY_\d+\)$/, '')).toBe(findings[0])
  expect(gateway.dns.records()).toEqual([...zone].sort((a, b) => (a.name < b.name ? -1 : 1)))
}

describe('An attempt finds the same records in the zone as an independent resolver (rules: simulated-dns#required-records, simulated-dns#names, simulated-dns#chains, simulated-dns#wildcard-records)', () => {
  test('in zones of any records, including wildcards', () => {
    check(fc.property(domain, records, expectSameFinding), { numRuns: 400 })
  })

  test('in chains and loops that begin anywhere', () => {
    check(
      fc.property(chain, records, fc.nat(10), (links, others, at) => {
        const start = (links[at % links.length] as ZoneRecord).name
        const names = new Set(links.map(({ name }) => name))
        expectSameFinding(start, [...links, ...others.filter(({ name }) => !names.has(name))])
      }),
      { numRuns: 200 },
    )
  })
})
