import type * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import type { Families, Family } from '../../../src/core/operation/family.ts'
import type { Reference } from '../../../src/core/operation/reference.ts'
import { documentationOf } from '../../../src/core/schema/documentation.ts'
import { isSchema, partsOf } from '../../../src/core/schema/schema-parts.ts'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { families } from '../../../src/service/resources/index.ts'
import { outcome, uncheckedClient } from '../../support/client.ts'
import { CASES, NO_ID } from './reference-cases.ts'
import { openGateway } from './support.ts'

// Their types are narrower than that of any family.
const all = Object.values({ ...families, ...ngrokFamilies } as unknown as Families)

/** Every row of the table of references, with its name and its family's errors. */
const rows = all.flatMap((family) => (family.references ?? []).map((row) => ({ name: nameOf(row), row, family })))

function nameOf({ holder, sent, shown, only }: Reference): string {
  return `${holder.name} ${shown ?? sent}${only ? `, ${only.what}` : ''}`
}

/** Opens a gateway with the case of a row, whose holder names the target. */
async function openCase(name: string, references: 'any' | 'declared' = 'any') {
  const { gateway, send } = openGateway({ references, baseUrl: 'http://localhost:4041' })
  const sendAny = uncheckedClient(gateway)
  const found = CASES[name]?.(gateway)
  if (!found) throw new Error(`No case for ${name}.`)
  const id = found.target.slice(found.target.lastIndexOf('/') + 1)
  const write = async (named: string) => {
    const [method, path, json] = found.write?.(named) ?? []
    return method === undefined || path === undefined
      ? undefined
      : (path.startsWith('/_') ? sendAny : send)(method, path, { json })
  }
  const written = await write(id)
  if (written && written.status >= 300) throw new Error(`${name}: ${written.text}`)
  const created = found.create && written ? (written.body.id ?? Object.values<{ id: string }>(written.body)[0]?.id) : ''
  const holder = created === '' ? found.holder : `${found.holder}/${created}`
  return { ...found, gateway, send, write, id, holder }
}

/** Returns the ids in a field of a response or of the text of a policy. */
function listIds(value: unknown): readonly string[] {
  const text = JSON.stringify(value ?? null).replaceAll('\\', '')
  return [...text.matchAll(/"([a-z0-9]+_\w+)"/g)].map(([, id = '']) => id)
}

/** Returns the field of a response as a body has it. */
function toSent(value: unknown): unknown {
  if (Array.isArray(value) && value.every((each) => typeof each === 'object' && 'uri' in each))
    return value.map(({ id }) => id)
  return typeof value === 'object' && value !== null && 'uri' in value && 'id' in value ? value.id : value
}

const missingNumber = ({ row: { missing }, family }: (typeof rows)[number]) => {
  const twins = Object.values(family.operations).find(({ inPlaceOf }) => inPlaceOf)?.inPlaceOf
  const error = missing && (twins?.get(missing) ?? missing)
  return error && `${error.status} ERR_NGROK_${error.number}`
}

// rules: references#table
describe.each(rows)('The field $name', (it) => {
  const { name, row } = it
  const isSent = row.missing !== undefined && !row.only?.what.includes('management')

  test.runIf(isSent).each(['any', 'declared'] as const)(
    'takes an id of nothing as the table says: %s',
    async (mode) => {
      const { write, gateway, ...found } = await openCase(name, mode)
      const before = JSON.stringify(gateway.snapshot())
      // A name is free again for the second resource.
      if (found.create && found.holder.startsWith('/reserved_domains/')) await found.send('DELETE', found.holder)
      const answer = await write(NO_ID[row.to.what] ?? '')
      if (!answer) throw new Error('The case has no request.')
      if (row.to.isUndeclared && mode === 'any') return expect(answer.status, answer.text).toBeLessThan(300)
      expect(outcome(answer)).toBe(missingNumber(it))
      if (!found.holder.startsWith('/reserved_domains/')) expect(JSON.stringify(gateway.snapshot())).toBe(before)
    },
  )

  test.each(['any', 'declared'] as const)('changes as the table says with what it names: %s', async (mode) => {
    const { send, id, target, holder, again, gateway } = await openCase(name, mode)
    const field = row.shown ?? row.sent ?? ''
    expect(listIds((await send('GET', holder)).body[field])).toContain(id)
    const deleted = await remove()
    const left = await send('GET', holder)
    const { deletion } = row
    if (typeof deletion === 'object') {
      expect(outcome(deleted)).toBe(`${deletion.error.status} ERR_NGROK_${deletion.error.number}`)
      expect((await send('GET', target)).status).toBe(200)
    } else {
      expect(deleted.status, deleted.text).toBe(204)
      expect((await send('GET', target)).status).toBe(404)
    }
    if (deletion === 'cascades') return expect(left.status).toBe(404)
    if (left.status === 200)
      expect(listIds(left.body[field]).includes(id)).toBe(
        deletion === 'dangles' || deletion === deleted.body || typeof deletion === 'object',
      )
    if (left.status === 200 && deletion !== 'dangles') await expectUris(left.body)
    gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    if (!again || !row.sent) return
    const json = { [row.sent]: toSent(left.body[field]) }
    const sent = await send(again, holder, { json })
    expect(sent.status, sent.text).toBe(200)
    expect(sent.body[field]).toEqual(left.body[field])

    /** Deletes the target. An agent's own things end with its session. */
    async function remove() {
      const isOfAgent = /^\/(tunnels|endpoints)\//.test(target) && row.deletion === 'follows'
      if (!isOfAgent)
        return target.startsWith('/tunnel_sessions')
          ? send('POST', `${target}/stop`, { json: {} })
          : send('DELETE', target)
      const [{ id } = { id: '' }] = gateway.tunnelSessions.list().tunnel_sessions
      return send('POST', `/tunnel_sessions/${id}/stop`, { json: {} })
    }

    async function expectUris(value: unknown): Promise<void> {
      const uris = [...JSON.stringify(value).matchAll(/"uri":"(https?:[^"]+)"/g)].map(([, uri = '']) => uri)
      for (const uri of uris) expect([uri, (await send('GET', uri)).status]).toEqual([uri, 200])
    }
  })
})

test('each case is one of a row (rules: references#table)', () => {
  expect(Object.keys(CASES).sort()).toEqual(rows.map(({ name }) => name).sort())
})

/** The fields with the names of ids that name no resource of this API, and what they name. */
const FOREIGN: Readonly<Record<string, string>> = {
  client_id: 'an application at an identity provider',
  auth_provider_id: 'the one way to sign in',
  scim_user_id: 'a person, by the ID of a directory',
  provider_id: 'a provider of models, by its name',
  provider_user_id: 'a person at an identity provider',
  aws_access_key_id: 'a key of AWS',
  entity_id: 'an application at an identity provider',
  tenant_id: 'a tenant of Azure',
  data_collection_rule_id: 'a rule of Azure',
  subscription_id: 'the owner of a source, which a path names',
}

interface FoundField {
  readonly family: Family
  readonly place: string
  readonly name: string
}

/** Returns the fields of a schema that look like references: `{ id, uri }`, or a name that ends in `_id` or `_ids`. */
function listReferenceFields(
  family: Family,
  place: string,
  schema: v.GenericSchema,
  others: ReadonlySet<unknown>,
): FoundField[] {
  const walk = (each: v.GenericSchema, name: string, isTop = false): FoundField[] => {
    const { wrapped, entries, item, options = [] } = partsOf(each)
    if (!isTop && others.has(documentationOf(each).name)) return []
    if (entries && Object.keys(entries).sort().join() === 'id,uri')
      return isUser(entries) ? [] : [{ family, place, name }]
    const own = /_ids?$/.test(name) || isId(each) ? [{ family, place, name }] : []
    const inner = [wrapped, item, ...options].filter(isSchema).flatMap((next) => walk(next, name))
    return [...own, ...inner, ...Object.entries(entries ?? {}).flatMap(([key, next]) => walk(next, key))]
  }
  return walk(schema, '', true)
}

/** Returns whether a schema takes only ids with some prefix. */
const isId = (schema: v.GenericSchema) =>
  documentationOf(schema).facts.some(
    ({ json }) => typeof json === 'object' && /_\[0-9A-Za-z\]/.test(json.pattern ?? ''),
  )

/** Returns whether a reference is to the account's only user, whose `uri` is empty. */
const isUser = ({ uri }: Readonly<Record<string, v.GenericSchema>>) =>
  uri !== undefined && (documentationOf(uri).sentence ?? '').startsWith('Always empty')

test('every field that names a resource, in a body, a response or a declaration, has a row (rules: references#table)', () => {
  const named = new Set(
    all.flatMap(({ operations }) =>
      Object.values(operations).flatMap(({ body, response, name }) =>
        [body, response].flatMap((schema) =>
          schema && /\.(get|replace)$/.test(name) ? [documentationOf(schema).name] : [],
        ),
      ),
    ),
  )
  const found = all.flatMap((family) => [
    ...Object.values(family.operations).flatMap((operation) =>
      [operation.body, operation.response].flatMap((schema) =>
        schema && !operation.name.endsWith('.list') && !operation.name.endsWith('bound_endpoints')
          ? listReferenceFields(family, operation.name, schema, named)
          : [],
      ),
    ),
    ...Object.entries(family.declares ?? {}).flatMap(([name, { schema }]) =>
      listReferenceFields(family, `declare.${name}`, schema, named),
    ),
  ])
  const hasRow = ({ family, name }: FoundField) =>
    rows.some(
      ({ row }) =>
        (row.sent === name || row.shown === name) &&
        (family.collections.length === 0 || family.collections.some((each) => each.name === row.holder.name)),
    )
  const without = found.filter((each) => FOREIGN[each.name] === undefined && !hasRow(each))
  expect([...new Set(without.map(({ place, name }) => `${place}: ${name}`))]).toEqual([])
  expect(found.length).toBeGreaterThan(100)
  expect(Object.keys(FOREIGN).filter((name) => !found.some((each) => each.name === name))).toEqual([])
})

test('the traffic of a deleted IP policy is that of one without rules: nobody passes (rules: references#deleted)', async () => {
  const { gateway } = openGateway({ provisioningDelay: 0 })
  const policy = gateway.ipPolicies.create()
  gateway.ipPolicyRules.create({ ip_policy_id: policy.id, cidr: '0.0.0.0/0', action: 'allow' })
  const actions = [
    { type: 'restrict-ips', config: { ip_policies: [policy.id] } },
    { type: 'custom-response', config: { status_code: 200 } },
  ]
  const traffic_policy = JSON.stringify({ on_http_request: [{ actions }] })
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const { id } = gateway.endpoints.create({ url: 'https://app.example.com', traffic_policy })
  const visit = async () => (await gateway.traffic.fetch('https://app.example.com/')).status
  expect(await visit()).toBe(200)
  gateway.ipPolicies.delete(policy.id)
  expect(await visit()).toBe(403)
  expect(gateway.endpoints.update(id, { traffic_policy: `${traffic_policy}\n` }).traffic_policy).toBe(
    `${traffic_policy}\n`,
  )
  const other = { url: 'https://b.app.example.com', traffic_policy }
  expect(() => gateway.endpoints.create(other)).toThrow('the ID of an IP policy of the account')
})

test('an edge and a route send their own modules again after what these name was deleted (rules: references#deleted)', () => {
  const { gateway } = openGateway()
  const policy = gateway.ipPolicies.create().id
  const backend = gateway.staticBackends.create({ address: 'a.example.com:80' }).id
  const modules = { ip_restriction: { ip_policy_ids: [policy] }, backend: { backend_id: backend } }
  const tcp = gateway.tcpEdges.create(modules)
  const https = gateway.httpsEdges.create()
  const route = gateway.httpsEdgeRoutes.create(https.id, { match: '/', ...modules })
  gateway.ipPolicies.delete(policy)
  gateway.staticBackends.delete(backend)
  expect(gateway.tcpEdges.update(tcp.id, modules)).toEqual(tcp)
  expect(gateway.httpsEdgeRoutes.update({ edge_id: https.id, id: route.id }, modules)).toEqual(route)
  expect(() => gateway.tcpEdges.create({ ip_restriction: modules.ip_restriction })).toThrow('an unknown IP policy')
})

test('the session of an application user names only a route of its edge (rules: ngrok-families#application-users)', () => {
  const { gateway } = openGateway()
  const user = gateway.declare.applicationUser().id
  const [edge = '', other = ''] = [1, 2].map(() => gateway.httpsEdges.create().id)
  const route = gateway.httpsEdgeRoutes.create(edge, { match: '/' }).id
  for (const wrong of [
    { edge: other, route },
    { edge, route: 'edghtsrt_nope' },
  ])
    expect(() => gateway.declare.applicationSession({ user, ...wrong })).toThrow(`a route on the edge ${wrong.edge}`)
  expect(gateway.declare.applicationSession({ user, edge, route }).route?.id).toBe(route)
})

test('a secret in an expression is a name, which no write checks (rules: references#table)', () => {
  const { gateway } = openGateway()
  const body = `\${secrets.get('no-vault', 'no-secret')}`
  const actions = [{ type: 'custom-response', config: { status_code: 200, body } }]
  const traffic_policy = JSON.stringify({ on_http_request: [{ actions }] })
  expect(gateway.endpoints.create({ url: 'https://a.internal', traffic_policy }).traffic_policy).toBe(traffic_policy)
})
