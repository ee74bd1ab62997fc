import type { Decision } from '../../service/policy/decisions.ts'
import { providersAToI } from './providers-a-to-i.ts'
import { providersJToZ } from './providers-j-to-z.ts'
import { BodyNeeded, type SentRequest, SignedRequest } from './request.ts'
import type { ChallengeResponse, Provider } from './scheme.ts'
import { findRefusal } from './signature.ts'
import { findSnsRefusal } from './sns.ts'

export type { SentRequest } from './request.ts'

/** The webhook providers, by name. */
export const providers: ReadonlyMap<string, Provider> = new Map(Object.entries({ ...providersAToI, ...providersJToZ }))

/** Returns the headers that contain a provider's signature, without headers that repeat the secret. */
export function signatureHeaders(provider: string): readonly string[] {
  const { schemes = [] } = providers.get(provider.toLowerCase()) ?? {}
  const places = (schemes === 'certificate' ? [] : schemes)
    .filter(({ algorithm }) => algorithm !== 'token')
    .flatMap(({ signature, timestamp, values = {} }) => [signature, timestamp, ...Object.values(values)].flat())
  return places.filter((place) => typeof place === 'string')
}

/** The result of a verification. A challenge is a request that the gateway itself responds to (rules: webhook-verification#challenges). */
export type WebhookVerdict =
  | { readonly verified: true }
  | { readonly verified: false; readonly reason: string; readonly decision?: Decision | undefined }
  | { readonly challenge: ChallengeResponse }

/** The webhook provider, the secret shared with it, and the gateway's clock. */
export interface WebhookOptions {
  /** A name from the list of providers. Case is ignored. */
  readonly provider: string
  /** The secret, as the provider shows it. For Amazon SNS, it is empty or the account that owns the topic. */
  readonly secret: string
  /** The gateway's time, in ms since the Unix epoch. A timestamp may differ from it by 5 minutes. */
  readonly now: number
  /** Reads the document at a URL, for providers that sign with certificates. Rejects if nothing serves the URL. */
  readonly readUrl?: (url: string) => Promise<string>
}

/**
 * Verifies that a webhook provider has signed a request, or responds to the provider's challenge. The body is read only if the headers are
 * not sufficient. Reasons do not repeat secrets, signatures, or any part of the body except the URL of a certificate.
 *
 * @throws any error that `readBody` throws
 */
export async function verifyWebhook(sent: SentRequest, options: WebhookOptions): Promise<WebhookVerdict> {
  try {
    return await verify(new SignedRequest(sent), options)
  } catch (error) {
    if (!(error instanceof BodyNeeded)) throw error
    return verify(new SignedRequest(sent, await sent.readBody()), options)
  }
}

async function verify(request: SignedRequest, options: WebhookOptions): Promise<WebhookVerdict> {
  const provider = providers.get(options.provider.toLowerCase())
  if (!provider) return { verified: false, reason: 'Requests from this provider cannot be verified.' }
  const { schemes } = provider
  const problem =
    schemes === 'certificate'
      ? await findSnsRefusal(request, options.secret, options.readUrl)
      : findRefusal(schemes, request, options)
  const challenge = provider.challenge?.(request, options.secret, problem === undefined)
  if (challenge) return { challenge }
  if (problem === undefined) return { verified: true }
  return typeof problem === 'string'
    ? { verified: false, reason: problem }
    : { verified: false, reason: problem.message, decision: problem.decision }
}
