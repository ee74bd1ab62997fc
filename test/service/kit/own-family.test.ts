import * as v from 'valibot'
import { describe, expect, it, test } from 'vitest'
import type { ResourceKind } from '../../../src/core/operation/resource-kind.ts'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import {
  type Commit,
  createGateway,
  type Dialect,
  GatewayError,
  manualClock,
  ngrok,
  standard,
} from '../../../src/index.ts'
import * as kit from '../../../src/service/kit/index.ts'
import { client, createControlClient, expectError, outcome } from '../../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../../support/clock.ts'
import { errors, type WidgetRecord, widgetRecords, widgets } from './widgets.ts'

const SEED = 'kit'

function open(dialect: Dialect = standard) {
  return createGateway({ families: { widgets }, seed: SEED, clock: manualClock(CLOCK_START), dialect })
}

describe('A family of a test (rules: one-table#families), through the direct API', () => {
  it('is created, read, listed, changed and deleted, in addition to the built-in families', () => {
    const gateway = open()
    const widget = gateway.widgets.create({ name: 'left', size: 3, metadata: 'm' })
    expect(widget).toEqual({
      id: expect.stringMatching(/^wid_[0-9A-Za-z]{27}$/),
      uri: `${gateway.url}/widgets/${widget.id}`,
      created_at: SHOWN_START,
      metadata: 'm',
      name: 'left',
      size: 3,
      locked: false,
    })
    const read = gateway.widgets.get(widget.id)
    expect(read).toEqual(widget)
    expect(gateway.widgets.get(widget.id)).toBe(read)
    expect(gateway.widgets.update(widget.id, { size: 4 }).size).toBe(4)
    expect(gateway.widgets.list().widgets.map(({ name }) => name)).toEqual(['left'])
    expect(gateway.reservedAddrs.create().id).toMatch(/^ra_/)
    gateway.widgets.delete(widget.id)
    expect(expectError(() => gateway.widgets.get(widget.id)).message).toBe(`There is no widget ${widget.id}.`)
  })

  it('looks up the records of any other family', () => {
    const get = kit.operation({
      name: 'audit.get',
      method: 'GET',
      path: '/audit/{id}',
      status: 200,
      summary: 'Tell whether an IP policy is there',
      ids: { id: 'ipp' },
      run: (tx, { id }) => ({ isThere: tx.get(kit.recordsOf(ngrokFamilies.ipPolicies), id) !== undefined }),
    })
    const audit = kit.familyOf({ operations: { get }, collections: [], errors: {} })
    const gateway = createGateway({ dialect: ngrok, families: { ...ngrokFamilies, audit } })
    const { id } = gateway.ipPolicies.create()
    expect([gateway.audit.get(id), gateway.audit.get('ipp_1')]).toEqual([{ isThere: true }, { isThere: false }])
    expect(() => kit.recordsOf(audit)).toThrow('The family stores no records.')
  })

  it('reads the options of its gateway, except secret ones', () => {
    const { unlock } = widgets.operations
    let rules: object = {}
    const run: typeof unlock.run = (tx, ...rest) => {
      rules = tx.options
      return unlock.run(tx, ...rest)
    }
    const families = { widgets: { ...widgets, operations: { ...widgets.operations, unlock: { ...unlock, run } } } }
    const options = { keys: ['an-api-key'], control: { key: 'a-control-key' }, authorityKeys: 'fresh' } as const
    const gateway = createGateway({ families, dns: 'simulated', ...options })
    gateway.widgets.unlock(gateway.widgets.create({ name: 'left' }).id)
    expect(rules).toMatchObject({ dns: 'simulated', dnsErrorRetry: 3_600_000 })
    for (const name of Object.keys(options)) expect(rules).not.toHaveProperty(name)
  })

  it('throws if an operation is async: its promise would be an empty object over HTTP, and its changes too late', () => {
    const { unlock } = widgets.operations
    const run = async (...all: Parameters<typeof unlock.run>) => unlock.run(...all)
    const families = { widgets: { ...widgets, operations: { ...widgets.operations, unlock: { ...unlock, run } } } }
    const gateway = createGateway({ families, clock: manualClock(CLOCK_START) })
    const { id } = gateway.widgets.create({ name: 'left' })
    const before = gateway.snapshot()
    expect(() => gateway.widgets.unlock(id)).toThrow('The operation widgets.unlock returned a promise. Allowed: ')
    expect(gateway.snapshot()).toEqual(before)
  })

  it('throws if a function writes into the record that it receives, or is async: no rollback would undo it', () => {
    const fields = { description: kit.description, metadata: kit.metadata }
    const records = kit.collection({ name: 'notes', schema: v.object(kit.recordHead('note', fields)) })
    const shape = kit.named(v.object(kit.resourceHead), 'Note', 'A note.')
    const [createBody, updateBody] = [v.object(fields), v.object(fields)]
    type NewNote = (tx: kit.Transaction, body: v.InferOutput<typeof createBody>) => kit.ResourceRecord
    const create: NewNote = (tx, body) => tx.put(records, kit.newHead(tx, 'note', body))
    const gatewayWith = (run: NewNote) => {
      const notes = kit.resource(
        { name: 'notes', prefix: 'note', what: 'note', collection: records, shape, createBody, updateBody },
        {
          view: (record, wire) => kit.viewHead(record, wire, '/notes'),
          create: { run },
          update: { run: (tx, record, body) => tx.put(records, Object.assign(record, body)) },
        },
      )
      return createGateway({ families: { notes } })
    }
    const { notes } = gatewayWith(create)
    const { id } = notes.create({ description: 'first' })
    expect(() => notes.update(id, { description: 'second' })).toThrow('read only property')
    expect(notes.get(id).description).toBe('first')
    // The types allow no promise, but JavaScript does.
    const createLater = (async (...args: Parameters<NewNote>) => create(...args)) as unknown as NewNote
    expect(() => gatewayWith(createLater).notes.create({})).toThrow('`create` of notes returned a promise. Allowed: ')
  })

  it('rejects with its own errors, with the numbers of the dialect', () => {
    const gateway = open(ngrok)
    const { id } = gateway.widgets.create({ name: 'left' })
    const error = expectError(() => gateway.widgets.create({ name: 'left' }))
    expect(error).toBeInstanceOf(GatewayError)
    expect([error.code, error.status, error.message]).toEqual([
      'ERR_NGROK_95003',
      409,
      `"left" is a widget already: ${id}.`,
    ])
    expect(error.is(errors.widget_taken)).toBe(true)
    expect(error.is(errors.widget_locked)).toBe(false)
    expect(expectError(() => gateway.widgets.create({ name: 'Left!' })).message).toBe(
      'name is "Left!". Allowed: lower-case letters.',
    )
    expect(expectError(() => gateway.widgets.create({ name: 'right', size: 11 })).message).toBe(
      'size is 11. Allowed: an integer from 1 to 10.',
    )
  })

  it('runs `onDue` when a record is due, and its commits have no secrets', () => {
    const gateway = open()
    const commits: unknown[] = []
    gateway.subscribe((commit) => commits.push(commit))
    const { id } = gateway.widgets.create({ name: 'left', token: 'very-secret-token' })
    gateway.clock.advanceToNext()
    expect(gateway.widgets.get(id).locked).toBe(true)
    expect(expectError(() => gateway.widgets.delete(id)).is(errors.widget_locked)).toBe(true)
    expect(gateway.widgets.unlock(id).locked).toBe(false)
    expect(commits).toMatchObject([
      { operation: 'widgets.create' },
      { operation: 'widgets.due' },
      { operation: 'widgets.unlock' },
    ])
    expect(JSON.stringify(commits)).not.toContain('very-secret-token')
  })

  it('that does not handle a due event makes the call throw, and no call runs forever', () => {
    const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
    const gateway = createGateway({ families: { widgets: { ...widgets, onDue: () => undefined } }, clock })
    const { id } = gateway.widgets.create({ name: 'left', token: 'very-secret-token' })
    clock.now += 60_000
    expect(() => gateway.widgets.get(id)).toThrow(
      `onDue of "widgets" returned, but "${id}" is still due at 2026-01-01T00:01:00Z. Reschedule the event, or remove it.`,
    )
  })

  it('that throws for a due record makes a manual clock throw its error', () => {
    const onDue = () => {
      throw new Error('The lock is stuck.')
    }
    const gateway = createGateway({
      families: { widgets: { ...widgets, onDue } },
      clock: manualClock(CLOCK_START),
    })
    gateway.widgets.create({ name: 'left', token: 'very-secret-token' })
    expect(() => gateway.clock.advance('1h')).toThrow('The lock is stuck.')
  })

  it('that uses an unknown index or an impossible due time gets an error with the allowed ones', () => {
    const expectWrongRun = (run: (tx: kit.Transaction, record: WidgetRecord) => unknown) =>
      expectError(() => {
        const family = { ...widgets, onDue: (tx: kit.Transaction, each: object) => void run(tx, each as WidgetRecord) }
        const gateway = createGateway({ families: { widgets: family }, clock: manualClock(CLOCK_START) })
        gateway.widgets.create({ name: 'left', token: 'very-secret-token' })
        gateway.clock.advanceToNext()
      }).message
    expect(expectWrongRun((tx) => tx.find(kit.domains, 'names', 'a.example.com'))).toMatch(
      /^The collection "reserved_domains" has no index "names"\. Its indexes: domain, /,
    )
    const at = new Date() as never
    expect(
      expectWrongRun((tx, each) => tx.put(widgetRecords, { ...each, due: { at, order: tx.nextOrder() } })),
    ).toMatch(
      /^The collection "widgets" has a record that is due at \{ at: a Date, order: \d+ \}\. Allowed: at in epoch ms, /,
    )
  })

  it('can be an initial resource, and is among the leftover resources', () => {
    const gateway = createGateway({ families: { widgets }, initial: { widgets: [{ name: 'first' }] } })
    expect(gateway.leftovers()).toEqual([])
    const { id } = gateway.widgets.create({ name: 'second' })
    expect(gateway.leftovers()).toEqual([{ family: 'widgets', id }])
    gateway.reset()
    expect(gateway.widgets.list().widgets.map(({ name }) => name)).toEqual(['first'])
  })
})

describe('A family of a test, over HTTP', () => {
  it('serves its operations, with their statuses and errors', async () => {
    const gateway = open()
    const send = client(gateway)
    const response = await send('POST', '/widgets', { json: { name: 'left', size: 2 } })
    expect([response.status, response.body.name]).toEqual([201, 'left'])
    expect((await send('GET', `/widgets/${response.body.id}`)).body).toEqual(response.body)
    expect((await send('PATCH', `/widgets/${response.body.id}`, { json: { size: 11 } })).body).toMatchObject({
      error_code: 'ERR_GATEWAY_95002',
      status_code: 422,
      details: { 'field:size': 'size is 11. Allowed: an integer from 1 to 10.' },
    })
    expect((await send('GET', '/widgets/ra_1')).body.error_code).toBe('ERR_GATEWAY_227')
    expect((await send('PUT', '/widgets')).headers.get('allow')).toBe('POST, GET, HEAD')
    expect((await send('POST', `/widgets/${response.body.id}/unlock`)).status).toBe(200)
    expect((await send('DELETE', `/widgets/${response.body.id}`)).status).toBe(204)
  })

  it('rejects unknown fields, and accepts the extra fields of a dialect', async () => {
    const send = client(open())
    const response = await send('POST', '/widgets', { json: { name: 'left', colour: 'red' } })
    expect(response.body.msg).toBe(
      'colour is not a field of this operation. Supported: name, size, token, description, metadata.',
    )
    const dialect = { ...standard, extraFields: { 'widgets.create': ['colour'] } }
    expect((await client(open(dialect))('POST', '/widgets', { json: { name: 'left', colour: 'red' } })).status).toBe(
      201,
    )
  })

  it('requires the version header, and follows the aliases of a dialect', async () => {
    const dialect = { ...ngrok, fieldAliases: { widgets: { label: 'name' } }, versionHeader: 'Acme-Version' }
    const send = client(open(dialect))
    const response = await send('GET', '/widgets', { headers: { 'Acme-Version': null } })
    expect(response.body.msg).toContain('Acme-Version')
    expect((await send('POST', '/widgets', { json: { label: 'left' } })).body.name).toBe('left')
    expect((await send('POST', '/widgets', { json: { label: 'X' } })).body.msg).toContain('label is "X"')
    expect((await send('POST', '/widgets', { json: { label: 'up', name: 'down' } })).body.msg).toBe(
      'label is sent together with "name", which is the same field. Allowed: label or name, not both.',
    )
  })

  it('has the extra query parameters of its list, sent once or repeatedly, on every page', async () => {
    const gateway = open()
    for (const name of ['a', 'b', 'c', 'd']) gateway.widgets.create({ name, size: name === 'b' ? 2 : 1 })
    const names = (page: { readonly widgets: readonly { readonly name: string }[] }) =>
      page.widgets.map(({ name }) => name)
    expect(names(gateway.widgets.list({ name: ['a', 'c', 'b'], size: '1' }))).toEqual(['c', 'a'])
    expect(names(gateway.widgets.list({ name: ['a', ''], size: '' }))).toEqual(['a'])
    expect(() => gateway.widgets.list({ name: ['a', undefined as never] })).toThrow(
      'name is missing. Allowed: a string or a number.',
    )
    expect(names(gateway.widgets.list({ name: ['a', 'c', 'x'] }))).toEqual(['c', 'a'])
    const send = client(gateway)
    const { body } = await send('GET', '/widgets?name=a&limit=1&name=b&filter=obj.size%3E1')
    expect([names(body), body.next_page_uri]).toEqual([['b'], null])
    expect(names((await send('GET', '/widgets?name=&size=2')).body)).toEqual(['b'])
    const first = (await send('GET', '/widgets?name=a&limit=1&name=b')).body
    expect(names((await send('GET', first.next_page_uri)).body)).toEqual(['a'])
    expect((await send('GET', '/widgets?limit=1&limit=2')).body.error_code).toBe('ERR_GATEWAY_232')
    expect((await send('GET', '/widgets?colour=red')).body.msg).toContain(
      'Supported: limit, before_id, filter, name, size.',
    )
  })

  it('lets a test declare a record that no operation creates, over HTTP too, and end it', async () => {
    const gateway = open()
    const widget = gateway.declare.brokenWidget({ name: 'left' })
    expect([widget.locked, gateway.widgets.get(widget.id)]).toEqual([true, widget])
    const control = createControlClient(gateway.fetch, 'http://localhost')
    const { status, body } = await control('POST', '/declare', { broken_widget: { name: 'right' }, edge: 'edghts_1' })
    expect([status, body]).toEqual([200, { broken_widget: gateway.widgets.get(body.broken_widget.id) }])
    expect((await control('DELETE', `/declare?id=${body.broken_widget.id}`)).status).toBe(204)
    gateway.declare.end(widget.id)
    expect(gateway.widgets.list().widgets).toEqual([])
    const before = gateway.snapshot()
    expect(expectError(() => gateway.declare.end(widget.id)).key).toBe('not_found')
    expect(outcome(await control('DELETE', '/declare?id=rd_1'))).toBe('404 ERR_GATEWAY_90404')
    expect(outcome(await control('POST', '/declare', { broken_widget: { name: 'X' } }))).toBe('400 ERR_GATEWAY_95001')
    expect(outcome(await control('POST', '/declare', {}))).toBe('400 ERR_GATEWAY_215')
    expect(gateway.snapshot()).toEqual(before)
    const document = openApi(standard, { families: { widgets }, part: 'controls' })
    expect(JSON.stringify(document)).toContain('"broken_widget":')
    expect(
      (await createControlClient(createGateway().fetch, 'http://localhost')('POST', '/declare', { backend: 'bkdhr_1' }))
        .status,
    ).toBe(204)
  })

  it('adds rules to operations of other families, which then reject with its errors', async () => {
    const gateway = open()
    const send = client(gateway, { widgets })
    const { id } = gateway.reservedDomains.create({ domain: 'left.example.com' })
    const widget = gateway.widgets.create({ name: 'left' })
    const before = gateway.snapshot()
    const response = await send('DELETE', `/reserved_domains/${id}`)
    expect([response.status, response.body.error_code]).toEqual([400, 'ERR_GATEWAY_95005'])
    expect(gateway.snapshot()).toEqual(before)
    gateway.clock.advanceToNext()
    gateway.widgets.unlock(widget.id)
    gateway.widgets.delete(widget.id)
    expect((await send('DELETE', `/reserved_domains/${id}`)).status).toBe(204)
  })

  it('has faults by its operations and with its errors, and entries in the journal without its secrets', async () => {
    const gateway = open()
    gateway.faults.add({ operation: 'widgets.create', error: 'widget_locked', times: 1 })
    const send = client(gateway)
    const json = { name: 'left', token: 'very-secret-token' }
    expect((await send('POST', '/widgets', { json })).body.error_code).toBe('ERR_GATEWAY_95004')
    expect((await send('POST', '/widgets', { json })).status).toBe(201)
    expect(gateway.requests.count({ operation: 'widgets.create' })).toBe(2)
    expect(gateway.requests.last()).toMatchObject({
      operation: 'widgets.create',
      request: { name: 'left', token: '[redacted]' },
      commit: { changes: [{ collection: 'widgets' }] },
    })
    expect(() => open().faults.add({ operation: 'widgets.paint' as 'widgets.create' })).toThrow('widgets.create')
  })
})

describe('A family of a test, in snapshots', () => {
  it('is complete and can be restored in another gateway', () => {
    const gateway = open()
    const { id } = gateway.widgets.create({ name: 'left', size: 5 })
    const snapshot = JSON.parse(JSON.stringify(gateway.snapshot({ privateKeys: true })))
    const other = open()
    other.restore(snapshot)
    expect(other.widgets.get(id)).toEqual(gateway.widgets.get(id))
    expect(other.snapshot()).toEqual(gateway.snapshot())
    other.clock.advanceToNext()
    expect(other.widgets.get(id).locked).toBe(true)
  })

  it('is checked, both its fields and its relations to other records', () => {
    const gateway = open()
    gateway.widgets.create({ name: 'left' })
    gateway.widgets.create({ name: 'right' })
    const restoreDamaged = (change: (rows: Record<string, unknown>[]) => void) => {
      const snapshot = JSON.parse(JSON.stringify(gateway.snapshot()))
      change(snapshot.records.widgets)
      return expectError(() => open().restore(snapshot)).message
    }
    expect(restoreDamaged(([row]) => Object.assign(row ?? {}, { size: 99 }))).toBe(
      'records.widgets.0.size is 99. Allowed: an integer from 1 to 10.',
    )
    expect(restoreDamaged(([row]) => Object.assign(row ?? {}, { name: 'right' }))).toBe(
      'records.widgets.1.name is "right". Allowed: a name that no other one has.',
    )
  })

  it('is rejected by a gateway that does not have it', () => {
    const gateway = open()
    gateway.widgets.create({ name: 'left' })
    const snapshot = JSON.parse(JSON.stringify(gateway.snapshot()))
    expect(expectError(() => createGateway().restore(snapshot)).key).toBe('field_unknown')
  })
})

describe('A family of a test, in documents', () => {
  it('has its paths and its errors', () => {
    const document = openApi(standard, { families: { widgets } })
    expect(Object.keys(document.paths)).toContain('/widgets/{id}/unlock')
    const numbers = kit.errorsOf(widgets.operations.create).map(({ number }) => number)
    expect(numbers).toEqual(expect.arrayContaining([214, 215, 95001, 95002, 95003]))
    expect(numbers).not.toContain(95004)
    expect(kit.errorsOf(widgets.operations.delete).map(({ key }) => key)).toContain('widget_locked')
  })

  it('is described with its declared plural, and with its declared article or that of its first letter', () => {
    const createSummaries = (words: Pick<ResourceKind, 'what' | 'plural' | 'article'>) => {
      const kind = { name: 'x', path: '/x', items: 'x', prefix: 'x', shape: v.object({ id: v.string() }), ...words }
      const bodies = { createBody: v.object({}), updateBody: v.object({}) }
      const records = kit.collection<kit.ResourceRecord>({ name: 'x', key: ({ id }) => id, schema: v.any() })
      const run = (): kit.ResourceRecord => ({ id: 'x_1', created_at: 0 })
      const { create, list } = kit.resource(
        { ...kind, ...bodies, collection: records },
        { view: ({ id }) => ({ id }), create: { run }, update: { run } },
      ).operations
      return [create.summary, list.summary]
    }
    for (const what of ['IP policy', 'guest pass', 'tax', 'branch'])
      expect(() => createSummaries({ what })).toThrow(`The plural of "${what}" needs more than an "s". Declare it`)
    expect(createSummaries({ what: 'relay' })).toEqual(['Create a relay', 'List relays, newest first'])
    expect(createSummaries({ what: 'IP policy', plural: 'IP policies' })).toEqual([
      'Create an IP policy',
      'List IP policies, newest first',
    ])
    expect(createSummaries({ what: 'user', article: 'a' })).toEqual(['Create a user', 'List users, newest first'])
  })

  it('cannot use the same name twice', () => {
    const { get, create } = widgets.operations
    const createDocument = (...operations: object[]) =>
      openApi(standard, { families: { widgets: { ...widgets, operations } } })
    const response = kit.named(v.object({ id: v.string() }), 'ReservedDomain', 'No domain at all.')
    expect(() => createDocument({ ...get, response })).toThrow('Two schemas are named ReservedDomain.')
    const body = kit.named(v.object({ id: v.optional(v.string()) }), 'WidgetChange', 'What may change.')
    const change = { ...create, body, name: 'widgets.change', path: '/widgets/change' }
    expect(() => createDocument(change, { ...change, name: 'widgets.again', path: '/widgets/again' })).not.toThrow()
    const changeOfOne = { ...change, name: 'widgets.set', path: '/widgets/{widget}/set', ids: { widget: 'wid' } }
    expect(() => createDocument(change, changeOfOne)).toThrow(
      'The body of widgets.set differs from the body of the other operation with a body WidgetChange.',
    )
  })
})

describe('A family has a limit of the account by its name (rules: account#limits)', () => {
  test('with the same numbers as any built-in limit', async () => {
    const clock = manualClock(CLOCK_START)
    const gateway = createGateway({ families: { widgets }, clock, account: { limits: { widgets: [2, RATE] } } })
    const send = client(gateway, { widgets })
    const { id } = gateway.widgets.create({ name: 'one' })
    const response = await send('POST', '/widgets', { json: { name: 'two' } })
    expect([outcome(response), response.headers.get('retry-after')]).toEqual(['429 ERR_GATEWAY_5001', '60'])
    clock.advance('1m')
    gateway.widgets.create({ name: 'two' })
    const before = JSON.stringify(gateway.snapshot())
    expect(outcome(await send('POST', '/widgets', { json: { name: 'three' } }))).toBe('400 ERR_GATEWAY_5000')
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    expect(gateway.widgets.update(id, { size: 2 }).size).toBe(2)
  })

  test('in each group of an index that lists several', () => {
    const errors = kit.declareErrors({ shelf_full: kit.tooMany(95101) })
    const shelves = kit.named(v.object({ shelves: v.array(v.string()) }), 'Shelves', 'The shelves of a book.')
    const fields = { description: kit.description, metadata: kit.metadata }
    const collection = kit.collection({
      name: 'books',
      schema: v.object({ ...kit.recordHead('book', fields), ...shelves.entries }),
      indexes: { shelf: (each) => each.shelves },
    })
    const books = kit.resource(
      {
        name: 'books',
        prefix: 'book',
        what: 'book',
        collection,
        errors,
        limits: kit.accountLimits({
          books: { what: 'books of a shelf', each: 'shelf', reached: errors.shelf_full, isChangeable: true },
        }),
        shape: kit.named(v.object({ ...kit.resourceHead, ...shelves.entries }), 'Book', 'A book on some shelves.'),
        createBody: v.object({ ...fields, ...shelves.entries }),
        updateBody: v.object({ ...fields, ...shelves.entries }),
      },
      {
        view: (each, wire) => ({ ...kit.viewHead(each, wire, '/books'), shelves: [...each.shelves] }),
        create: { run: (tx, body) => tx.put(collection, { ...kit.newHead(tx, 'book', body), shelves: body.shelves }) },
        update: { run: (tx, each, body) => tx.put(collection, { ...each, shelves: body.shelves }) },
      },
    )
    const gateway = createGateway({ families: { books }, account: { limits: { books: 1 } } })
    gateway.books.create({ shelves: ['a', 'b'] })
    expect(() => gateway.books.create({ shelves: ['c', 'b'] })).toThrow('books of a shelf')
    const { id } = gateway.books.create({ shelves: ['c'] })
    expect(() => gateway.books.update(id, { shelves: ['c', 'a'] })).toThrow('books of a shelf')
    expect(gateway.books.update(id, { shelves: ['d'] }).shelves).toEqual(['d'])
    expect(gateway.books.create({ shelves: [] }).shelves).toEqual([])
  })

  test('and the error of a mistyped name suggests it', () => {
    const account = { limits: { widget: 2 } } as never
    expect(() => createGateway({ families: { widgets }, account })).toThrow(
      'account.limits.widget is not a limit of this gateway. Did you mean widgets?',
    )
  })
})

const RATE = { max: 1, window: '1m' } as const

describe('A family that does not fit is rejected (rules: one-table#families)', () => {
  const { operations, collections } = widgets
  const gadgets = (changes: object) => ({ gadgets: { operations: {}, collections: [], errors: {}, ...changes } })
  const createOneGadget = (changes: object) =>
    gadgets({ operations: { get: { ...operations.get, name: 'gadgets.get', errors: [], ...changes } } })
  const { gadgets: emptyFamily } = gadgets({})
  const error = kit.entry(413, 409, () => '')

  test.each<[why: string, families: object, message: string]>([
    ['the name of a family', { reservedAddrs: widgets }, 'families.reservedAddrs has the same name as one of fauxgate'],
    [
      'the name of a member',
      { snapshot: emptyFamily },
      'families.snapshot has the same name as a built-in gateway member',
    ],
    [
      'the name of a member by inheritance',
      { url: emptyFamily },
      'families.url has the same name as a built-in gateway member',
    ],
    ['an invalid name', { 'my-widgets': emptyFamily }, 'A family is called "my-widgets"'],
    ['a prefix that is taken', gadgets({ prefix: 'rd' }), 'the prefix rd, which reservedDomains already has'],
    ...['op', 'fault', 'bkd'].map((prefix): [string, object, string] => [
      'a prefix of the gateway itself',
      gadgets({ prefix }),
      `the prefix ${prefix}, which fauxgate itself`,
    ]),
    ['an invalid prefix', gadgets({ prefix: 'A_1' }), 'the prefix "A_1"'],
    ['a collection that is taken', { widgets, ...gadgets({ collections }) }, 'the collection widgets, which widgets'],
    ['operations with names of another family', gadgets({ operations }), '"gadgets.create"'],
    [
      'an operation of several words with another name',
      { myGadgets: { ...emptyFamily, operations: { turnOn: operations.get } } },
      '"my_gadgets.turn_on"',
    ],
    [
      'a path that is taken',
      createOneGadget({ path: '/reserved_addrs/{id}' }),
      'GET /reserved_addrs/{}, which reservedAddrs already has',
    ],
    ...['widgets/{id}', '/widgets/{id}/', '/widgets//{id}', '/widgets/{i d}', '/'].map(
      (path): [string, object, string] => [
        `the path ${path}`,
        createOneGadget({ path }),
        `gadgets.get has the path "${path}"`,
      ],
    ),
    ['a path of the controls', createOneGadget({ path: '/_fauxgate/clock' }), 'without "/_fauxgate" at the start'],
    [
      'other names of IDs in one path',
      createOneGadget({ method: 'POST', path: '/reserved_addrs/{addr}', ids: { addr: 'ra' } }),
      'the path /reserved_addrs/{addr}, which is already /reserved_addrs/{id}',
    ],
    [
      'an error number that is taken',
      gadgets({ errors: kit.declareErrors({ gadget_taken: error }) }),
      'the number 413',
    ],
    ['an error key that is taken', gadgets({ errors: kit.declareErrors({ domain_taken: error }) }), 'domain_taken has'],
    [
      'rules before an unknown operation',
      gadgets({ before: { 'reserved_domains.paint': { errors: [], run: () => undefined } } }),
      'families.gadgets has rules before "reserved_domains.paint"',
    ],
    [
      'an error of its rules that it does not have',
      gadgets({ before: { 'reserved_domains.delete': { errors: [errors.widget_locked], run: () => undefined } } }),
      'reserved_domains.delete can reject with widget_locked',
    ],
    [
      'a declaration that every gateway has',
      gadgets({ declares: { edge: {} } }),
      'the declaration edge, which fauxgate itself',
    ],
    [
      'an undeclared id in a path',
      createOneGadget({ path: '/gadgets/{id}', ids: {} }),
      'gadgets.get has the IDs none, but its path /gadgets/{id} has id.',
    ],
    [
      'an ID that is in no path',
      createOneGadget({ path: '/gadgets', ids: { id: 'gad' } }),
      'gadgets.get has the IDs id, but its path /gadgets has none.',
    ],
    ['`onDue` without due records', gadgets({ onDue: () => undefined }), 'has `onDue`, but no collection with `due`'],
    [
      'due records without `onDue`',
      gadgets({ collections }),
      'families.gadgets has a collection with `due`, but no `onDue`.',
    ],
    [
      'an error with the status of a success',
      gadgets({ errors: kit.declareErrors({ gadget_taken: kit.entry(95001, 200, () => '') }) }),
      'families.gadgets has the error gadget_taken with status 200. Allowed: 400 to 599.',
    ],
    [
      'an error that it does not have',
      createOneGadget({ errors: [errors.widget_locked] }),
      'can reject with widget_locked',
    ],
  ])('for %s', (_why, families, message) => {
    expect(() => createGateway({ families: families as kit.Families })).toThrow(TypeError)
    expect(() => createGateway({ families: families as kit.Families })).toThrow(message)
  })
})

test('A family that reads a field of another dialect says which fields this one has', () => {
  const widgetDialect = kit.sectionReader<{ readonly widgetsPerRegion: number }>('widgetsPerRegion')
  expect(widgetDialect({ ...standard, widgetsPerRegion: 3 }).widgetsPerRegion).toBe(3)
  expect(() => widgetDialect({ name: 'standard', baseUrl: '/' })).toThrow(
    new TypeError(
      'A family reads "widgetsPerRegion" from the dialect or the options, which contain only: name, baseUrl.',
    ),
  )
})

test('A field refers to a named type with its own sentence, in the document and in filters', () => {
  const shape = v.object({ ...kit.resourceHead, reserved_domain: kit.documented(kit.ref, 'The domain of the pass.') })
  const passes = kit.collection<kit.ResourceRecord>({
    name: 'passes',
    key: ({ id }) => id,
    schema: v.object({ id: v.string(), created_at: v.number() }),
  })
  const family = kit.resource(
    {
      name: 'passes',
      path: '/passes',
      items: 'passes',
      prefix: 'ps',
      what: 'pass',
      plural: 'passes',
      collection: passes,
      shape: kit.named(shape, 'Pass', 'Access to a domain.'),
      createBody: v.object({}),
      updateBody: v.object({}),
    },
    {
      view: (pass, wire) => ({
        ...kit.viewHead(pass, wire, '/passes'),
        reserved_domain: kit.refTo(wire, '/reserved_domains', 'rd_1'),
      }),
      create: { run: (tx) => tx.put(passes, { id: tx.newId('ps'), created_at: tx.now }) },
      update: { run: (_tx, pass) => pass },
    },
  )
  const { schemas } = openApi(standard, { families: { passes: family } }).components
  expect(schemas.Pass?.properties?.reserved_domain).toEqual({
    $ref: '#/components/schemas/Ref',
    description: 'The domain of the pass.',
  })
  expect(schemas.Ref?.description).toBe('A reference to another resource.')
  const gateway = createGateway({ families: { passes: family } })
  gateway.passes.create({})
  expect(gateway.passes.list({ filter: 'obj.reserved_domain.id == "rd_1"' }).passes.length).toBe(1)
})

describe('A family whose records have a field for any JSON', () => {
  const text = v.optional(v.string())
  const extra = v.optional(kit.documented(v.unknown(), 'Anything.'))
  const records = kit.collection({
    name: 'notes',
    schema: v.object({ ...kit.recordHead('note', { description: text, metadata: text }), extra }),
  })
  const notes = kit.resource(
    {
      name: 'notes',
      prefix: 'note',
      what: 'note',
      collection: records,
      shape: kit.named(v.object({ ...kit.resourceHead, extra }), 'Note', 'A note.'),
      createBody: v.object({ extra }),
      updateBody: v.object({}),
    },
    {
      view: (note, wire) => ({ ...kit.viewHead(note, wire, '/notes'), extra: note.extra }),
      create: { run: (tx, { extra }) => tx.put(records, { ...kit.newHead(tx, 'note'), extra }) },
      update: { run: (_tx, note) => note },
      delete: { before: (tx, note) => tx.remove(records, note) },
    },
  )
  const openNotes = () => createGateway({ families: { notes } })

  it.each([Number.NaN, 5n, () => 1, { a: Number.NaN }, [() => 1]])('rejects a value that is no JSON: %s', (value) => {
    expect(() => openNotes().notes.create({ extra: value })).toThrow('Allowed: a JSON value.')
  })

  it.each([0, false, '', 'text', { a: [null] }])('takes %j', (value) => {
    expect(openNotes().notes.create({ extra: value }).extra).toEqual(value)
  })

  it('commits the removal of a record once, even if the rules of a deletion have removed it', () => {
    const gateway = openNotes()
    const { id } = gateway.notes.create({})
    const commits: Commit[] = []
    gateway.subscribe((commit) => commits.push(commit))
    gateway.notes.delete(id)
    expect(commits.map(({ changes }) => changes)).toEqual([[expect.objectContaining({ key: id, after: undefined })]])
  })
})
