import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'

/** The longest wait for an element, in ms. */
const MAX_WAIT_MS = 30_000

/** The key of an element's id in responses of WebDriver. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** A page in Firefox. It waits for elements by itself. */
export interface FirefoxPage {
  go(url: string): Promise<void>
  /** Waits for an element, by XPath. Throws if none appears. */
  find(xpath: string): Promise<string>
  click(xpath: string): Promise<void>
  type(xpath: string, text: string): Promise<void>
}

/**
 * Starts a released Firefox, and drives it by Marionette, the protocol of geckodriver: playwright-core sends
 * it a command of WebDriver BiDi that Firefox does not know.
 */
export async function startFirefox(path: string): Promise<FirefoxPage> {
  const profile = mkdtempSync(join(tmpdir(), 'fauxgate-firefox-'))
  writeFileSync(join(profile, 'user.js'), 'user_pref("marionette.port", 0);\n')
  const browser = spawn(path, ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exit = new Promise((resolve) => browser.once('close', resolve))
  onTestFinished(async () => {
    browser.kill()
    await exit
    rmSync(profile, { recursive: true, force: true })
  })
  const command = connectTo(await waitForPort(browser.stdout))
  await command('NewSession', { capabilities: {} })
  await command('SetTimeouts', { implicit: MAX_WAIT_MS })
  const find = async (value: string): Promise<string> =>
    (await command('FindElement', { using: 'xpath', value }))[ELEMENT] ?? ''
  return {
    go: async (url) => void (await command('Navigate', { url })),
    find,
    // A button that is disabled takes no click.
    click: async (xpath) =>
      void (await command('ElementClick', { id: await find(`${xpath}[not(@aria-disabled="true")]`) })),
    type: async (xpath, text) => void (await command('ElementSendKeys', { id: await find(xpath), text })),
  }
}

function waitForPort(output: Readable): Promise<number> {
  return new Promise((resolve, reject) => {
    const lines = createInterface(output)
    lines.on('line', (line) => {
      const [, port] = /Marionette\s.*Listening on port (\d+)/.exec(line) ?? []
      if (port) resolve(Number(port))
    })
    lines.on('close', () => reject(new Error('Firefox ended before it listened.')))
  })
}

type Result = Readonly<Record<string, string>>

/** Returns a function that sends commands. A message is JSON after its length; a response has its command's id. */
function connectTo(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const callbacks = new Map<number, (error: { message: string } | null, result: { value?: Result } | null) => void>()
  let bytes = Buffer.alloc(0)
  socket.on('data', (part) => {
    bytes = Buffer.concat([bytes, part])
    for (;;) {
      const colon = bytes.indexOf(':')
      const end = colon + 1 + Number(bytes.subarray(0, colon))
      if (colon < 0 || bytes.length < end) return
      const message = JSON.parse(bytes.subarray(colon + 1, end).toString())
      bytes = bytes.subarray(end)
      // The first message only introduces the server.
      if (Array.isArray(message)) callbacks.get(message[1])?.(message[2], message[3])
    }
  })
  let id = 0
  return (name: string, parameters: object) =>
    new Promise<Result>((resolve, reject) => {
      const message = Buffer.from(JSON.stringify([0, ++id, `WebDriver:${name}`, parameters]))
      callbacks.set(id, (error, result) => (error ? reject(new Error(error.message)) : resolve(result?.value ?? {})))
      socket.write(Buffer.concat([Buffer.from(`${message.length}:`), message]))
    })
}
