import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Recorder } from '../../src/server/recorder.ts'
import { dialects } from '../../src/service/resources/dialects.ts'
import { runToEnd, startCommand, startProcess } from '../support/command.ts'
import { newFolder } from '../support/folder.ts'
import { openRawUpstream, type RawAnswer } from '../support/raw-traffic.ts'
import { listen, requestBytes } from '../support/serve.ts'
import { openRawConnection, waitUntil } from '../support/wire.ts'

const listenWith = (listener: RequestListener) => listen(createServer(listener))

/** Starts `record` in front of a service. `stopAndRead` ends it, and returns the entries of the recording. */
async function startRecording(service: string) {
  const har = join(newFolder(), 'a.har')
  const { output, stop } = await startCommand({}, ['record', '--to', service, '--out', har], ' at http')
  const here = / at (http\S+)/.exec(output.stdout)?.[1] ?? ''
  const stopAndRead = async () => {
    expect(await stop()).toBe(0)
    return JSON.parse(readFileSync(har, 'utf8')).log.entries
  }
  return { har, here, output, stopAndRead }
}

describe('fauxgate record passes on', () => {
  test('binary bodies in both directions, and records their size', async () => {
    const bytes = Buffer.from([0, 255, 254, 128, 10, 13, 0])
    let received = Buffer.alloc(0)
    const service = await listenWith(async (request, response) => {
      for await (const chunk of request) received = Buffer.concat([received, chunk])
      response.setHeader('content-type', 'application/octet-stream').end(bytes)
    })
    const { har, here, stopAndRead } = await startRecording(service)
    const answer = await fetch(`${here}/file`, { method: 'POST', body: bytes })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
    expect(received).toEqual(bytes)
    const [{ request, response }] = await stopAndRead()
    const comment = 'The body (7 bytes) is not text or is too long, so it was not kept.'
    expect(response.content).toEqual({ size: 7, mimeType: 'application/octet-stream', _binary: 7, comment })
    expect(request.postData).toMatchObject({ text: '', comment })
    const { code, stdout } = await runToEnd({}, 'replay', har)
    expect([code, stdout]).toEqual([1, expect.stringContaining('the text of a body is not in the recording')])
  })

  test('a text of more than 20 MB, and records its size, whatever its number of characters', async () => {
    const text = 'é'.repeat(10_000_001)
    const service = await listenWith((_request, response) => response.end(text))
    const { here, stopAndRead } = await startRecording(service)
    const { body } = await requestBytes(`${here}/file`)
    expect(body.length).toBe(20_000_002)
    expect((await stopAndRead())[0].response.content).toMatchObject({ size: 20_000_002, _binary: 20_000_002 })
  })

  test('compressed answers as they came, and records their text with its size in bytes', async () => {
    const text = '{"ip_policies":["é"]}'
    const packed = gzipSync(text)
    const service = await listenWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(packed)
    })
    const { here, stopAndRead } = await startRecording(service)
    const { headers, body } = await requestBytes(`${here}/ip_policies`)
    expect([headers['content-encoding'], body]).toEqual(['gzip', packed])
    const [{ response }] = await stopAndRead()
    expect(response.content).toMatchObject({ text, size: 22 })
  })

  test('responses with its own URL instead of the service’s, in a compressed body and in headers', async () => {
    const service = await listenWith(({ headers }, response) => {
      const uri = `http://${headers.host}/ip_policies/1`
      const packed = gzipSync(JSON.stringify({ uri }))
      response
        .writeHead(201, { location: uri, 'content-encoding': 'gzip', 'content-length': packed.length })
        .end(packed)
    })
    const { here, stopAndRead } = await startRecording(service)
    const { headers, body } = await requestBytes(`${here}/ip_policies`)
    expect([headers.location, headers['content-encoding']]).toEqual([`${here}/ip_policies/1`, undefined])
    expect(JSON.parse(body.toString())).toEqual({ uri: `${here}/ip_policies/1` })
    expect((await stopAndRead())[0].response.content.text).toContain('/ip_policies/1')
  })
})

test('A killed fauxgate record leaves what it has saved, as a whole file', async () => {
  const service = await listenWith((_request, response) => response.end('{}'))
  const har = join(newFolder(), 'a.har')
  const { child, output, exited } = startProcess({}, 'record', '--to', service, '--out', har)
  await waitUntil(() => output.stdout.includes(' at http'))
  const [, here] = / at (http\S+)/.exec(output.stdout) ?? []
  const entries = () => JSON.parse(readFileSync(har, 'utf8')).log.entries
  await fetch(`${here}/ip_policies`)
  await waitUntil(() => entries().length === 1)
  child.kill('SIGKILL')
  await exited
  expect(entries()).toMatchObject([{ request: { method: 'GET', url: `${service}/ip_policies` } }])
})

test('fauxgate record saves everything every 2 s, also after a failed write', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const service = await listenWith((_request, response) => response.end('{}'))
  const { har, here, output, stopAndRead } = await startRecording(service)
  const entries = () => JSON.parse(readFileSync(har, 'utf8')).log.entries
  const record = async () => {
    await fetch(`${here}/ip_policies`)
    await vi.advanceTimersByTimeAsync(2000)
  }
  expect(entries()).toEqual([])
  await record()
  await waitUntil(() => entries().length === 1)
  rmSync(har)
  mkdirSync(join(har, 'a folder'), { recursive: true })
  await record()
  await waitUntil(() => output.stderr.includes('a.har cannot be written: '))
  rmSync(har, { recursive: true })
  await record()
  await waitUntil(() => existsSync(har) && entries().length === 3)
  await stopAndRead()
})

describe('fauxgate record forwards', () => {
  test.each(['GET', 'DELETE', 'OPTIONS'])('a chunked body of %s as one request, with its length', async (method) => {
    const heads: unknown[] = []
    const service = await listenWith(async (request, response) => {
      const { url, headers } = request
      let body = ''
      for await (const chunk of request) body += chunk
      heads.push([request.method, url, headers['content-length'], headers['transfer-encoding'], body])
      response.end('{"ok":true}')
    })
    const { here, stopAndRead } = await startRecording(service)
    const head = `${method} /a HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n`
    const smuggled = 'GET /b HTTP/1.1\r\nHost: x\r\n\r\n'
    const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
    const raw = await openRawConnection(Number(new URL(here).port), head + chunk)
    await raw.until(/\{"ok":true\}/)
    expect(heads).toEqual([[method, '/a', String(smuggled.length), undefined, smuggled]])
    expect(await stopAndRead()).toMatchObject([{ request: { method } }])
  })

  test.each([
    ['a URL', 'GET http://127.0.0.1:9/ip_policies'],
    ['an asterisk', 'OPTIONS *'],
  ])('no request with %s as its target, and keeps what it has', async (_what, line) => {
    const paths: unknown[] = []
    const service = await listenWith(({ url }, response) => {
      paths.push(url)
      response.end('{}')
    })
    const { here, output, stopAndRead } = await startRecording(service)
    await fetch(`${here}/ip_policies`)
    const raw = await openRawConnection(Number(new URL(here).port), `${line} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await raw.until(/^HTTP\/1\.1 400 [\s\S]*not as a proxy\./)
    expect(await stopAndRead()).toMatchObject([{ request: { url: `${service}/ip_policies` } }])
    expect(paths).toEqual(['/ip_policies'])
    expect(output.stderr).toContain('for a URL or "*" is not in the recording')
  })

  test('no body of more than 64 MiB in either direction, and reads no more of it', async () => {
    const chunk = Buffer.alloc(1024 * 1024)
    let sentChunks = 0
    const service = await listenWith((request, response) => {
      request.resume()
      const send = () => {
        while (!response.destroyed && response.write(chunk)) sentChunks++
        response.once('drain', send)
      }
      send()
    })
    const { here, output, stopAndRead } = await startRecording(service)
    expect((await fetch(`${here}/endless`)).status).toBe(502)
    expect(sentChunks).toBeLessThan(128)
    const raw = await openRawConnection(
      Number(new URL(here).port),
      `POST /a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${65 * chunk.length}\r\n\r\n`,
    )
    for (let n = 0; n < 65; n++) raw.socket.write(chunk)
    await raw.until(/^HTTP\/1\.1 413 [\s\S]*exceeds 67108864 bytes\./)
    expect(await stopAndRead()).toEqual([])
    expect(output.stderr).toContain('the body of the response exceeds 67108864 bytes')
  })
})

/** Sends bytes to a recorder in front of an upstream that answers with bytes. */
async function sendRaw(answer: RawAnswer, bytes: string) {
  const upstream = await openRawUpstream(answer)
  const { here, output, stopAndRead } = await startRecording(upstream.url)
  const raw = await openRawConnection(Number(new URL(here).port), Buffer.from(bytes, 'latin1'))
  return { upstream, raw, output, stopAndRead }
}

describe('Bytes at fauxgate record', () => {
  const HOST = 'Host: 127.0.0.1\r\n'
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
  const close = 'Connection: close\r\n'
  const chunks = `Transfer-Encoding: chunked\r\n\r\n${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`

  test.each(['GET', 'DELETE', 'OPTIONS', 'TRACE', 'HEAD', 'POST', 'PROPFIND'])(
    'have the chunked body of %s framed for the service',
    async (method) => {
      const { upstream, raw, stopAndRead } = await sendRaw(OK, `${method} /a HTTP/1.1\r\n${HOST}${close}${chunks}`)
      expect(await raw.ended()).toMatch(/^HTTP\/1.1 200 /)
      expect(upstream.requests.map(({ head, body }) => [head.split(' HTTP')[0], body])).toEqual([
        [`${method} /a`, SMUGGLED],
      ])
      await stopAndRead()
    },
  )

  test('have no fragment in the target (RFC 9112, section 3.2)', async () => {
    const { upstream, raw, stopAndRead } = await sendRaw(OK, `GET /a?b#c HTTP/1.1\r\n${HOST}${close}\r\n`)
    expect(await raw.ended()).toMatch(/^HTTP\/1.1 200 /)
    expect(upstream.requests.map(({ head }) => head.split('\r\n')[0])).toEqual(['GET /a?b HTTP/1.1'])
    await stopAndRead()
  })

  test('get informational responses before the final one, without those of one connection', async () => {
    const informed = `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\nkeep-alive: 1\r\n\r\n${OK}`
    const { raw, stopAndRead } = await sendRaw(informed, `GET /a HTTP/1.1\r\n${HOST}${close}\r\n`)
    expect(await raw.ended()).toMatch(
      /^HTTP\/1.1 102 Processing\r\n\r\nHTTP\/1.1 103 Early Hints\r\nlink: <\/a>\r\n\r\nHTTP\/1.1 200 /,
    )
    expect(await stopAndRead()).toMatchObject([{ response: { status: 200 } }])
  })

  const failing: [name: string, answer: RawAnswer, why: string][] = [
    ['the status 600', 'HTTP/1.1 600 Odd\r\ncontent-length: 2\r\n\r\nok', '600 is not an HTTP status'],
    ['the status 099', 'HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\nok', '99 is not an HTTP status'],
    ['the status 000', 'HTTP/1.1 000 Odd\r\ncontent-length: 2\r\n\r\nok', '0 is not an HTTP status'],
    ['the end of its connection', (socket) => socket.end(), 'no connection: the server ended the connection'],
    ['a half of a head', (socket) => socket.end('HTTP/1.1 200 OK\r\nconte'), 'no connection'],
    ['a half of a length', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'), 'no connection'],
    [
      'a half of its chunks',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n'),
      'no connection',
    ],
    ['both framings', `${OK.replace('\r\n\r\n', '\r\ntransfer-encoding: chunked\r\n\r\n')}`, 'no connection'],
    ['bytes that are not HTTP', (socket) => socket.end('hello'), 'no connection'],
  ]
  test.each(failing)('get 502 if the service sends %s, and nothing is recorded', async (_name, answer, why) => {
    const { raw, output, stopAndRead } = await sendRaw(answer, `GET /a HTTP/1.1\r\n${HOST}${close}\r\n`)
    expect(await raw.ended()).toMatch(/^HTTP\/1.1 502 /)
    expect(output.stderr).toContain(`GET /a is not in the recording: ${why}`)
    expect(await stopAndRead()).toEqual([])
  })

  test.each([
    ['a name of another machine', 'Host: attacker.example\r\n', 403],
    ['a name below localhost', 'Host: app.localhost\r\n', 403],
    ['no name', '', 400],
    ['two names', `${HOST}${HOST}`, 400],
    ['another transfer coding than chunked', `${HOST}Transfer-Encoding: gzip, chunked\r\n`, 501],
    ['the page of another site', `${HOST}Origin: https://attacker.example\r\n`, 403],
  ])('with %s reach nothing', async (_name, lines, status) => {
    const { upstream, raw, stopAndRead } = await sendRaw(OK, `GET /a HTTP/1.1\r\n${lines}${close}\r\n`)
    expect(await raw.ended()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect([upstream.requests, await stopAndRead()]).toEqual([[], []])
  })

  test('that ask for CONNECT get 405, and end the connection', async () => {
    const { upstream, raw, stopAndRead } = await sendRaw(OK, `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`)
    expect(await raw.ended()).toMatch(/^HTTP\/1.1 405 /)
    await stopAndRead()
    expect(upstream.requests).toEqual([])
  })

  test.each([
    ['a folded line', `GET /a HTTP/1.1\r\n${HOST}X-A: 1\r\n folded\r\n\r\n`],
    ['line feeds alone', 'GET /a HTTP/1.1\nHost: 127.0.0.1\n\n'],
    ['both framings', `POST /a HTTP/1.1\r\n${HOST}Content-Length: 2\r\n${chunks}`],
    ['two lengths', `POST /a HTTP/1.1\r\n${HOST}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`],
  ])('with %s get 400', async (_name, sent) => {
    const { upstream, raw, stopAndRead } = await sendRaw(OK, sent)
    expect(await raw.ended()).toMatch(/^HTTP\/1.1 400 /)
    await stopAndRead()
    expect(upstream.requests).toEqual([])
  })

  test('pass a header with letters beyond ASCII unchanged in both directions', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nx-b: caf\xe9\r\ncontent-length: 0\r\n\r\n'
    const { upstream, raw, stopAndRead } = await sendRaw(
      (socket) => socket.write(answer, 'latin1'),
      `GET /a HTTP/1.1\r\n${HOST}x-a: caf\xe9\r\n${close}\r\n`,
    )
    raw.socket.setEncoding('latin1')
    expect(await raw.ended()).toMatch(/^x-b: caf\xe9\r$/m)
    expect(upstream.requests[0]?.head).toMatch(/^x-a: caf\xe9\r$/m)
    await stopAndRead()
  })
})

describe('A request without a response', () => {
  test('is answered with 502 and the reason, named, and not recorded, when nobody listens', async () => {
    const { here, output, stopAndRead } = await startRecording('http://127.0.0.1:9')
    const answer = await fetch(`${here}/ip_policies?token=t`)
    const why = 'no connection: nothing is listening at this address (ECONNREFUSED)'
    const text = `fauxgate record got no response from http://127.0.0.1:9: ${why}.\n`
    expect([answer.status, await answer.text()]).toEqual([502, text])
    expect(await stopAndRead()).toEqual([])
    expect(output.stderr).toBe(`fauxgate: warning: GET /ip_policies is not in the recording: ${why}\n`)
  })

  test('is answered with 502 when the service ends the connection in the middle', async () => {
    const service = await listenWith((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"ip', () => response.destroy())
    })
    const { here, stopAndRead } = await startRecording(service)
    expect((await fetch(`${here}/ip_policies`)).status).toBe(502)
    expect(await stopAndRead()).toEqual([])
  })

  test('is not recorded when the client leaves in the middle of it, which a warning says', async () => {
    const { here, output, stopAndRead } = await startRecording('http://127.0.0.1:9')
    const head = 'POST /ip_policies HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n'
    const { socket } = await openRawConnection(Number(new URL(here).port), head)
    socket.end()
    await waitUntil(() => output.stderr !== '')
    expect(await stopAndRead()).toEqual([])
    const why = 'the client disconnected before the end of its request'
    expect(output.stderr).toBe(`fauxgate: warning: POST /ip_policies is not in the recording: ${why}\n`)
  })

  test('is answered with 504 when the service hangs', async () => {
    const target = await listenWith(() => {})
    const warnings: string[] = []
    const warn = (text: string) => void warnings.push(text)
    const recorder = new Recorder({ target, dialect: dialects.ngrok, timeout: 1, warn })
    const here = await listenWith((request, response) => void recorder.forward(request, response))
    const answer = await fetch(`${here}/ip_policies`)
    expect([answer.status, recorder.exchanges]).toEqual([504, []])
    expect(warnings).toEqual(['GET /ip_policies is not in the recording: no response within 0.001 s'])
  })

  test('is answered with 504 when the service is silent in the middle of a body without a length', async () => {
    const service = await openRawUpstream('HTTP/1.1 200 OK\r\n\r\n{"half":')
    const options = { target: service.url, dialect: dialects.ngrok, timeout: 300, warn: () => undefined }
    const recorder = new Recorder(options)
    const here = await listenWith((request, response) => void recorder.forward(request, response))
    expect([(await fetch(`${here}/ip_policies`)).status, recorder.exchanges]).toEqual([504, []])
  })

  test('is named when the program stops, and all answered requests are recorded', async () => {
    let hasArrived = false
    const service = await listenWith(({ method }, response) => {
      if (method === 'GET') response.end('{}')
      else hasArrived = true
    })
    const { here, output, stopAndRead } = await startRecording(service)
    await fetch(`${here}/ip_policies`)
    const response = fetch(`${here}/ip_policies`, { method: 'POST', body: '{}' }).catch(() => 'lost')
    await waitUntil(() => hasArrived)
    expect(await stopAndRead()).toMatchObject([{ request: { method: 'GET' } }])
    expect(await response).toBe('lost')
    expect(output.stderr).toBe(
      'fauxgate: warning: POST /ip_policies got no response before the recording ended, so it is not recorded; the service may have processed it\n',
    )
  })
})

describe('fauxgate record refuses to start for', () => {
  test('a taken port, and names a free one', async () => {
    const port = new URL(await listenWith((_request, response) => response.writeHead(404).end())).port
    const out = join(newFolder(), 'a.har')
    const { code, stderr } = await runToEnd({}, 'record', '--to', 'http://127.0.0.1:9', '--port', port, '--out', out)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Port ${port} on 127.0.0.1 is in use by another web server.`),
    ])
    expect(stderr).toContain('or --port 0 for any free port.')
  })

  test.each([
    [['--port', '70000'], 2, '--port is "70000". Allowed: a whole number from 0 to 65535.'],
    [['--timeout', '0'], 2, '--timeout is "0". Allowed: a whole number from 1 to 600.'],
    [['--out', '/no/such/folder/a.har'], 1, '/no/such/folder/a.har cannot be written: its folder does not exist.'],
  ])('%j', async (flags, expected, message) => {
    const { code, stderr } = await runToEnd({}, 'record', '--to', 'http://127.0.0.1:9', ...flags)
    expect([code, stderr]).toEqual([expected, expect.stringContaining(message)])
  })

  test.each([
    [
      'api.ngrok.com',
      'record needs the URL of a service, and "api.ngrok.com" is not one, for example "fauxgate record --to',
    ],
    ['https://:open-sesame@example.com', 'The URL can contain only a host, a port, and a path.'],
    ['https://example.com/#open-sesame', 'The URL can contain only a host, a port, and a path.'],
  ])('--to %s', async (url, message) => {
    const { code, stderr } = await runToEnd({}, 'record', '--to', url)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(stderr).not.toContain('open-sesame')
  })
})
