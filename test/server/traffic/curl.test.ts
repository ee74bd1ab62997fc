import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { serveTraffic } from '../../../src/server/traffic/serve-traffic.ts'
import { newFolder } from '../../support/folder.ts'
import { titleWithRequirement } from '../../support/requirements.ts'
import { serveResponse } from '../../support/serve.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const name = (text: string) => titleWithRequirement(text, hasCurl, 'curl is missing')

const HOST = 'app.example.com'

/** Runs curl as a visitor. Returns its exit code and the status. */
const runCurl = (port: number, ...args: string[]) =>
  new Promise<string>((resolve) => {
    const always = [
      '--silent',
      '--noproxy',
      '*',
      '--resolve',
      `${HOST}:${port}:127.0.0.1`,
      '--write-out',
      ' %{http_code}',
    ]
    execFile('curl', [...always, ...args], (error, stdout) => resolve(`${error?.code ?? 0} ${stdout}`))
  })

/** Opens a gateway with a custom domain, ports for visitors, and a function that visits these with curl. */
async function open() {
  const { url } = await serveResponse((response) => response.end('hello'))
  // Clients check a certificate by the real time.
  const yesterday = Math.floor(Date.now() / 1000) * 1000 - 86_400_000
  const gateway = createNgrok({ clock: manualClock(yesterday) })
  gateway.reservedDomains.create({ domain: HOST })
  gateway.declare.tunnelSession({ endpoints: [{ url: `https://${HOST}`, forwards_to: 'http://localhost:3000' }] })
  const config = { traffic: 0, trafficTls: 0, upstreams: [`http://localhost:3000=${url}`] }
  const [plain, secure] = await serveTraffic(gateway, '127.0.0.1', config)
  onTestFinished(async () => {
    await Promise.all([plain?.close(), secure?.close()])
  })
  const root = join(newFolder(), 'root.pem')
  writeFileSync(root, gateway.authority.certificatePem)
  const ports = { plain: plain?.port ?? 0, secure: secure?.port ?? 0 }
  const https = `https://${HOST}:${ports.secure}/`
  return {
    gateway,
    visit: async () => ({
      verified: await runCurl(ports.secure, '--cacert', root, https),
      insecure: await runCurl(ports.secure, '-k', https),
      http: await runCurl(ports.plain, `http://${HOST}:${ports.plain}/`),
    }),
  }
}

// curl exits with 60 for a certificate that it does not accept, and with 35 if the handshake fails.
const BEFORE = { verified: '60  000', insecure: '0 hello 200', http: '0 hello 200' }
const AFTER = { ...BEFORE, verified: '0 hello 200' }

test.runIf(hasCurl)(
  name('curl, curl -k and plain HTTP before a certificate, and after it (rules: traffic#certificate)'),
  async () => {
    const { gateway, visit } = await open()
    expect(await visit()).toEqual(BEFORE)
    gateway.clock.advance('30s')
    expect(await visit()).toEqual(AFTER)
  },
)

test.runIf(hasCurl)(
  name('curl, curl -k and plain HTTP while a job fails, and after it (rules: traffic#certificate)'),
  async () => {
    const { gateway, visit } = await open()
    gateway.provisioning.script(['DNS_ERROR', 'INTERNAL_ERROR', 'success'])
    gateway.clock.advance('30s')
    expect(await visit()).toEqual(BEFORE)
    gateway.clock.advance('1h')
    expect(await visit()).toEqual(BEFORE)
    gateway.clock.advance('2h')
    expect(await visit()).toEqual(AFTER)
  },
)
