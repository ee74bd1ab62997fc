import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { changedOf, MODULES, PAGE, RESOURCES, SINGLE } from './documented-examples.ts'
import { opened } from './support.ts'

// The fields of the recorded answers are exactly the ones of the answers here.

/** Fields whose keys are data. */
const MAPS = ['labels', 'backends']

/** The names of all fields, those of an object or of the first of a list in braces. */
function shapeOf(value: object, isPage = false): string {
  const names = Object.entries(value).map(([name, each]) => {
    const part = Array.isArray(each) ? each[0] : each
    const isLeaf = typeof part !== 'object' || part === null || (MAPS.includes(name) && !isPage)
    return isLeaf ? name : `${name}{${shapeOf(part)}}`
  })
  return names.sort().join(' ')
}

/** A shape with the names in order. */
function sorted(shape: string): string {
  let depth = 0
  let start = 0
  const names: string[] = []
  for (let i = 0; i <= shape.length; i++) {
    if (shape[i] === '{') depth++
    if (shape[i] === '}') depth--
    if (depth > 0 || (shape[i] !== ' ' && i < shape.length)) continue
    names.push(shape.slice(start, i).replace(/\{(.*)\}$/, (_, inner) => `{${sorted(inner)}}`))
    start = i + 1
  }
  return names.sort().join(' ')
}

describe.each(Object.entries(RESOURCES))('The five examples of /%s', (path, resource) => {
  const { items = path, create, update, created } = resource
  const after = changedOf(resource)

  async function made() {
    const world = opened()
    const answer = await world.send('POST', `/${path}`, { json: create(world) })
    return { ...world, answer, own: `/${path}/${answer.body.id}` }
  }

  test('create', async () => {
    const { answer } = await made()
    expect([answer.status, shapeOf(answer.body)]).toEqual([201, sorted(created)])
  })

  test('get', async () => {
    const { send, own } = await made()
    const { status, body } = await send('GET', own)
    expect([status, shapeOf(body)]).toEqual([200, sorted(created)])
  })

  test('list', async () => {
    const { send, gateway } = await made()
    const { status, body } = await send('GET', `/${path}`)
    expect([status, shapeOf(body, true)]).toEqual([200, sorted(PAGE(items, created))])
    expect([body.uri, body.next_page_uri]).toEqual([`${gateway.url}/${path}`, null])
  })

  test('update', async () => {
    const { send, own } = await made()
    const { status, body } = await send('PATCH', own, { json: update })
    expect([status, shapeOf(body)]).toEqual([200, sorted(after)])
  })

  test('delete', async () => {
    const { send, own } = await made()
    const { status, text } = await send('DELETE', own)
    expect([status, text]).toEqual([204, ''])
  })
})

describe.each(Object.entries(MODULES))('The three examples of %s', (path, module) => {
  test('replace', async () => {
    const { status, body } = await opened().send('PUT', path, { json: module })
    expect([status, body]).toEqual([200, module])
  })

  test('get', async () => {
    const { send } = opened()
    await send('PUT', path, { json: module })
    const { status, body } = await send('GET', path)
    expect([status, shapeOf(body)]).toEqual([200, shapeOf(module)])
  })

  test('delete', async () => {
    const { send } = opened()
    await send('PUT', path, { json: module })
    expect((await send('DELETE', path)).status).toBe(204)
  })
})

test.each(SINGLE.map((each) => [each.call, each] as const))(
  'The example of %s',
  async (call, { path, sent, status, fields = '' }) => {
    const world = opened()
    const [method = ''] = call.split(' ')
    const answer = await world.send(method, path(world), sent)
    expect([answer.status, shapeOf(answer.body ?? {}, true)]).toEqual([status, sorted(fields)])
  },
)

test('The guide says how many examples there are', () => {
  const count =
    5 * Object.keys(RESOURCES).length + 3 * Object.keys(MODULES).length + SINGLE.filter(({ isPart }) => !isPart).length
  const guide = readFileSync(new URL('../../docs/differences.md', import.meta.url), 'utf8')
  expect(guide.replaceAll('\n', ' ')).toContain(`${count} documented examples`)
})
