import { describe, expect, test } from 'vitest'
import { ownFamilies } from '../../scripts/generate/evidence.ts'
import { groupOf, type Operation } from '../../src/core/operation/operation.ts'
import { isObject } from '../../src/core/schema/values.ts'
import { dialectFamilies } from '../../src/gateway/dialect-families.ts'
import { tableOf } from '../../src/gateway/table.ts'
import { ngrok, standard } from '../../src/index.ts'
import { type DialectName, dialects } from '../../src/service/resources/dialects.ts'
import { fieldsOf } from '../../src/verify/bodies.ts'
import { tryParseJson } from '../../src/verify/exchange.ts'
import { exitCodeOf, reportText } from '../../src/verify/report.ts'
import { planOf } from '../../src/verify/scenarios.ts'
import { upload } from '../support/pem.ts'
import { gatewayToVerify, KEY, verifyGateway } from '../support/verify.ts'

/** The reason why a run skips an operation that is not in its list. */
const NOT_LISTED = 'not in the list of operations that may be called'
/** The requests of a run before each field was asked. */
const REQUESTS_BEFORE = 2677

/** Counts the fields of bodies that a gateway accepts. */
class FieldCount {
  readonly #accepted = new Set<string>()
  readonly #operations: readonly Operation[]
  readonly #dialect: DialectName

  constructor(dialect: DialectName) {
    this.#dialect = dialect
    this.#operations = tableOf(dialects[dialect], dialectFamilies[dialect]).api.operations.filter(({ body }) => body)
  }

  get count(): number {
    return this.#accepted.size
  }

  note({ method, body }: RequestInit, path: string, status: number): void {
    const sent = typeof body === 'string' ? tryParseJson(body) : undefined
    if (status >= 300 || !isObject(sent)) return
    const isAt = (operation: Operation) =>
      operation.method === method && new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
    const name = this.#operations.find(isAt)?.name
    for (const [field, value] of Object.entries(sent)) {
      if (value !== null && value !== '') this.#accepted.add(`${name} ${field}`)
    }
  }

  /** Lists the fields that were never accepted, of the operations that were asked. */
  listMissing(notAsked: readonly { readonly operation: string }[]): readonly string[] {
    return this.#operations
      .filter(({ name }) => !notAsked.some(({ operation }) => operation === name))
      .flatMap((each) => Object.keys(fieldsOf(each, dialects[this.#dialect])).map((field) => `${each.name} ${field}`))
      .filter((field) => !this.#accepted.has(field))
  }
}

const ownFamilyNames = ownFamilies()
const isListed = (operation: string, reason: string | undefined) =>
  reason !== NOT_LISTED || !ownFamilyNames.includes(groupOf({ name: operation }))

describe('A run against fauxgate itself', () => {
  test.each([standard, ngrok])('finds no difference, and leaves nothing: $name', async ({ name }) => {
    const gateway = gatewayToVerify(name as 'standard' | 'ngrok')
    const sentBodies: string[] = []
    const fields = new FieldCount(name as DialectName)
    const fetch = async (url: string, init: RequestInit) => {
      // What is created below a resource of the run goes with it.
      if (init.method === 'POST' && !url.endsWith('/sources')) sentBodies.push(String(init.body))
      const response = await gateway.fetch(url, init)
      fields.note(init, url.slice(gateway.url.length), response.status)
      return response
    }
    const { report, entries, times } = await verifyGateway(gateway, { domain: 'mine.example' }, fetch)
    expect(report.outcomes.filter(({ verdict }) => verdict !== 'same')).toEqual([])
    expect([exitCodeOf(report), report.inventory, report.remaining, report.stopped]).toEqual([0, [], [], undefined])
    expect(gateway.leftovers()).toEqual([])
    const creations = entries.filter(({ entry }) => entry === 'created')
    expect(creations.length).toBeGreaterThan(name === 'ngrok' ? 30 : 8)
    expect(entries.filter(({ entry }) => entry === 'deleted')).toHaveLength(creations.length)
    expect(entries.filter(({ entry }) => entry === 'creating').length).toBeGreaterThan(creations.length)
    expect(report.requests).toBe(times.length)
    const isTooFast = times.some((at, index) => at - (times[index - 60] ?? -1e9) < 60_000)
    expect(isTooFast).toBe(false)
    // All names contain the prefix and the domain. The report and the log do not contain the key.
    expect(sentBodies.filter((body) => !body.includes('fauxgate-verify-test'))).toEqual([])
    // An agent ingress is made on this machine alone, so its domain needs no owner.
    const ofOwner = sentBodies.filter((body) => !/example\.org ?"|no domain/i.test(body))
    const domains = ofOwner.flatMap((body) => /"domain":"([^"]+)"/.exec(body)?.[1] ?? [])
    expect(domains.length).toBeGreaterThan(5)
    for (const domain of domains) expect(domain).toMatch(/^ ?(\*\.)?fauxgate-verify-test-[a-d]\.+mine\.example\.? ?$/i)
    expect(JSON.stringify([report, entries])).not.toContain(KEY)
    const skippedOperations = report.operations.filter(({ verdict }) => verdict === 'not called')
    const reasons = skippedOperations.flatMap(({ operation, reason }) => (isListed(operation, reason) ? [reason] : []))
    const agents = name === 'ngrok' ? ['a command would stop or restart an agent'] : []
    const people =
      name === 'ngrok'
        ? ['they are people who signed in', 'they are sessions of people who signed in', 'people read abuse reports']
        : []
    expect([...new Set(reasons)]).toEqual(['the service has ended edges and their modules', ...agents, ...people])
    const calls = report.operations.filter(({ verdict }) => verdict !== 'not called')
    if (name !== 'ngrok') return
    expect(calls.length).toBeGreaterThanOrEqual(240)
    expect(report.requests).toBeLessThanOrEqual(2 * REQUESTS_BEFORE)
    // Each field of each body was accepted once, apart from those that the service always rejects.
    expect(fields.listMissing(report.operations.filter(({ verdict }) => verdict === 'not called'))).toEqual([
      'ip_policies.create action',
      'ip_policies.update action',
      'api_keys.create precomputed_token',
      'credentials.create precomputed_token',
    ])
    expect(fields.count).toBeGreaterThanOrEqual(318)
    expect(report.fieldsNotAsked).toEqual([])
    expect(
      Math.abs(report.requests / planOf({ ...FREE, isLocal: true, domain: 'mine.example' }).requests - 1),
    ).toBeLessThan(0.03)
  })

  test('changes no existing resource, and compares lists without existing resources', async () => {
    const gateway = gatewayToVerify('standard')
    for (const description of ['one', 'two', 'three']) gateway.reservedAddrs.create({ description })
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const before = JSON.stringify([gateway.reservedAddrs.list(), gateway.reservedDomains.list()])
    const { report } = await verifyGateway(gateway, { families: ['reserved_addrs', 'reserved_domains'] })
    expect(reportText(report)).toContain(' 0 different')
    expect(exitCodeOf(report)).toBe(0)
    expect(JSON.stringify([gateway.reservedAddrs.list(), gateway.reservedDomains.list()])).toBe(before)
  })

  test('creates nothing with --read-only', async () => {
    const gateway = gatewayToVerify()
    const methods = new Set<string>()
    const fetch = (url: string, init: RequestInit) => {
      methods.add(init.method ?? '')
      return gateway.fetch(url, init)
    }
    const { report, entries } = await verifyGateway(
      gateway,
      { isReadOnly: true, families: ['vaults', 'tunnels', 'compression'] },
      fetch,
    )
    expect([...methods]).toEqual(['GET'])
    expect([entries, exitCodeOf(report)]).toEqual([[], 0])
    const creation = report.operations.find(({ operation }) => operation === 'vaults.create')
    expect(creation).toMatchObject({ verdict: 'not called', reason: '--read-only' })
  })
})

const FREE = { upload: upload(), isLocal: false, isReadOnly: false, dialect: 'ngrok' } as const

describe('A run against a server that is not on this machine', () => {
  test('lists the fields that it does not ask, with the reason', () => {
    const { fieldsNotAsked, requests } = planOf({ ...FREE, domain: 'test.example' })
    // At 60 requests a minute, docs/verify.md says that it takes more than an hour.
    expect(Math.abs(requests - 4400)).toBeLessThan(40)
    const reason = 'a plan may bill a user, and the server is not on this machine'
    expect(fieldsNotAsked).toEqual(
      ['api_keys.create', 'credentials.create', 'ssh_credentials.create'].map((operation) => ({
        operation,
        field: 'owner_id',
        reason,
      })),
    )
  })

  test('creates nothing that costs money, and no domain without `--domain`', () => {
    const { notAsked } = planOf(FREE)
    const creations = [...notAsked].filter(([name, reason]) => name.endsWith('.create') && isListed(name, reason))
    const edges = creations.filter(([, reason]) => reason === 'the service has ended edges and their modules')
    expect(edges.length).toBeGreaterThan(0)
    expect(Object.fromEntries(creations.filter((each) => !edges.includes(each)))).toEqual({
      'abuse_reports.create': 'people read abuse reports',
      'agent_ingresses.create': 'a plan may bill an agent ingress, and the server is not on this machine',
      'ai_gateway_api_keys.create': 'a plan may bill an AI gateway, and the server is not on this machine',
      'ai_gateway_provider_keys.create': 'a plan may bill an AI gateway, and the server is not on this machine',
      'ip_restrictions.create': 'it could lock people out of the account, and the server is not on this machine',
      'reserved_addrs.create': 'a plan may bill an address, and the server is not on this machine',
      'reserved_domains.create': 'no --domain was given to reserve names under',
      'bot_users.create': 'a plan may bill a user, and the server is not on this machine',
      'service_users.create': 'a plan may bill a user, and the server is not on this machine',
    })
    expect(planOf({ ...FREE, domain: 'test.example' }).notAsked.has('reserved_domains.create')).toBe(false)
  })
})
