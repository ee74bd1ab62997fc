// The random bytes of visitors and upstreams for `port.mjs`. Each has only the tag of its visitor in it.

/** Makes a random source from a seed. */
export function createRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count) => Math.floor(next() * count)
  return { below, pick: (list) => list[below(list.length)], chance: (share) => next() < share }
}

const act = (type, config, phase = 'on_http_request') => ({ [phase]: [{ actions: [{ type, config }] }] })
const BOTH = (type, config) => ({ ...act(type, config), ...act(type, config, 'on_http_response') })
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are expressions
const VALUES = [
  '${req.url.path}',
  "${getReqHeader('x-v')[0]}",
  '${req.url.query}',
  "${getQueryParam('b')[0]}",
  '日本 ${req.method}',
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above

/** Policies whose values come from visitors. */
export const policies = [
  '',
  ...VALUES.flatMap((value) => [
    BOTH('add-headers', { headers: { 'x-added': value } }),
    act('redirect', { to: `https://example.com${value}` }),
    act('custom-response', { status_code: 200, body: value, headers: { 'x-a': value } }),
    act('url-rewrite', { from: 'app', to: value }),
    act('set-vars', { vars: [{ v: value }] }),
    act('custom-response', { status_code: 204, headers: { 'x-a': value } }, 'on_http_response'),
  ]),
  BOTH('add-headers', { headers: { 'transfer-encoding': 'gzip', 'content-length': '3', connection: 'x-tag' } }),
  BOTH('remove-headers', { headers: ['host', 'content-length', 'transfer-encoding', 'content-type'] }),
  act('compress-response', { algorithms: ['gzip'] }, 'on_http_response'),
  act('response-body-find-replace', { replacements: [{ from: '[0-9]', to: 'xyz' }] }, 'on_http_response'),
  act('request-body-find-replace', { replacements: [{ from: '[0-9]', to: 'x' }] }),
  act('deny', { status_code: 403 }),
  act('close-connection', {}),
].map((policy) => (typeof policy === 'string' ? policy : JSON.stringify(policy)))

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND', 'CONNECT']
const ODD = [
  '%0a',
  '%00',
  '%0d%0ax: y',
  '%e6%97%a5',
  '\\',
  '//',
  '/../',
  '%2e%2e/',
  '?',
  '?b=Cg==',
  '#',
  '${',
  '%zz',
  ';',
  '@',
  ':',
]
const LINES = [
  'connection: x-v, close',
  'connection: content-length',
  'connection: host, x-forwarded-for',
  'expect: 100-continue',
  'expect: tea',
  'te: trailers',
  'x-v: caf\xe9',
  'x-v: \xe6\x97\xa5',
  'x-fauxgate-upgrade: 0',
  'cookie: a=1\r\ncookie: b=2',
  'keep-alive: 9',
  'upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMA',
  'accept-encoding: gzip',
]
const BROKEN = [
  'host: other.ngrok.app',
  'transfer-encoding: gzip, chunked',
  'content-length: -1',
  ' folded: x',
  'x v: 1',
  'x-v: \x01',
  'x-v: a\nx-w: b',
]

export function pathOf({ chance, below, pick }, tag) {
  let path = `/${tag}`
  while (chance(0.4)) path += pick([`/${tag}`, ...ODD])
  return chance(0.02) ? path + '/x'.repeat(below(50_000)) : path
}

/** Returns the requests of one connection, as parts that are sent one by one. */
export function requestsOf(random, tag, host) {
  const { chance, below, pick } = random
  let text = ''
  for (let count = 1 + below(3); count > 0; count--) {
    const body = `${tag} GET /${tag}/smuggled HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(below(4))
    const lines = [`host: ${host}`, `x-tag: ${tag}`]
    while (chance(0.4)) lines.push(pick(LINES))
    if (chance(0.05)) lines.push(pick(BROKEN))
    if (chance(0.1)) lines.push('connection: Upgrade', 'upgrade: websocket')
    const framing = below(6)
    if (framing === 0) lines.push(`content-length: ${body.length}`)
    if (framing === 1 && chance(0.2)) lines.push(`content-length: ${body.length}`, 'transfer-encoding: chunked')
    if (framing === 2 && chance(0.3)) lines.push(`content-length: ${body.length + below(5)}`)
    const isChunked = framing > 3
    if (isChunked) lines.push('transfer-encoding: chunked')
    const chunk = chance(0.05) ? 'zz' : body.length.toString(16)
    const chunks = body === '' ? '' : `${chunk}${pick(['', ';a=b'])}\r\n${body}\r\n`
    const sent = isChunked
      ? `${chunks}0\r\n${pick(['', `x-sum: ${tag}\r\n`])}\r\n`
      : framing < 3 && lines.some((each) => each.startsWith('content-length'))
        ? body
        : ''
    text += `${pick(METHODS)} ${pathOf(random, tag)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${sent}`
  }
  const parts = []
  while (text !== '') {
    const size = chance(0.5) ? text.length : 1 + below(text.length)
    parts.push(text.slice(0, size))
    text = text.slice(size)
  }
  return parts
}

/** Answers a request as some upstream does, with the tag of its visitor alone. */
export function respond(random, socket, tag, method) {
  const { below, pick, chance } = random
  const body = `${tag};`.repeat(1 + below(5))
  const whole = `HTTP/1.1 200 OK\r\nx-tag: ${tag}\r\ncontent-length: ${body.length}\r\n\r\n${method === 'HEAD' ? '' : body}`
  const bytes = pick([
    ...new Array(8).fill(whole),
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nx-sum: ${tag}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n\r\n${body}`,
    `HTTP/1.1 200 OK\r\ncontent-length: ${body.length + 5}\r\n\r\n${body}`,
    `HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n${body}`,
    `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\ntransfer-encoding: chunked\r\n\r\n${body}`,
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n${body}`,
    `HTTP/1.1 103 Early Hints\r\nlink: ${tag}\r\n\r\n${whole}`,
    `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n${body}`,
    `HTTP/1.1 ${pick([204, 205, 304, 600, 999, '000'])} X\r\ncontent-length: ${body.length}\r\nx-tag: ${tag}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nx-a: ${pick(['\xff', '\x01', '\n', tag])}\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    `HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n${whole}`,
    `garbage ${tag}`,
    '',
  ])
  const send = () => {
    socket.write(bytes, 'latin1')
    if (chance(0.15)) socket.end()
    else if (chance(0.05)) socket.resetAndDestroy()
  }
  if (chance(0.3)) setTimeout(send, below(30))
  else send()
}
