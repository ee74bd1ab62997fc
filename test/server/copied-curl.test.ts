import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Page } from '../../src/inspector/page.ts'
import { toCurl } from '../../src/inspector/tabs/client-code.ts'
import { newFolder } from '../support/folder.ts'
import { titleWithRequirement } from '../support/requirements.ts'
import { serveResponse } from '../support/serve.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const name = (text: string) => titleWithRequirement(text, hasCurl, 'curl is missing')

type SentRequest = Parameters<typeof toCurl>[1]

/** Runs the copied command of a request in an empty folder, and returns the requests that arrive. */
async function runCopiedCommand(sent: Partial<SentRequest>) {
  const { url: origin, received } = await serveResponse((response) => response.end('a response'))
  vi.stubGlobal('location', { origin })
  onTestFinished(() => void vi.unstubAllGlobals())
  const page = { connection: { base: '' } } as Page // The code under test uses no other part.
  const command = toCurl(page, { method: 'POST', path: '/a', query: '', requestHeaders: {}, request: null, ...sent })
  // A terminal would obey a pasted control character.
  expect(command).not.toMatch(/\p{Cc}/u)
  const shell = spawn('sh', ['-c', `${command} --silent --show-error --noproxy '*'`], {
    cwd: newFolder(),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [status] = await once(shell, 'close')
  expect(status).toBe(0)
  return received
}

const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('')

test
  .runIf(hasCurl)
  .each([
    '@/etc/passwd',
    '@-',
    "it's 'quoted' \"twice\" and \\ and \\' and '\\''",
    '$(touch pwned) `touch pwned` $HOME !! ; touch pwned & | > pwned #',
    'two\nlines\r\nand a tab\t',
    '-X DELETE --data @file',
    '%s %d %% \\n \\0 \\\\ 100%\n%s',
    `all controls: ${controls}\x7f0123`,
    '\0',
    '-v\t',
    '\n',
    'é ✓ 😀 \u0085',
    '',
  ])(name('A copied command sends this JSON text: %j'), async (request) => {
  const [only, ...others] = await runCopiedCommand({ request })
  expect(others).toEqual([])
  expect(only).toMatchObject({ method: 'POST', url: '/a' })
  expect(JSON.parse(only?.body ?? '')).toBe(request)
})

test.runIf(hasCurl)(name('A copied command sends JSON with any text in it'), async () => {
  const request = { text: `@'"$(touch pwned)\`\\${controls}`, '@': [null, '%'] }
  const [only] = await runCopiedCommand({ method: 'PATCH', request })
  expect(only?.method).toBe('PATCH')
  expect(JSON.parse(only?.body ?? '')).toEqual(request)
})

test.runIf(hasCurl).each([
  ['/a/../b/./c', ''],
  ['/a', "filter=obj.id in ['{a,b}','[1-3]']".replaceAll(' ', '%20')],
  ['/$(touch', 'a=`touch`&b=$HOME'],
])(name('A copied command asks once, for exactly this: %s?%s'), async (path, query) => {
  const received = await runCopiedCommand({ method: 'GET', path, query })
  expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${path}${query && `?${query}`}`])
})

test.runIf(hasCurl)(name('A copied command of a HEAD request waits for no body'), async () => {
  const [only] = await runCopiedCommand({ method: 'HEAD' })
  expect(only?.method).toBe('HEAD')
})

test.runIf(hasCurl)(
  name('A copied command sends only the headers of the request, with a key instead of a hidden one'),
  async () => {
    const [keyed] = await runCopiedCommand({ requestHeaders: { authorization: '[redacted]', 'service-version': '1' } })
    expect(keyed?.headers).toMatchObject({ authorization: 'Bearer key', 'service-version': '1' })
    const [bare] = await runCopiedCommand({ requestHeaders: {} })
    expect(Object.keys(bare?.headers ?? {})).not.toContain('authorization')
  },
)

test.runIf(hasCurl)(name('A copied command sends headers with any text, also none'), async () => {
  const requestHeaders = { 'x-empty': '', 'x-text': `@a 'b' "c" $(touch pwned) \`d\` \\` }
  const [only] = await runCopiedCommand({ requestHeaders })
  expect(only?.headers).toMatchObject(requestHeaders)
})
