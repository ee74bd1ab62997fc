import { isObject } from '../../core/schema/values.ts'
import type { Config, Field, Fields, Form, Variable, Variables } from './action.ts'
import { MINUTE, SECOND } from './time.ts'

/** The fields shared by several actions. */
export const enforce = {
  kind: 'boolean',
  default: true,
  about:
    "Whether to reject traffic that fails the check. With `false`, the result is available only in the action's variables.",
} as const satisfies Field

export const onError = (initial: 'halt' | 'continue', isRequired?: true) =>
  ({
    kind: 'text',
    choices: ['halt', 'continue'],
    default: initial,
    about: 'Whether to run further actions after a failure.',
    ...(isRequired && { isRequired }),
  }) as const satisfies Field

/** Returns the names of a list's items, such as `allow[1]`, if it has more than one. Each item can then have a separate effect. */
export function nameItems(name: string, list: unknown): readonly string[] {
  return Array.isArray(list) && list.length > 1 ? list.map((_, index) => `${name}[${index}]`) : []
}

export const headers = (about: string, min = 0) =>
  ({
    kind: 'map',
    keys: 'header',
    value: { kind: 'text', format: 'header-value', takesCel: true, about: 'The value of the header.' },
    min,
    max: 10,
    countNumber: 2212,
    takesCel: true,
    about,
  }) as const satisfies Field

export const from = (about: string) =>
  ({ kind: 'text', format: 'pattern', takesCel: true, about }) as const satisfies Field

export const to = {
  kind: 'text',
  takesCel: true,
  about: "The replacement. `$1` is the text of the pattern's first group.",
} as const satisfies Field

/** The list of replacements in an action that modifies bodies. */
export const replacements = <const Extra extends Fields>(extra: Extra) =>
  ({
    kind: 'list',
    min: 1,
    isRequired: true,
    about: 'The replacements, in order. Each one is applied to the result of the previous one.',
    item: {
      kind: 'object',
      about: 'A pattern, and the replacement for its matches.',
      fields: { from: { ...from('The pattern, in RE2 syntax.'), isRequired: true }, to, ...extra },
    },
  }) as const satisfies Field

export const REPLACED: Variables = {
  replacements: {
    type: 'list<Replacement>',
    about: 'The replacements that matched, each with `replacement_index` and its first match, `matched_content`.',
  },
}

const word = (about: string) => ({ kind: 'text', about }) as const satisfies Field
const session = (about: string) =>
  ({ kind: 'duration', min: 0, max: Number.POSITIVE_INFINITY, about }) as const satisfies Field

/** The fields of `oauth` and `openid-connect`. */
export const signIn = {
  auth_id: {
    kind: 'text',
    format: 'cookie-name',
    about: 'The name of this sign-in, which is used in cookies and in the paths for login and logout.',
  },
  client_id: { kind: 'text', takesCel: true, about: "Your app's ID at the provider." },
  client_secret: { kind: 'text', takesCel: true, isSecret: true, about: "Your app's secret at the provider." },
  scopes: { kind: 'list', item: word('A scope.'), about: 'Additional scopes to request from the provider.' },
  authz_url_params: {
    kind: 'map',
    keys: 'any',
    value: word('The value of the parameter.'),
    about: "Additional parameters for the provider's URL.",
  },
  max_session_duration: session('How long a session may last.'),
  idle_session_timeout: session('How long a session lasts without requests.'),
  userinfo_refresh_interval: session('How often to refresh the data about the user.'),
  allow_cors_preflight: { kind: 'boolean', default: false, about: 'Whether CORS preflights pass without a session.' },
  auth_cookie_domain: { kind: 'text', format: 'domain', about: 'The domain of the cookie.' },
} as const satisfies Fields

/** The variables of `oauth` and `openid-connect`. */
export const signedIn = (sessionId: string, extra: Variables = {}): Variables => ({
  identity: {
    id: text('The identity ID.'),
    email: text("The user's email address."),
    name: text("The user's name."),
    provider_user_id: text("The user's ID at the provider."),
    [sessionId]: text('The session ID.'),
  },
  access_token: text("The provider's access token."),
  refresh_token: text("The provider's refresh token."),
  expires_at: text('When the session ends.'),
  session_timed_out: flag('Whether the session ended because of inactivity.'),
  session_max_duration_reached: flag('Whether the session reached its maximum duration.'),
  userinfo_refreshed: flag('Whether the data about the user was just refreshed.'),
  ...extra,
})

export function text(about: string, values?: readonly string[] | Form): Variable {
  if (!values) return { type: 'string', about }
  return { type: 'string', about, ...('about' in values ? { form: values } : { choices: values }) }
}
export function flag(about: string) {
  return { type: 'bool', about }
}
export function whole(about: string) {
  return { type: 'int', about }
}
export function texts(about: string, form?: Form): Variable {
  return { type: 'list<string>', about, ...(form && { form }) }
}

/** The fields and variables of the OWASP actions. */
export const owasp = (what: string): Readonly<Record<string, Field>> => ({
  on_error: onError('halt', true),
  process_body: { kind: 'boolean', default: false, about: `Whether the rules for the body of the ${what} count.` },
  exclude_rule_ids: {
    kind: 'list',
    item: { kind: 'integer', min: 900_000, max: 999_999, about: 'The number of a rule.' },
    about: 'The rules of the OWASP core rule set to ignore.',
  },
})

export const OWASP_SETS: Variables = {
  decision: text('`allow` or `deny`.', ['allow', 'deny']),
  anomaly_score: whole('The total score of the rules that matched.'),
  anomaly_score_threshold: whole('The score at which traffic is denied.'),
  matched_rules: {
    type: 'list<MatchedRule>',
    about: 'The rules that matched, each with `id`, `message`, `severity`, and `data`.',
  },
}

/** Returns how the traffic ends if a caller specifies that an OWASP action denies the request or fails. */
export const refuseOwasp =
  (denied: number, threshold: number) =>
  ({ decision, anomaly_score: score, anomaly_score_threshold: most = threshold, error }: Config) => {
    const isDenied = decision === undefined ? Number(score) >= Number(most) : decision === 'deny'
    if (isDenied) return { status: 403, error: denied }
    return isObject(error) && error.code ? { status: 500, error: 3701 } : undefined
  }

export const circuitDuration = (about: string) =>
  ({ kind: 'duration', min: SECOND, max: 2 * MINUTE, default: '10s', about }) as const satisfies Field
