// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
import { createSign, generateKeyPairSync } from 'node:crypto'
import forge from 'node-forge'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../../src/traffic/webhooks/index.ts'

const CERTIFICATE = 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem'
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Returns a certificate of the key as PEM, which node-forge makes. */
function certify(): string {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey.export({ format: 'pem', type: 'spki' }).toString())
  certificate.serialNumber = '01'
  certificate.validity.notBefore = new Date('2025-01-01T00:00:00Z')
  certificate.validity.notAfter = new Date('2035-01-01T00:00:00Z')
  certificate.setSubject([{ name: 'commonName', value: 'sns.amazonaws.com' }])
  certificate.setIssuer([{ name: 'commonName', value: 'Amazon' }])
  const key = forge.pki.privateKeyFromPem(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
  certificate.sign(key, forge.md.sha256.create())
  return forge.pki.certificateToPem(certificate)
}

const pem = certify()

const notification = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
  Subject: 'My First Message',
  Message: 'Hello world!',
  Timestamp: '2012-05-02T00:54:06.655Z',
  SignatureVersion: '1',
  SigningCertURL: CERTIFICATE,
}

type Message = Readonly<Record<string, string | undefined>>

const FIELDS: Readonly<Record<string, string>> = {
  Notification: 'Message MessageId Subject Timestamp TopicArn Type',
  SubscriptionConfirmation: 'Message MessageId SubscribeURL Timestamp Token TopicArn Type',
}

function sign(message: Message): Message {
  const names = (FIELDS[message.Type ?? ''] ?? '').split(' ').filter((name) => message[name] !== undefined)
  const text = names.map((name) => `${name}\n${message[name]}\n`).join('')
  const algorithm = message.SignatureVersion === '2' ? 'sha256' : 'sha1'
  return { ...message, Signature: createSign(algorithm).update(text).sign(privateKey, 'base64') }
}

function send(
  message: Message,
  { secret = '', readUrl }: { secret?: string; readUrl?: (url: string) => Promise<string> } = {},
) {
  const body = new TextEncoder().encode(JSON.stringify(message))
  const request = { method: 'POST', url: 'https://example.com/', headers: new Headers(), readBody: async () => body }
  const read = readUrl ?? (async (url: string) => (url === CERTIFICATE ? pem : Promise.reject(new Error(url))))
  return verifyWebhook(request, { provider: 'sns', secret, now: 0, readUrl: read })
}

const refused = (reason: RegExp) => ({ verified: false, reason: expect.stringMatching(reason) })

describe('webhooks of Amazon SNS', () => {
  it.each([
    ['a notification', notification],
    ['a notification without a subject', { ...notification, Subject: undefined }],
    ['the second version, with SHA-256', { ...notification, SignatureVersion: '2' }],
    [
      'the confirmation of a subscription',
      {
        ...notification,
        Type: 'SubscriptionConfirmation',
        Token: 'a token',
        SubscribeURL: 'https://sns.aws/?Action=x',
      },
    ],
  ])('are verified by the certificate at their URL: %s', async (_, message) => {
    expect(await send(sign(message))).toEqual({ verified: true })
  })

  it('are rejected if any signed field differs', async () => {
    const signed = sign(notification)
    for (const name of ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Signature'])
      expect(await send({ ...signed, [name]: `${signed[name]}x` })).toEqual(refused(/Signature/))
    expect(await send({ ...signed, Type: 'Other' })).toEqual(refused(/Type/))
  })

  it('are rejected if their certificate is not at a host of SNS, because anybody can sign with their own key', async () => {
    const readUrl = () => Promise.resolve(pem)
    for (const url of [
      'https://sns.us-east-1.amazonaws.com.example.com/x.pem',
      'http://sns.us-east-1.amazonaws.com/x.pem',
      'https://example.com/sns.us-east-1.amazonaws.com',
      'https://sns.us-east-1.amazonaws.com:8443/x.pem',
      'no url',
    ])
      expect(await send(sign({ ...notification, SigningCertURL: url }), { readUrl })).toEqual(refused(/SigningCertURL/))
  })

  it('are rejected by a document that is not a certificate', async () => {
    for (const text of ['', 'nothing', pem.replace(/MII/, 'MIJ')])
      expect(await send(sign(notification), { readUrl: async () => text })).toEqual(refused(/not an RSA certificate/))
  })

  it('are rejected, with the URL to serve, where nothing can serve certificates', async () => {
    const body = new TextEncoder().encode(JSON.stringify(sign(notification)))
    const request = { method: 'POST', url: 'https://example.com/', headers: new Headers(), readBody: async () => body }
    const verdict = await verifyWebhook(request, { provider: 'sns', secret: '', now: 0 })
    expect(verdict).toEqual(refused(/SimpleNotificationService-0123456789abcdef\.pem.*Add an upstream/))
  })

  it('are of the account that a secret names', async () => {
    expect(await send(sign(notification), { secret: '123456789012' })).toEqual({ verified: true })
    expect(await send(sign(notification), { secret: '210987654321' })).toEqual(refused(/TopicArn/))
  })
})
