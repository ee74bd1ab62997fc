import { lookUp } from '../../core/schema/values.ts'
import { DECISIONS } from './decisions.ts'
import type { ActionOutcome, PolicyRequest, SignIn, Visit } from './visit.ts'

interface SignInConfig {
  readonly provider?: string | undefined
  readonly auth_id?: string | undefined
  readonly client_id?: string | undefined
  readonly authz_url_params?: Readonly<Record<string, string>> | undefined
  readonly allow_cors_preflight?: boolean
  /** The URL of an OpenID provider. */
  readonly issuer_url?: string | undefined
  /** The duration, in ms. 0 means no timeout. */
  readonly max_session_duration?: number | undefined
  readonly idle_session_timeout?: number | undefined
  /** Returns the error for a person who is not allowed. */
  readonly findRejection?: (identity: Identity) => { readonly error: number; readonly why: string } | undefined
}

type Identity = Readonly<Record<string, unknown>>

/** The host where visitors sign in. The documentation of the actions uses it for the callback URL. */
const IDENTITY_HOST = 'https://idp.ngrok.com/oauth2'

/** The variables with the results of a sign-in. */
export const SIGN_IN_OUTCOMES = ['signed in', 'sent to sign in'] as const

/**
 * Lets a visitor pass if the caller provides an identity, and sends other visitors to the sign-in page. Also handles the login and logout
 * paths.
 */
export function signInVisitor(visit: Visit, config: SignInConfig): ActionOutcome {
  const { identity, request } = visit
  const { provider, auth_id, client_id, authz_url_params = {}, allow_cors_preflight } = config
  const isPreflight = request.method === 'OPTIONS' && request.headers.get('access-control-request-method') !== undefined
  if (isPreflight && allow_cors_preflight) return { did: 'let a CORS preflight pass', isIdle: true }
  const isOfProvider = identity?.provider === undefined || provider === undefined || identity.provider === provider
  const [special, target] = readSpecialPath(request, auth_id)
  if (special === 'logout') {
    if (identity && isOfProvider) visit.endSession(toSignIn(identity, config))
    return {
      ...redirect('signed the visitor out', target, { 'set-cookie': 'session=; Path=/; Max-Age=0' }),
      isIdle: true,
    }
  }
  const rejection = identity && isOfProvider && config.findRejection?.(identity)
  if (rejection) {
    const { error, why } = rejection
    return {
      did: `rejected the visitor: ${why}`,
      ends: { status: 403, error },
      isRefusal: true,
      facts: { client_id, identity },
    }
  }
  const hasSession = identity !== undefined && isOfProvider && visit.continueSession(toSignIn(identity, config))
  if (hasSession)
    return special === 'login'
      ? { ...redirect('found the visitor signed in', target), isIdle: true }
      : { did: 'found the visitor signed in', sets: { identity }, isStated: true, facts: { client_id, identity } }
  const location = new URL(IDENTITY_HOST)
  if (provider !== undefined) location.searchParams.set('provider', provider)
  location.searchParams.set('redirect_url', target)
  for (const [name, value] of Object.entries(authz_url_params)) location.searchParams.append(name, value)
  const why = isOfProvider ? ', whose session has ended' : `, whose identity is not from ${provider}`
  const whose = identity ? why : ''
  return { ...redirect(`sent the visitor to sign in${whose}`, location.href), facts: { client_id } }
}

/** The providers' URLs. */
const PROVIDERS: Readonly<Record<string, string>> = {
  amazon: 'https://www.amazon.com',
  facebook: 'https://www.facebook.com',
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  google: 'https://accounts.google.com',
  linkedin: 'https://www.linkedin.com',
  microsoft: 'https://login.microsoftonline.com',
  twitch: 'https://www.twitch.tv',
}

/** Returns a person's sign-in from the identity that the caller provides. */
function toSignIn(identity: Identity, config: SignInConfig): SignIn {
  const text = (name: string, initial = '') => String(identity[name] ?? initial)
  const { issuer_url, max_session_duration: max = 0, idle_session_timeout: idle = 0 } = config
  const provider = text('provider', config.provider ?? issuer_url)
  const email = text('email')
  return {
    person: {
      provider,
      provider_url: issuer_url ?? lookUp(PROVIDERS, provider) ?? '',
      provider_user_id: text('provider_user_id', text('id', email)),
      username: text('username', email),
      email,
      name: text('name'),
    },
    max,
    idle,
  }
}

/** Returns the special path that a request is for, and the URL where the visitor continues. */
function readSpecialPath({ url }: PolicyRequest, authId: string | undefined) {
  const { pathname, searchParams, origin } = new URL(url)
  const [, special] = /^\/ngrok\/(login|logout)$/.exec(pathname) ?? []
  const isOther = searchParams.has('auth_id') && searchParams.get('auth_id') !== authId
  if (special === undefined || isOther) return [undefined, url] as const
  const path = searchParams.get('redirect_path') ?? '/'
  // A path that begins with two slashes is that of another host.
  return [special, origin + (/^\/(?![/\\])/.test(path) ? encodeURI(path) : '/')] as const
}

const redirect = (did: string, location: string, headers: Readonly<Record<string, string>> = {}): ActionOutcome => ({
  did,
  ends: { status: 302, headers: { location, ...headers } },
  decision: DECISIONS.signIn,
})
