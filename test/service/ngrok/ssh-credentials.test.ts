import { describe, expect, it } from 'vitest'
import { SSH_KEYS } from './ssh-keys.ts'
import { openGateway } from './support.ts'

const PATH = '/ssh_credentials'
const [ALGORITHM, KEY] = SSH_KEYS.ed25519.split(' ') as [string, string]
const [RSA, RSA_KEY] = SSH_KEYS.rsa.split(' ') as [string, string]

const changeKey = (change: (bytes: Buffer) => Buffer) => change(Buffer.from(KEY, 'base64')).toString('base64')

describe('The public key of an SSH credential', () => {
  it.each(Object.entries(SSH_KEYS))('of ssh-keygen is accepted and returned as sent: %s', async (_, public_key) => {
    const { send } = openGateway()
    for (const [place, text] of [public_key, `${public_key} more words\n`].entries()) {
      const { status, body } = await send('POST', PATH, { json: { public_key: text } })
      if (place === 0) expect([status, body.public_key]).toEqual([201, text])
      else expect(body.error_code).toBe('ERR_NGROK_609')
    }
  })

  it.each([
    ['is missing', undefined, 611],
    ['is empty', '', 611],
    ['is no text', 1, 215],
    ['is no line', 'a key', 612],
    ['is only an algorithm', ALGORITHM, 612],
    ['has no algorithm', KEY, 612],
    ['has an unsupported algorithm', `ssh-dss ${KEY}`, 612],
    ['has the name of an object property', `constructor ${KEY}`, 612],
    ['has a key of another algorithm', `${ALGORITHM} ${RSA_KEY}`, 612],
    ['has another algorithm than its key', `${RSA} ${KEY}`, 612],
    ['is two lines', `${SSH_KEYS.ed25519}\n${SSH_KEYS.rsa}`, 612],
    ['is no base64', `${ALGORITHM} ${KEY.slice(0, -1)}`, 612],
    ['is cut off', `${ALGORITHM} ${changeKey((bytes) => bytes.subarray(0, -1))}`, 612],
    ['has a byte too many', `${ALGORITHM} ${changeKey((bytes) => Buffer.concat([bytes, Buffer.alloc(1)]))}`, 612],
    ['has a part too many', `${ALGORITHM} ${changeKey((bytes) => Buffer.concat([bytes, Buffer.alloc(4)]))}`, 612],
    ['has a curve of another algorithm', SSH_KEYS.nistp256.replaceAll('256', '384'), 612],
    ['is a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----', 612],
  ])('%s: rejected, and nothing changes', async (_, public_key, number) => {
    expect(await openGateway().sendRefused('POST', PATH, { json: { public_key } })).toBe(`400 ERR_NGROK_${number}`)
  })

  it('is unique, regardless of its comment (609), until its credential is deleted, and cannot be changed (214)', async () => {
    const { send, sendRefused } = openGateway()
    const { id } = (await send('POST', PATH, { json: { public_key: SSH_KEYS.ed25519 } })).body
    const json = { public_key: `${ALGORITHM}\t${KEY} another comment` }
    expect(await sendRefused('POST', PATH, { json })).toBe('400 ERR_NGROK_609')
    expect(await sendRefused('PATCH', `${PATH}/${id}`, { json })).toBe('400 ERR_NGROK_214')
    await send('DELETE', `${PATH}/${id}`)
    expect((await send('POST', PATH, { json })).status).toBe(201)
  })
})
