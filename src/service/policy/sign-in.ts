import type { ActionOutcome, Visit } from './visit.ts'

interface SignInConfig {
  readonly provider?: string
  readonly allow_cors_preflight?: boolean
}

/** Lets a visitor pass whose identity the caller gives. Sends all others to sign in. */
export function signInVisitor(visit: Visit, { provider, allow_cors_preflight }: SignInConfig): ActionOutcome {
  const { identity, request } = visit
  const isPreflight = request.method === 'OPTIONS' && request.headers.get('access-control-request-method') !== undefined
  if (isPreflight && allow_cors_preflight) return { did: 'let a CORS preflight pass' }
  const isOfProvider = identity?.provider === undefined || provider === undefined || identity.provider === provider
  if (identity && isOfProvider) return { did: 'found the visitor signed in', sets: { identity } }
  const location = new URL('/ngrok/login', request.url).href
  const did = identity
    ? `sent the visitor to sign in, whose identity is not of ${provider}`
    : 'sent the visitor to sign in'
  return { did, ends: { status: 302, headers: { location } } }
}
