import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readResponse } from '../support/client.ts'
import { runToEnd, startProcess, startServer } from '../support/command.ts'
import { newFolder } from '../support/folder.ts'
import { listen, serveResponse } from '../support/serve.ts'
import { waitUntil } from '../support/wire.ts'

const KEY = 'a-key-that-nobody-may-see'

/** Starts a server, and returns a function that runs `verify` against it with a list in a new folder. */
async function startBesideServer(...flags: string[]) {
  const { url } = await startServer({}, '--dialect', 'ngrok', '--quiet', ...flags)
  const list = join(newFolder(), 'created.jsonl')
  const verify = (...args: string[]) =>
    runToEnd({ NGROK_API_KEY: KEY }, 'verify', ...args, '--only', 'ip_policies', '--rate', '60000', '--list', list)
  return { url, list, verify }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

describe('fauxgate verify', () => {
  test('finds the dialect, compares, and removes its list', async () => {
    const { url, list, verify } = await startBesideServer()
    const junit = join(newFolder(), 'result.xml')
    const { code, stdout, stderr } = await verify(url, '--yes', '--junit', junit)
    // Without a terminal, about ten lines show the progress.
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(fauxgate: \d+ of about 115 requests\n){5,10}$/)])
    expect(stdout).toMatch(/^ip_policies\.create {2}same {5}\d+ answers\n/)
    expect(stdout).toContain(`${url}, compared with fauxgate (ngrok): 5 operations the same, 0 different, `)
    expect(stdout).toMatch(/\n\nNot called:\n {2}not among the --only families: \d+ operations\n\n/)
    expect(existsSync(list)).toBe(false)
    expect(readFileSync(junit, 'utf8')).toMatch(/<testsuite name="ip_policies" tests="\d+" failures="0" skipped="0">/)
  })

  test('prints JSON without the key, and what it does not know as a difference', async () => {
    const { url, verify } = await startBesideServer()
    const { code, stdout } = await verify(url, '--json', '--read-only', '--dialect', 'standard')
    const report = JSON.parse(stdout)
    expect([code, report.exitCode, report.dialect]).toEqual([3, 3, 'standard'])
    expect(stdout).not.toContain(KEY)
  })

  test('sends nothing without --yes, and says so', async () => {
    const { url, verify, list } = await startBesideServer()
    const { code, stderr } = await verify(url)
    expect([code, existsSync(list)]).toEqual([2, false])
    expect(stderr).toContain('add --yes, --read-only, or --plan')
  })

  test.each(['--record', '--junit'])('sends nothing if the file of %s cannot be written', async (flag) => {
    const { url, verify, list } = await startBesideServer()
    const { code, stderr } = await verify(url, '--yes', flag, '/no/such/folder/result')
    expect([code, existsSync(list)]).toEqual([1, false])
    expect(stderr).toContain('/no/such/folder/result cannot be written: its folder does not exist.')
  })

  test('prints its plan and sends nothing', async () => {
    const { url, received } = await serveResponse((response) => response.end())
    expect([(await runToEnd({}, 'verify', url, '--plan')).code, received]).toEqual([0, []])
    const { code, stdout, stderr } = await runToEnd({}, 'verify', 'https://api.ngrok.com', '--plan')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('POST   /ip_policies  (ip_policies.create with every field)')
    expect(stdout).toContain('reserved_domains.create: no --domain was given to reserve names under')
    expect(stdout).toMatch(
      /https:\/\/api\.ngrok\.com: about \d+ requests, \d+ creations, about \d+ min at 60 requests per minute; --rate 120, which the service allows, is faster\.\n$/,
    )
  })

  test('deletes with --clean what a killed run has left, at the server of this run', async () => {
    const { url, list, verify } = await startBesideServer()
    const earlier = { entry: 'run', run: 'abc', url: 'http://127.0.0.1:9', dialect: 'ngrok' }
    writeFileSync(list, `${JSON.stringify(earlier)}\n`)
    const line = `verify ${url} --yes --only ip_policies --rate 600 --dialect ngrok --list ${list}`
    const { child, exited } = startProcess({ NGROK_API_KEY: KEY }, ...line.split(' '))
    // The run removes the earlier list first.
    await waitUntil(() => readIfThere(list).includes('"entry":"created"'))
    child.kill('SIGKILL')
    await exited
    expect(readFileSync(list, 'utf8')).not.toContain(KEY)
    expect((await verify(url, '--yes')).stderr).toContain('Run "fauxgate verify --clean" first.')
    const { code, stdout } = await verify('--clean')
    expect([code, stdout, existsSync(list)]).toEqual([0, 'Everything left behind has been deleted.\n', false])
    const { body } = await readResponse(
      await fetch(`${url}/ip_policies`, { headers: { authorization: 'Bearer k', 'ngrok-version': '2' } }),
    )
    expect(body.ip_policies).toEqual([])
    expect((await verify('--clean')).stdout).toContain('nothing was left')
  })

  test('deletes with --clean at the server of the latest run, if an earlier run ended without a creation', async () => {
    const [earlier, { url, list }] = [await startBesideServer(), await startBesideServer()]
    const headers = { authorization: 'Bearer k', 'ngrok-version': '2', 'content-type': 'application/json' }
    const { body } = await readResponse(await fetch(`${url}/ip_policies`, { method: 'POST', headers, body: '{}' }))
    const entries = [
      { entry: 'run', run: 'abc', url: earlier.url, dialect: 'ngrok' },
      { entry: 'run', run: 'def', url, dialect: 'ngrok' },
      { entry: 'creating', number: 1, path: '/ip_policies', operation: 'ip_policies.create' },
      { entry: 'created', number: 1, id: body.id },
    ]
    writeFileSync(list, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    const { stdout } = await runToEnd({}, 'verify', '--clean', '--list', list)
    expect(stdout).toBe('Everything left behind has been deleted.\n')
    expect((await readResponse(await fetch(body.uri, { headers }))).status).toBe(404)
  })

  test('keeps the list when the server is gone, and says what may be left', async () => {
    const list = join(newFolder(), 'created.jsonl')
    const entries = [
      { entry: 'run', run: 'abc', url: 'http://127.0.0.1:9', dialect: 'ngrok' },
      { entry: 'creating', number: 1, path: '/ip_policies', operation: 'ip_policies.create' },
      { entry: 'created', number: 1, id: 'ipp_1' },
    ]
    writeFileSync(list, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    const { code, stderr } = await runToEnd({}, 'verify', '--clean', '--list', list)
    expect([code, existsSync(list)]).toEqual([4, true])
    expect(stderr).toMatch(/^fauxgate: \/ip_policies\/ipp_1 may be left behind: no connection/)
  })

  test('rejects a file of somebody else as its list, and leaves it unchanged', async () => {
    const { url, list, verify } = await startBesideServer()
    writeFileSync(list, 'my notes')
    const { code, stderr } = await verify(url, '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('was not written by "fauxgate verify".')])
    expect(readFileSync(list, 'utf8')).toBe('my notes')
  })

  test('can be repeated with --clean after a crash that cut off a line of the list', async () => {
    const url = await listen(
      createServer(({ method, url: path }, response) => {
        const isDeleted = path === '/ip_policies/ipp_1'
        const status = method === 'GET' ? (isDeleted ? 404 : 200) : isDeleted ? 204 : 500
        response.writeHead(status).end()
      }),
    )
    const list = join(newFolder(), 'created.jsonl')
    const entries = [
      { entry: 'run', run: 'abc', url, dialect: 'ngrok' },
      { entry: 'creating', number: 1, path: '/ip_policies', operation: 'ip_policies.create' },
      { entry: 'created', number: 1, id: 'ipp_1' },
      { entry: 'creating', number: 2, path: '/ip_policies', operation: 'ip_policies.create' },
      { entry: 'created', number: 2, id: 'ipp_2' },
    ]
    writeFileSync(list, `${entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')}{"entry":"creat`)
    for (let time = 0; time < 2; time++) {
      const { code, stderr } = await runToEnd({}, 'verify', '--clean', '--list', list, '--rate', '60000')
      expect(code).toBe(4)
      expect(stderr).toMatch(/^fauxgate: \/ip_policies\/ipp_2 may be left behind: .+\n$/)
    }
  })
})

describe('A recording', () => {
  test('of verify is replayed without a difference', async () => {
    const { url, verify } = await startBesideServer()
    const har = join(newFolder(), 'a.har')
    expect((await verify(url, '--yes', '--record', har)).code).toBe(0)
    expect(readFileSync(har, 'utf8')).not.toContain(KEY)
    const { code, stdout } = await runToEnd({}, 'replay', har)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ exchanges compared, 0 different\.\n$/)])
  })

  test('of a client is written when the program stops, and the client reads the responses unchanged', async () => {
    const { url } = await startServer({}, '--dialect', 'ngrok', '--quiet')
    const har = join(newFolder(), 'a.har')
    const { child, output, exited } = startProcess({}, 'record', '--to', url, '--out', har)
    await waitUntil(() => output.stdout.includes(' at http'))
    const here = / at (http\S+)/.exec(output.stdout)?.[1] ?? ''
    const headers = { authorization: `Bearer ${KEY}`, 'ngrok-version': '2', 'content-type': 'application/json' }
    const body = JSON.stringify({ description: 'Wilhelmina' })
    const created = await readResponse(await fetch(`${here}/ip_policies`, { method: 'POST', headers, body }))
    expect([created.status, created.body.description, created.body.uri]).toEqual([
      201,
      'Wilhelmina',
      `${here}/ip_policies/${created.body.id}`,
    ])
    expect((await readResponse(await fetch(created.body.uri, { headers }))).body).toEqual(created.body)
    child.kill('SIGTERM')
    expect([await exited, output.stderr]).toEqual([0, ''])
    const text = readFileSync(har, 'utf8')
    for (const secret of [KEY, 'Wilhelmina', created.body.id]) expect(text).not.toContain(secret)
    expect((await runToEnd({}, 'replay', har)).stdout).toBe('2 exchanges compared, 0 different.\n')
  })
})

describe('fauxgate verify rejects, and sends nothing', () => {
  const URL = 'https://api.ngrok.com'
  test.each([
    ['a key with the end of a line', [URL], `${KEY}\n`, 'as its last character, perhaps a line break'],
    [
      'a key with a blank',
      [URL],
      `a ${KEY}`,
      'contains a space, a control character, or a non-ASCII character as character 2',
    ],
    ['a key with a letter that no header can have', [URL], `${KEY}ü`, 'non-ASCII character as its last character'],
    ['no key', [URL], '', 'NGROK_API_KEY is not set'],
    ['a key over HTTP', ['http://api.example.com'], KEY, 'would be sent unencrypted'],
    ['no URL', [], KEY, 'verify needs the URL of a server'],
    ['no web server', ['ftp://example.com'], KEY, 'verify needs the URL of a server'],
    ['a URL with a password', ['https://a:b@example.com'], KEY, 'can contain only a host, a port, and a path'],
    ['an unknown family', [URL, '--only', 'ip_polices'], KEY, 'Did you mean ip_policies?'],
    ['--clean, which deletes, with --plan', ['--clean', '--plan'], KEY, '--clean and --plan were both set.'],
    ['--clean with --read-only', ['--clean', '--read-only'], KEY, '--clean and --read-only were both set.'],
    ['a rate of 0', [URL, '--rate', '0'], KEY, 'Allowed: a whole number from 1 to 60000.'],
    ['an invalid domain', [URL, '--domain', 'https://a.example'], KEY, 'Allowed: a domain that you own'],
  ])('%s', async (_what, args, key, message) => {
    const { code, stdout, stderr } = await runToEnd({ NGROK_API_KEY: key }, 'verify', ...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).not.toContain(KEY)
  })

  test('a server that is another one, after one request', async () => {
    let requests = 0
    const other = createServer((_request, response) => {
      requests++
      response.setHeader('content-type', 'text/html').end('<html>')
    })
    const { code, stderr } = await runToEnd({}, 'verify', await listen(other), '--yes')
    expect([code, requests]).toEqual([3, 1])
    expect(stderr).toContain('does not look like this API: it responded with 200, without the ')
  })
})
