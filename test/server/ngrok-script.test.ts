import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { serve } from '../../src/server/serve.ts'
import { titleWithRequirement } from '../support/requirements.ts'
import { waitUntil } from '../support/wire.ts'

const SCRIPT = fileURLToPath(new URL('../../examples/agent/ngrok.sh', import.meta.url))

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'])
    return true
  } catch {
    return false
  }
}

async function openAgent() {
  const gateway = createNgrok({ seed: 'script' })
  const served = await serve(gateway, { agent: 0 })
  onTestFinished(() => served.close())
  const agent = new URL(String(served.agentUrl)).host
  /** Starts the script. The promise `started` resolves when the log has the tunnel, or when the script has ended. */
  const start = (...args: string[]) => {
    const process = spawn(SCRIPT, args, { env: { ...globalThis.process.env, FAUXGATE_AGENT: agent } })
    onTestFinished(() => void process.kill('SIGKILL'))
    const output = { stdout: '', stderr: '' }
    process.stdout.on('data', (data) => {
      output.stdout += data
    })
    process.stderr.on('data', (data) => {
      output.stderr += data
    })
    const ended = once(process, 'close').then(([code]) => code as number | null)
    const started = Promise.race([ended, waitUntil(() => output.stdout.includes('started tunnel'))])
    return { process, output, ended, started }
  }
  const tunnels = async () => (await (await fetch(`http://${agent}/api/tunnels`)).json()).tunnels
  return { gateway, served, start, tunnels }
}

const it = (name: string) => titleWithRequirement(name, hasCurl(), 'curl is missing')

describe.skipIf(!hasCurl() || process.platform === 'win32')(it('The script that stands in for ngrok'), () => {
  test.each([
    [
      ['http', '--log=stdout', '--log-format=json', '8000'],
      { proto: 'https', config: { addr: 'http://localhost:8000' } },
    ],
    [['http', '8000', '--log', 'stdout', '-log-format', 'logfmt'], { config: { addr: 'http://localhost:8000' } }],
    [['--url', 'https://a.ngrok.app', 'http', 'localhost:80'], { public_url: 'https://a.ngrok.app' }],
    [
      ['http', '--inspect=false', '--url=a.ngrok.app', '80'],
      { public_url: 'https://a.ngrok.app', config: { inspect: false } },
    ],
    [
      ['http', '--inspect', '80', '--domain=a.ngrok.app'],
      { public_url: 'https://a.ngrok.app', config: { inspect: true } },
    ],
    [['http', '80', '--name', 'a "b\\c', '--region', 'eu'], { name: 'a "b\\c' }],
    [['http', '80', '-name=a/b%20é'], { name: 'a/b%20é' }],
    [['http', '-url=a.ngrok.app', '-inspect', '80'], { public_url: 'https://a.ngrok.app', config: { inspect: true } }],
    [['http', '80', '-domain', 'a.ngrok.app'], { public_url: 'https://a.ngrok.app' }],
    [['tcp', '22', '--log=stdout'], { proto: 'tcp', config: { addr: 'localhost:22' } }],
  ])('starts the tunnel of %j', async (args, tunnel) => {
    const { start, tunnels } = await openAgent()
    await start(...args).started
    expect(await tunnels()).toMatchObject([tunnel])
  })

  test('writes each line of its log as JSON, or as pairs of names and values', async () => {
    const { start, tunnels } = await openAgent()
    const json = start('http', '--log=stdout', '--log-format=json', '80')
    await json.started
    const [{ public_url: url }] = await tunnels()
    const lines = json.output.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ msg }) => msg)).toContain('client session established')
    expect(lines.at(-1)).toMatchObject({ lvl: 'info', msg: 'started tunnel', addr: 'http://localhost:80', url })
    json.process.kill()
    await json.ended
    const text = start('http', '80')
    await text.started
    const [{ public_url: next }] = await tunnels()
    expect(text.output.stdout).toContain(
      `lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://localhost:80 url=${next}`,
    )
  })

  test('ends with 1 and the words of the service if the start is rejected', async () => {
    const { start, tunnels } = await openAgent()
    const { ended, output } = start('http', '80', '--url', 'https://app.example.com')
    expect(await ended).toBe(1)
    expect(output.stderr).toMatch(/^ERROR: {2}url is "https:\/\/app\.example\.com".*ERR_NGROK_319/)
    expect(output.stdout).toContain('lvl=eror msg="failed to start tunnel" err="url is')
    expect(await tunnels()).toEqual([])
  })

  test.each([
    [['http'], 'ngrok http is no command of this script'],
    [['serve'], 'ngrok serve is no command of this script'],
  ])('ends with 1 for the words %j', async (args, message) => {
    const { start } = await openAgent()
    const { ended, output } = start(...args)
    expect([await ended, output.stderr]).toEqual([1, expect.stringContaining(message)])
  })

  test('says that nothing answers if there is no agent', async () => {
    const { start, served } = await openAgent()
    await served.close()
    const { ended, output } = start('http', '80')
    expect([await ended, output.stderr]).toEqual([1, expect.stringContaining('Start fauxgate serve --dialect ngrok')])
  })

  test('stops its tunnel with a signal, and a second run follows one that was killed', async () => {
    const { start, tunnels } = await openAgent()
    const first = start('http', '80')
    await first.started
    first.process.kill('SIGKILL')
    await once(first.process, 'exit')
    expect(await tunnels()).toMatchObject([{ config: { addr: 'http://localhost:80' } }])
    const second = start('http', '8080')
    await waitUntil(() => second.output.stdout.includes('started tunnel'))
    expect(await tunnels()).toMatchObject([{ config: { addr: 'http://localhost:8080' } }])
    second.process.kill('SIGTERM')
    expect(await second.ended).toBe(0)
    expect(await tunnels()).toEqual([])
  })

  test.each([[['-name', 'a/b%20é (c)']], [['--bind-tls=both']]])(
    'stops each tunnel of %j with a signal',
    async (args) => {
      const { start, tunnels } = await openAgent()
      const script = start('http', '80', ...args)
      await script.started
      expect(await tunnels()).not.toEqual([])
      script.process.kill('SIGTERM')
      expect(await script.ended).toBe(0)
      expect(await tunnels()).toEqual([])
    },
  )

  test('logs the tunnel once it has a URL', async () => {
    const { start, tunnels, gateway } = await openAgent()
    gateway.agent.set({ urlAfter: '1s' })
    const { started, output } = start('http', '80')
    await started
    const [{ public_url: url }] = await tunnels()
    expect(output.stdout).toContain(` url=${url}\n`)
  })

  test.each([
    [['version'], 'ngrok version 3.39.0\n'],
    [['--version'], 'ngrok version 3.39.0\n'],
    [['config', 'add-authtoken', 'x'], 'Authtoken saved\n'],
    [['authtoken', 'x', '--config=a'], 'Authtoken saved\n'],
  ])('answers %j', async (args, text) => {
    const { start } = await openAgent()
    const { ended, output } = start(...args)
    expect([await ended, output.stdout]).toEqual([0, text])
  })

  test('waits for tunnels that a program starts itself', async () => {
    const { start } = await openAgent()
    const { output, process } = start('start', '--none', '--log=stdout')
    await waitUntil(() => output.stdout.includes('tunnel session started'))
    expect(process.exitCode).toBeNull()
  })
})
