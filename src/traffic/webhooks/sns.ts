import { readCertificate } from '../../service/x509/certificate.ts'
import { hashes } from '../../service/x509/hashes.ts'
import { splitPem } from '../../service/x509/pem.ts'
import { verifyPkcs1 } from '../../service/x509/rsa.ts'
import { decode, toUtf8 } from './encoding.ts'
import { bodyField, type SignedRequest } from './request.ts'

/** The signed message fields, by message type, in order. A notification's subject is optional. */
const FIELDS: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
  ['UnsubscribeConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
])

/** The hosts that are allowed to serve certificates. Otherwise, a request could name any host and sign itself. */
const CERTIFICATE_HOST = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/

/**
 * Returns the problem with an Amazon SNS message that is not signed with its certificate's key, or undefined if it is. The secret, if any,
 * is the account that owns the topic.
 */
export async function findSnsRefusal(
  request: SignedRequest,
  owner: string,
  readUrl: ((url: string) => Promise<string>) | undefined,
): Promise<string | undefined> {
  const field = (name: string) => bodyField(request, name)
  const [fields, url] = [FIELDS.get(field('Type')), field('SigningCertURL') ?? '']
  if (!fields) return `The body's Type field is not one of ${[...FIELDS.keys()].join(', ')}.`
  if (!isCertificateUrl(url)) return "The body's SigningCertURL field is not a URL under https://sns.….amazonaws.com."
  if (owner !== '' && field('TopicArn')?.split(':')[4] !== owner)
    return "The topic in the body's TopicArn field does not belong to the account named by the secret."
  if (!readUrl) return `The certificate at ${url} is needed, but nothing serves it. Add an upstream for this URL.`
  const text = fields.map((name) => [name, field(name)] as const).filter(([, value]) => value !== undefined)
  const message = toUtf8(text.map(([name, value]) => `${name}\n${value}\n`).join(''))
  const document = await readUrl(url).catch((error: Error) => error)
  if (document instanceof Error) return `The certificate at ${url} cannot be read: ${document.message}.`
  const key = readKey(document)
  if (!key) return `The document at ${url} is not an RSA certificate.`
  const hash = field('SignatureVersion') === '2' ? hashes.sha256 : hashes.sha1
  const signature = decode(field('Signature') ?? '', 'base64')
  const isSigned = signature !== undefined && verifyPkcs1(key, hash, message, signature)
  return isSigned ? undefined : `The body's Signature field does not match the certificate at ${url}.`
}

function isCertificateUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && url.port === '' && CERTIFICATE_HOST.test(url.hostname)
}

/** Returns the RSA key of a PEM certificate, or undefined if it isn't an RSA key. */
function readKey(pem: string) {
  try {
    const der = splitPem(pem).blocks.find((block) => block.type === 'CERTIFICATE')?.der
    const key = der && readCertificate(der).publicKey
    return key?.kind === 'rsa' ? key : undefined
  } catch {
    return undefined // The certificate is malformed.
  }
}
