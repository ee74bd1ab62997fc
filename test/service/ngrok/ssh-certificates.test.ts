import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SHOWN_START } from '../../support/clock.ts'
import { timeAfter } from '../../support/provisioning.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { openGateway } from './support.ts'

const hasOpenSsh = (() => {
  try {
    execFileSync('ssh-keygen', ['-?'], { stdio: 'ignore' })
    return true
  } catch (error) {
    // It ends with an error after its help, unless there is none.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
})()
if (!hasOpenSsh) console.warn('SKIPPED: this machine has no ssh-keygen, so that no SSH certificate was checked by it.')

const folder = mkdtempSync(join(tmpdir(), 'fauxgate-ssh-'))

/** Lets OpenSSH read a certificate and check its signature. Returns its lines, trimmed. */
function readByOpenSsh(certificate: string): string[] {
  const file = join(folder, 'a-cert.pub')
  writeFileSync(file, `${certificate}\n`)
  const env = { ...process.env, TZ: 'UTC' }
  return execFileSync('ssh-keygen', ['-L', '-f', file], { encoding: 'utf8', env })
    .split('\n')
    .map((line) => line.trim())
}

/** Returns the line in which OpenSSH shows two times, each without its `Z`. */
const formatValidity = (start: string, end: string) => `Valid: from ${start.slice(0, -1)} to ${end.slice(0, -1)}`

const AUTHORITIES = [
  [{}, 'ssh-ed25519', 256],
  [{ private_key_type: 'ed25519' }, 'ssh-ed25519', 256],
  [{ private_key_type: 'ecdsa' }, 'ecdsa-sha2-nistp256', 256],
  [{ private_key_type: 'ecdsa', elliptic_curve: 'nistp384' }, 'ecdsa-sha2-nistp384', 384],
  [{ private_key_type: 'ecdsa', elliptic_curve: 'nistp521' }, 'ecdsa-sha2-nistp521', 521],
  [{ private_key_type: 'rsa' }, 'rsa-sha2-512', 2048],
  [{ private_key_type: 'rsa', key_size: 4096 }, 'rsa-sha2-512', 4096],
] as const

const KEY = SSH_KEYS.ed25519 ?? ''

// rules: ngrok-families#ssh-certificates
describe.skipIf(!hasOpenSsh)('OpenSSH reads and verifies certificates', () => {
  test.each(AUTHORITIES)('of an authority made with %o', (body, algorithm, size) => {
    const { gateway } = openGateway()
    const authority = gateway.sshCertificateAuthorities.create(body)
    writeFileSync(join(folder, 'ca.pub'), `${authority.public_key}\n`)
    const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', join(folder, 'ca.pub')], { encoding: 'utf8' }).split(
      ' ',
    )
    expect(Number(fingerprint[0])).toBe(size)
    for (const public_key of Object.values(SSH_KEYS)) {
      const certificate = gateway.sshUserCertificates.create({
        ssh_certificate_authority_id: authority.id,
        public_key,
        principals: ['root', 'ec2-user'],
        critical_options: { 'source-address': '192.0.2.0/24', 'force-command': '/bin/true' },
      })
      const lines = readByOpenSsh(certificate.certificate)
      expect(lines).toEqual(
        expect.arrayContaining([
          `Key ID: "${certificate.id}"`,
          formatValidity(SHOWN_START, timeAfter('1d')),
          'root',
          'ec2-user',
          'force-command /bin/true',
          'source-address 192.0.2.0/24',
          'permit-pty',
          'permit-user-rc',
        ]),
      )
      const signer = lines.find((line) => line.startsWith('Signing CA'))
      expect(signer).toContain(fingerprint[1])
      expect(signer).toContain(`using ${algorithm}`)
    }
  })

  test('of a host, for the time that it asks for', () => {
    const { gateway } = openGateway()
    const { id } = gateway.sshCertificateAuthorities.create()
    const body = { ssh_certificate_authority_id: id, public_key: KEY }
    const year = gateway.sshHostCertificates.create({ ...body, principals: ['a.example.com'] })
    expect(readByOpenSsh(year.certificate)).toEqual(
      expect.arrayContaining([formatValidity(SHOWN_START, timeAfter('365d')), 'a.example.com']),
    )
    const [start, end] = [timeAfter('30d'), timeAfter('30d', '1m')]
    const times = { valid_after: start, valid_until: end.replace('Z', '+00:00') }
    const minute = gateway.sshHostCertificates.create({ ...body, ...times })
    expect(minute).toMatchObject({ key_type: 'ed25519', principals: [], valid_until: end })
    expect(readByOpenSsh(minute.certificate)).toContain(formatValidity(start, end))
  })

  test('of a user, for the time that it asks for', () => {
    const { gateway } = openGateway()
    const { id } = gateway.sshCertificateAuthorities.create()
    const [valid_after, valid_until] = [timeAfter('30d'), timeAfter('30d', '1m')]
    const body = { ssh_certificate_authority_id: id, public_key: KEY, valid_after, valid_until }
    const { certificate } = gateway.sshUserCertificates.create(body)
    expect(readByOpenSsh(certificate)).toContain(formatValidity(valid_after, valid_until))
  })
})

describe('SSH certificates', () => {
  test('are the same after a restart, and for the same seed', () => {
    const [one, other] = [openGateway().gateway, openGateway().gateway].map((gateway) => {
      const { id } = gateway.sshCertificateAuthorities.create({ private_key_type: 'ecdsa' })
      const body = { ssh_certificate_authority_id: id, public_key: KEY }
      return { gateway, certificate: gateway.sshHostCertificates.create(body) }
    })
    expect(one?.certificate).toEqual(other?.certificate)
    const restored = openGateway().gateway
    if (one) restored.restore(one.gateway.snapshot({ privateKeys: true }))
    expect(restored.sshHostCertificates.list().ssh_host_certificates).toEqual([one?.certificate])
  })

  test('keep the authority that signed them', async () => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.sshCertificateAuthorities.create()
    const body = { ssh_certificate_authority_id: id, public_key: KEY }
    const host = gateway.sshHostCertificates.create(body)
    expect(await sendRefused('DELETE', `/ssh_certificate_authorities/${id}`)).toBe('400 ERR_NGROK_1964')
    gateway.sshHostCertificates.delete(host.id)
    const user = gateway.sshUserCertificates.create({ ...body, extensions: {} })
    expect(user.extensions).toEqual({})
    expect(await sendRefused('DELETE', `/ssh_certificate_authorities/${id}`)).toBe('400 ERR_NGROK_1964')
    gateway.sshUserCertificates.delete(user.id)
    gateway.sshCertificateAuthorities.delete(id)
  })

  test.each<[number: number, json: object]>([
    [1936, { private_key_type: 'dsa' }],
    [1937, { description: 'x'.repeat(256) }],
    [1938, { metadata: 'x'.repeat(4097) }],
    [1939, { private_key_type: 'rsa', key_size: 1024 }],
    [1940, { key_size: 2048 }],
    [1941, { private_key_type: 'ecdsa', elliptic_curve: 'nistp192' }],
    [1942, { private_key_type: 'rsa', elliptic_curve: 'nistp256' }],
  ])('need an authority; one is rejected with %i: %o', async (number, json) => {
    const { sendRefused } = openGateway()
    expect(await sendRefused('POST', '/ssh_certificate_authorities', { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  const HOST = 'ssh_host_certificates'
  const USER = 'ssh_user_certificates'
  test.each<[number: number, family: string, json: object]>([
    [241, HOST, { valid_until: 'tomorrow' }],
    [241, USER, { valid_after: '2026-13-01T00:00:00Z' }],
    [1934, HOST, { public_key: 'nonsense' }],
    [1945, HOST, { description: 'x'.repeat(256) }],
    [1946, HOST, { metadata: 'x'.repeat(4097) }],
    [1947, USER, { description: 'x'.repeat(256) }],
    [1948, USER, { metadata: 'x'.repeat(4097) }],
    [1949, HOST, { ssh_certificate_authority_id: 'sshca_1' }],
    [1949, HOST, { ssh_certificate_authority_id: undefined }],
    [1950, USER, { public_key: 'ssh-dss AAAA' }],
    [1951, USER, { ssh_certificate_authority_id: 'sshca_1' }],
    [1952, USER, { public_key: undefined }],
    [1962, USER, { valid_until: SHOWN_START }],
    [1963, HOST, { valid_after: timeAfter('366d') }],
  ])('are rejected with %i: %s %o', async (number, family, json) => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.sshCertificateAuthorities.create()
    const valid = { ssh_certificate_authority_id: id, public_key: KEY }
    expect(await sendRefused('POST', `/${family}`, { json: { ...valid, ...json } })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('are limited by the account', async () => {
    const { sendRefused } = openGateway({ account: { plan: 'free' } })
    expect(await sendRefused('POST', '/ssh_certificate_authorities', { json: {} })).toBe('400 ERR_NGROK_1953')
    const limits = { ssh_certificate_authorities: 1, ssh_host_certificates: 0, ssh_user_certificates: 0 }
    const few = openGateway({ account: { limits } })
    const { id } = few.gateway.sshCertificateAuthorities.create()
    const json = { ssh_certificate_authority_id: id, public_key: KEY }
    expect(await few.sendRefused('POST', '/ssh_certificate_authorities', { json: {} })).toBe('400 ERR_NGROK_1956')
    expect(await few.sendRefused('POST', '/ssh_host_certificates', { json })).toBe('400 ERR_NGROK_1958')
    expect(await few.sendRefused('POST', '/ssh_user_certificates', { json })).toBe('400 ERR_NGROK_1960')
  })

  test.skipIf(!hasOpenSsh)('are those of keys that ssh-keygen makes now', () => {
    const { gateway } = openGateway()
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'a comment', '-f', join(folder, 'fresh')])
    const public_key = readFileSync(join(folder, 'fresh.pub'), 'utf8').trim()
    const { id } = gateway.sshCertificateAuthorities.create()
    const body = { ssh_certificate_authority_id: id, public_key, principals: ['me'] }
    expect(readByOpenSsh(gateway.sshUserCertificates.create(body).certificate)).toContain('me')
  })
})
