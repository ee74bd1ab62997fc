import { describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/core/operation/operation.ts'
import { listFields } from '../../../src/core/schema/schema-parts.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { type Gateway, manualClock } from '../../../src/index.ts'
import { ngrokFamilies } from '../../../src/service/ngrok/families.ts'
import { families } from '../../../src/service/resources/index.ts'
import { describeDifference } from '../../../src/testing/survives/comparison.ts'
import { Ending, keysOf } from '../../../src/testing/survives/ending.ts'
import { Masks } from '../../../src/testing/survives/masks.ts'
import { type CodeUnderTest, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { type Call, createCall } from './programs/client.ts'
import { type Change, make, Needs, send } from './programs/make.ts'
import { bodyOf, KINDS, type Kind, UNCHANGEABLE } from './programs/writes.ts'

/** Makes a resource of a kind, and returns the change of one of its fields. */
function prepareChange(gateway: Gateway, kind: Kind, field: string): Change {
  const needs = new Needs(gateway)
  const [before, after] = kind.fields[field] ?? []
  const path = make(needs, kind, before === undefined ? {} : { [field]: before })
  const changed = needs.fill({ [field]: after })
  return kind.create ? ['PATCH', path, changed] : ['PUT', path, { ...needs.fill(bodyOf(kind.fields)), ...changed }]
}

const prepareDeletion = (gateway: Gateway, kind: Kind): Change => ['DELETE', make(new Needs(gateway), kind)]

const shared = createNgrok({ seed: 'writes' })

/** Describes what a run lacks that does not make a change. */
function describeLack(prepare: (gateway: typeof shared) => Change): string | undefined {
  shared.reset()
  const change = prepare(shared)
  const [before, masks] = [keysOf(shared), new Masks([])]
  const without = new Ending(shared, before, masks)
  without.publicRecords()
  send(shared, change)
  return describeDifference(without, new Ending(shared, before, masks))?.message
}

/** Searches code that ignores the failure of a change. */
function searchIgnoring(prepare: (gateway: Gateway) => Change) {
  let change: Change = ['', '']
  const code: CodeUnderTest = async (life) => {
    await createCall(life)(...change).catch(() => undefined)
  }
  const setup = (each: Gateway) => {
    change = prepare(each)
  }
  return expectSurvivalError(survives(code, { create: createNgrok, setup, faults: 1, kinds: ['lost'] }))
}

const kinds = Object.entries(KINDS)
const changes = kinds.flatMap(([name, kind]) =>
  Object.keys(kind.fields).map(
    (field) => [`${kind.create ? 'PATCH' : 'PUT'} of ${name}.${field}`, kind, field] as const,
  ),
)

/** Detachments, and deletions of parts of a resource. */
const PARTS: readonly (readonly [field: string, kind: string, path: string])[] = [
  ['endpoint_configuration_id', 'reserved_addrs', '/endpoint_configuration'],
  ['certificate_id', 'reserved_domains', '/certificate'],
  ['certificate_management_policy', 'reserved_domains', '/certificate_management_policy'],
  ['http_endpoint_configuration_id', 'reserved_domains', '/http_endpoint_configuration'],
  ['https_endpoint_configuration_id', 'reserved_domains', '/https_endpoint_configuration'],
]

/** Changes of resources that tests declare, or that are lists within others. */
const OTHERS: Readonly<Record<string, (each: typeof shared) => Change>> = {
  'abuse_reports.create': () => ['POST', '/abuse_reports', { urls: ['https://bad.ngrok.app/'] }],
  'application_users.delete': ({ declare }) => ['DELETE', `/app/users/${declare.applicationUser().id}`],
  'application_sessions.delete': ({ declare }) => {
    const { id } = declare.applicationSession({ user: declare.applicationUser().id })
    return ['DELETE', `/app/sessions/${id}`]
  },
  'event_sources.delete': ({ eventSubscriptions }) => {
    const sources = [{ type: 'vault_created.v0' }, { type: 'vault_updated.v0' }]
    return ['DELETE', `/event_subscriptions/${eventSubscriptions.create({ sources }).id}/sources/vault_created.v0`]
  },
  'event_sources.create': ({ eventSubscriptions }) => {
    const { id } = eventSubscriptions.create({ sources: [{ type: 'vault_created.v0' }] })
    return ['POST', `/event_subscriptions/${id}/sources`, { type: 'vault_updated.v0' }]
  },
  'tunnel_sessions.stop': ({ declare }) => ['POST', `/tunnel_sessions/${declare.tunnelSession().id}/stop`, {}],
  'tunnel_sessions.restart': ({ declare }) => ['POST', `/tunnel_sessions/${declare.tunnelSession().id}/restart`, {}],
  'tunnel_sessions.update': ({ declare }) => {
    const { id } = declare.tunnelSession({ update: '9.0.0' })
    return ['POST', `/tunnel_sessions/${id}/update`, { version: '9.0.0' }]
  },
}

describe('A missing change is noticed:', () => {
  it.each(changes)('%s', (_name, kind, field) => {
    const lack = describeLack((each) => prepareChange(each, kind, field))
    expect(lack).toMatch(/, expected |deleted$|has a different secret in /)
    expect(lack).not.toContain('hush')
  })

  it.each(kinds)('DELETE of %s', (_name, kind) => {
    expect(describeLack((each) => prepareDeletion(each, kind))).toMatch(/^\d+ \w+, expected (none|\d+)$/)
  })

  it.each(PARTS)('DELETE of the %s of %s', (field, name, path) => {
    const kind = KINDS[name] as Kind
    const prepare = (each: Gateway): Change => {
      const [, resource, body] = prepareChange(each, kind, field)
      send(each, ['PATCH', resource, body])
      return ['DELETE', resource + path]
    }
    expect(describeLack(prepare)).toMatch(/, expected none$/)
  })

  it.each(Object.entries(OTHERS))('%s', (_name, prepare) => {
    expect(describeLack(prepare)).toMatch(/, expected |deleted$|has a different secret in /)
  })

  it.each(kinds)('by a search, for the last field of %s', async (_name, kind) => {
    const field = Object.keys(kind.fields).at(-1) ?? ''
    const { groups } = await searchIgnoring((each) => prepareChange(each, kind, field))
    expect(groups.map(({ verdict }) => verdict)).toEqual(['other-leftovers'])
  })
})

describe('What a gateway makes is not compared:', () => {
  const elsewhere = createNgrok({ seed: 'elsewhere', clock: manualClock('2027-03-04T05:06:07Z') })
  const endingOf = (each: typeof shared, kind: Kind) => {
    each.reset()
    const before = keysOf(each)
    // Further resources, so that no address and no number in an id is the same.
    if (each === elsewhere) each.reservedAddrs.create()
    make(new Needs(each), kind)
    if (each === elsewhere) each.reservedAddrs.delete(each.reservedAddrs.list().reserved_addrs.at(-1)?.id ?? '')
    const ending = new Ending(each, before, new Masks([]))
    ending.publicRecords()
    return ending
  }

  it.each(kinds)('the resources of %s are alike, by another seed and at another time', (_name, kind) => {
    const ending = endingOf(shared, kind)
    expect(describeDifference(endingOf(elsewhere, kind), ending)).toBe(undefined)
  })
})

describe('Two copies that read and write lose an update of one another:', () => {
  const modules = kinds.filter(([, { create }]) => !create)

  it.each(modules)('PUT of %s', async (_name, kind) => {
    const { message } = await searchCopies(kind, async (call, path, body) => {
      const { enabled } = await call('GET', path)
      await call('PUT', path, { ...body, enabled: !enabled })
    })
    expect(message).toMatch(/has module\.enabled false, expected true\./)
  })

  it('headers that each copy adds', async () => {
    const { message } = await searchCopies(KINDS.route_response_headers as Kind, async (call, path, body, copy) => {
      const { add } = await call('GET', path)
      await call('PUT', path, { ...body, add: { ...add, [`x-${copy.toLowerCase()}`]: '1' } })
    })
    expect(message).toMatch(/: route_response_headers \S+ has no module\.add\.x-[ab], expected "1"\./)
  })

  it('weights of which each copy moves ten', async () => {
    const kind = KINDS.weighted_backends as Kind
    const { message } = await searchCopies(kind, async (call, path) => {
      const { backends } = await call('GET', path)
      const [from = '', to = ''] = Object.keys(backends)
      await call('PATCH', path, { backends: { [from]: backends[from] - 10, [to]: backends[to] + 10 } })
    })
    expect(message).toMatch(/: weighted_backends \S+ has backends\.bkdhr_a 40, expected 30\./)
  })
})

/** Searches the orders of two copies that change a resource of a kind. */
function searchCopies(kind: Kind, work: (call: Call, path: string, body: object, copy: string) => Promise<unknown>) {
  let path = ''
  let body: object = {}
  const code: CodeUnderTest = (life) => work(createCall(life), path, body, life.copy)
  const setup = (each: Gateway) => {
    const needs = new Needs(each)
    body = needs.fill(bodyOf(kind.fields))
    path = make(needs, kind, kind.create ? body : {})
  }
  return expectSurvivalError(survives(code, { create: createNgrok, setup, copies: 2 }))
}

it('The table of changes has each field of each PATCH and PUT, and each deletion', () => {
  const all: Readonly<Record<string, { readonly operations: object }>> = { ...families, ...ngrokFamilies }
  const operations = Object.values(all).flatMap((each) => Object.values<Operation>({ ...each.operations }))
  const missing = operations.flatMap(({ name, method, body }) => {
    const [kind = ''] = name.split('.')
    const fields = body && (method === 'PATCH' || method === 'PUT') ? listFields(body, []) : []
    const isUnknown = !['GET', 'PATCH', 'PUT'].includes(method) && !KINDS[kind] && !OTHERS[name]
    return [
      ...fields.map((field) => `${kind}.${field}`).filter((each) => !KINDS[kind]?.fields[each.slice(kind.length + 1)]),
      ...(isUnknown ? [name] : []),
    ]
  })
  expect(missing).toEqual(UNCHANGEABLE)
  expect(operations.filter(({ method }) => method === 'PUT')).toHaveLength(38)
})
