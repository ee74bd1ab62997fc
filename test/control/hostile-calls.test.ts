import { describe, expect, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { NEW_YEAR } from '../support/provisioning.ts'

const DEPTH = 20_000
const OVERRIDE = '\u202Egnp.exe'

/** The bodies that no client of these calls sends, by what they are. */
const BODIES: Readonly<Record<string, string>> = {
  nothing: '',
  'an empty object': '{}',
  null: 'null',
  'a list': '[]',
  'a number': '1e999',
  'half a text': '{"url": "',
  'a deep list': '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  'a deep object': `${'{"url":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`,
  'a deep value of a known field': `{"url":"https://a.example.com/","from":{"facts":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}}`,
  'a name of the prototype': '{"__proto__": {"url": "https://a.example.com/"}, "constructor": 1}',
  'a NUL in a URL': '{"url": "https://a.example.com/\\u0000", "method": "G\\u0000T"}',
  'a huge count': '{"url": "https://a.example.com", "times": 1e308, "status": 1e308}',
  'a count below zero': '{"url": "https://a.example.com", "times": -1, "status": -0}',
  'an override character': JSON.stringify({ url: `https://${OVERRIDE}/`, name: OVERRIDE, [OVERRIDE]: OVERRIDE }),
  'a lone surrogate': '{"url": "https://a.example.com/\\ud800", "body": "\\udfff", "method": "POST"}',
  'headers that are no headers': '{"url": "https://a.example.com/", "headers": {"a b": "c\\r\\nd"}}',
  'a long URL': JSON.stringify({ url: `https://a.example.com/?${'a=b&'.repeat(50_000)}` }),
}

const QUERIES = [
  '',
  '?after=',
  '?after=1e308',
  '?after=-1',
  '?after=%00',
  '?after=1&after=2',
  `?after=${'9'.repeat(4000)}`,
  `?${'a=b&'.repeat(3000)}`,
  '?%E2%80%AEgnp=1',
  '?%',
  '?__proto__=1',
  '?url=%00',
  '?id=%ED%A0%80',
]

const CALLS = [
  '/controls',
  '/troubles',
  '/traffic',
  '/traffic/upstreams',
  '/agent/tunnels',
  '/agent',
  '/agent/restart',
  '/declare',
]

/** Returns a function that calls a control, and returns what is wrong with the response. */
async function open(call: string) {
  const gateway = createNgrok({ seed: 'test', clock: manualClock(NEW_YEAR) })
  let commits = 0
  gateway.subscribe(() => commits++)
  const server = await serve(gateway)
  onTestFinished(() => server.close())
  return async (method: string, query: string, body?: string) => {
    const before = commits
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/_fauxgate${call}${query}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    })
    const { status } = response
    const text = await response.text()
    if (status < 400) return []
    const isInWords = method === 'HEAD' || (JSON.parse(text).msg.length > 10 && !/[\u202E\0]/.test(text))
    const isGood = status < 500 && isInWords && text.length < 20_000 && commits === before
    return isGood ? [] : [{ method, query, body: body?.slice(0, 80), status, text: text.slice(0, 300) }]
  }
}

describe.each(CALLS)('The call %s (rules: control-api#calls)', (call) => {
  test('refuses hostile queries and methods in words, and changes nothing', async () => {
    const send = await open(call)
    const wrong: object[] = []
    for (const method of ['GET', 'HEAD', 'DELETE', 'PROPFIND'])
      for (const query of QUERIES) wrong.push(...(await send(method, query)))
    expect(wrong).toEqual([])
  })

  test('refuses hostile bodies in words, and changes nothing', async () => {
    const send = await open(call)
    const wrong: object[] = []
    for (const method of ['POST', 'PUT', 'DELETE'])
      for (const body of Object.values(BODIES)) wrong.push(...(await send(method, '', body)))
    expect(wrong).toEqual([])
  })
})
