import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { runToEnd, startServer } from '../support/command.ts'
import { newFolder } from '../support/folder.ts'
import { testOpenssl } from '../support/openssl.ts'
import { addDurations, timeAfter } from '../support/provisioning.ts'
import { requestBytes } from '../support/serve.ts'

/** Connects over TLS until the end of the test, and returns the names in the certificate. */
async function readCertificateNames(options: ConnectionOptions): Promise<string | undefined> {
  const socket = connectTls({ host: '127.0.0.1', ...options })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  return socket.getPeerCertificate().subjectaltname
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/

describe('fauxgate serve --tls', () => {
  it('has a certificate for all its names, issued by the root that it prints', async () => {
    const { url, output } = await startServer({}, '--tls', '--allow-host', 'gate.example')
    const root = CERTIFICATE.exec(output.stdout)?.[0] ?? ''
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const { port } = new URL(url)
    for (const place of [url, `https://localhost:${port}`])
      expect((await requestBytes(`${place}/_fauxgate/clock`, { ca: root })).status).toBe(200)
    expect((await requestBytes(`${url}/_fauxgate/authority.pem`, { ca: root })).body.toString()).toBe(root)
    expect((await requestBytes(url, { ca: root })).body.toString()).toContain(`${url}/_fauxgate/`)
    await expect(requestBytes(url, { ca: createGateway().authority.certificatePem })).rejects.toThrow(/certificate/)
    expect(await readCertificateNames({ port: Number(port), servername: 'gate.example', ca: root })).toBe(
      'DNS:localhost, DNS:gate.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    )
  })

  it('has a certificate that also covers the host of its base URL', async () => {
    const { url, output } = await startServer({}, '--tls', '--base-url', 'https://[2001:db8::1]/api')
    const names = await readCertificateNames({ port: Number(new URL(url).port), ca: output.stdout })
    expect(names).toContain('IP Address:2001:DB8:0:0:0:0:0:1')
  })

  it.each(['0', '127.1'])('has a certificate for the host %s, a short form of an address', async (host) => {
    expect((await runToEnd({}, 'serve', '--port', '0', '--tls', '--host', host)).code).toBe(0)
  })

  it('works together with a control key', async () => {
    const { code, stdout, stderr } = await runToEnd({}, 'serve', '--port', '0', '--tls', '--control-key', 's3cret')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(CERTIFICATE)
  })

  it('writes its root to the file of --tls-root', async () => {
    const file = join(newFolder(), 'root.pem')
    const { stdout, code } = await runToEnd({}, 'serve', '--port', '0', '--tls-root', file)
    expect(code).toBe(0)
    expect(stdout).toContain(`Try:\n  curl --cacert ${file} https://`)
    expect(stdout).toContain(`\nIts root certificate, for clients to trust, is in ${file}\n`)
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${CERTIFICATE.source}$`))
  })

  it('contains the root as a field with --log json', async () => {
    const { stdout } = await runToEnd({}, 'serve', '--port', '0', '--tls', '--log', 'json')
    const [listening = '', _connect, root = ''] = stdout.split('\n')
    expect(JSON.parse(listening).url).toMatch(/^https:/)
    expect(JSON.parse(root)).toMatchObject({ event: 'root', root: expect.stringMatching(CERTIFICATE) })
  })

  it('survives clients that do not speak TLS, and stops while such connections are open', async () => {
    const gateway = createGateway({ authorityKeys: 'fresh' })
    const server = await serve(gateway, { tls: gateway.authority.serverCertificate({ ips: ['127.0.0.1'] }) })
    const plain = connect(server.port, '127.0.0.1')
    plain.on('error', () => undefined)
    plain.write('GET / HTTP/1.1\r\n\r\n')
    await once(plain, 'close')
    const silent = connect(server.port, '127.0.0.1')
    await once(silent, 'connect')
    const { status } = await requestBytes(`${server.url}/_fauxgate/clock`, { ca: gateway.authority.certificatePem })
    expect(status).toBe(200)
    const ended = once(silent, 'close')
    await server.close()
    await ended
  })

  it('drops a connection for a fault, and serves the next one', async () => {
    const gateway = createGateway({ authorityKeys: 'fresh' })
    const tls = gateway.authority.serverCertificate({ ips: ['127.0.0.1'] })
    await using server = await serve(gateway, { tls })
    gateway.faults.add({ drop: true, times: 1 })
    const headers = { authorization: 'Bearer k', 'service-version': '2' }
    const list = () => requestBytes(`${server.url}/reserved_addrs`, { ca: gateway.authority.certificatePem, headers })
    await expect(list()).rejects.toThrow('socket hang up')
    expect((await list()).status).toBe(200)
  })
})

const NAME_ALLOWED = 'a DNS name in ASCII, such as "app.example.com" or "*.example.com"; an address belongs in ips.'

describe('A certificate for a server of a test', () => {
  const gateway = createGateway({ clock: manualClock(CLOCK_START), seed: 'tls' })
  const BEFORE = addDurations(CLOCK_START, '-1s')

  testOpenssl('verifies by the root, for its names and addresses, as openssl sees it', () => {
    const folder = newFolder()
    const { certificate_pem, private_key_pem } = gateway.authority.serverCertificate({
      names: ['gate.example', '*.gate.example'],
      ips: ['192.0.2.7', '2001:db8::7'],
    })
    writeFileSync(join(folder, 'root.pem'), gateway.authority.certificatePem)
    writeFileSync(join(folder, 'chain.pem'), certificate_pem)
    writeFileSync(join(folder, 'key.pem'), private_key_pem)
    const openssl = (...args: string[]) => {
      const { stdout, stderr, status } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
      return status === 0 ? stdout : stderr
    }
    const verify = [
      'verify',
      '-CAfile',
      'root.pem',
      '-untrusted',
      'chain.pem',
      '-attime',
      String(Math.ceil(CLOCK_START / 1000)),
    ]
    for (const name of ['gate.example', 'x.gate.example'])
      expect(openssl(...verify, '-verify_hostname', name, 'chain.pem')).toBe('chain.pem: OK\n')
    for (const ip of ['192.0.2.7', '2001:db8::7'])
      expect(openssl(...verify, '-verify_ip', ip, 'chain.pem')).toBe('chain.pem: OK\n')
    expect(openssl(...verify, '-verify_hostname', 'other.example', 'chain.pem')).toContain('hostname mismatch')
    const end = openssl('x509', '-in', 'chain.pem', '-noout', '-enddate').replace('notAfter=', '')
    expect(Date.parse(end)).toBe(Date.parse(timeAfter('90d')))
    expect(openssl('x509', '-in', 'chain.pem', '-noout', '-pubkey')).toBe(openssl('pkey', '-in', 'key.pem', '-pubout'))
  })

  it('is the same at every call at one time, differs at another time, and is not a resource', () => {
    const issueAt = (notBefore: string) => gateway.authority.serverCertificate({ names: ['a.example'], notBefore })
    expect(issueAt('2026-01-01T00:00:00Z')).toEqual(issueAt('2026-01-01T00:00:00Z'))
    expect(issueAt('2026-01-01T00:00:01Z').private_key_pem).not.toBe(issueAt('2026-01-01T00:00:00Z').private_key_pem)
    expect(gateway.tlsCertificates.list().tls_certificates).toEqual([])
  })

  it.each([{ names: ['b.example'] }, { ips: ['192.0.2.1'] }, { notAfter: '2027-01-01T00:00:00Z' }])(
    'has another key and another serial number if it is issued at the same time with %j',
    (options) => {
      const [one, other] = [{}, options].map((each) =>
        gateway.authority.serverCertificate({ names: ['a.example'], notBefore: '2026-01-01T00:00:00Z', ...each }),
      )
      expect(other?.private_key_pem).not.toBe(one?.private_key_pem)
      const serials = [one, other].map((each) => new X509Certificate(each?.certificate_pem ?? '').serialNumber)
      expect(new Set(serials).size).toBe(2)
    },
  )

  it.each<[object, string]>([
    [{}, 'names and ips are both empty. Allowed: at least one name or IP address.'],
    [{ names: 'a' }, 'names is "a". Allowed: an array of DNS names in ASCII.'],
    [{ names: ['a.ä'] }, `names.0 is "a.ä". Allowed: ${NAME_ALLOWED}`],
    [{ names: ['127.0.0.1'] }, `names.0 is "127.0.0.1". Allowed: ${NAME_ALLOWED}`],
    [{ names: ['a', '*.*.example'] }, `names.1 is "*.*.example". Allowed: ${NAME_ALLOWED}`],
    [{ names: ['a'.repeat(254)] }, `names.0 is "${'a'.repeat(80)}…". Allowed: ${NAME_ALLOWED}`],
    [
      { names: ['a'], notAfter: BEFORE },
      `notAfter is ${BEFORE}. Allowed: ${SHOWN_START}, which is notBefore, or later.`,
    ],
    [{ ips: ['1.2.3'] }, 'ips.0 is "1.2.3". Allowed: an IPv4 or IPv6 address.'],
    [{ name: 'a' }, '"name" is not an option. Supported: names, ips, notBefore, notAfter.'],
  ])('%j is rejected', (options, message) => {
    expect(() => gateway.authority.serverCertificate(options)).toThrow(new TypeError(message))
  })
})
