/** A decision about traffic behavior that fauxgate made because the service's documentation omits it or contradicts itself. */
export interface Decision {
  readonly says: string
  /** The URL of the section that states the reason. */
  readonly docs: string
}

const PAGES = 'https://github.com/fauxgate/fauxgate/blob/main/docs/decisions/'

/** Creates a decision. The rule is named by its page and heading. */
const decide = (rule: string, says: string): Decision => ({ says, docs: PAGES + rule.replace('#', '.md#') })

/**
 * The decisions. Traces mention each decision that affected a result. The reference lists an action's `decisions` with the action, and all
 * other decisions in one place.
 */
export const DECISIONS = {
  certificate: decide(
    'traffic#certificate',
    'An expired certificate stays in use, and `traffic.fetch` rejects it with `CERT_HAS_EXPIRED`.',
  ),
  claims: decide(
    'json-web-tokens#claims',
    '`exp` and `nbf` have no tolerance. If the config has audiences, a token without `aud` is rejected.',
  ),
  compression: decide(
    'traffic#bodies',
    'If a client accepts several algorithms equally, `compress-response` uses the one that comes first in `algorithms`. A strong `etag` becomes a weak `etag`.',
  ),
  errorPhase: decide(
    'traffic#responses',
    "Response rules also run on an error that replaces the upstream's response, such as 502.",
  ),
  expressionError: decide('traffic#errors', 'If an expression fails in an action, the response has status 500.'),
  bodyError: decide('traffic#bodies', 'If a body cannot be read, the response has status 400, 413, or 502.'),
  failedAttempt: decide(
    'traffic#responses',
    'A response with a status of 400 or higher is a failed attempt, which `retry_condition` can repeat.',
  ),
  failedCondition: decide('traffic-policy#expressions', 'A rule whose expression fails does not apply.'),
  halfOpen: decide('traffic#rate-limits', 'After `tripped_duration`, one request at a time tries the upstream.'),
  noEndpoint: decide(
    'traffic#endpoints',
    'A URL without an endpoint returns 404, and so does an http URL whose host has only an https endpoint. If several endpoints share a URL but not all of them are pooled, the response is 502.',
  ),
  noUrl: decide('traffic#header-values', 'A replacement or an expression whose result is not a URL causes error 3900.'),
  responsePhase: decide(
    'traffic#responses',
    "The rules for responses do not run on a redirect, a failed check, or an action's error.",
  ),
  signIn: decide(
    'traffic#signing-in',
    'Visitors sign in at `https://idp.ngrok.com/oauth2`, with the provider, the URL of the request, and `authz_url_params` in the query. ' +
      '`/ngrok/logout` continues at `redirect_path`, or at `/`.',
  ),
  statedRefusal: decide(
    'traffic#supplied-results',
    'A supplied result that is an error ends the request. So does a score that reaches the threshold.',
  ),
  uncompressed: decide('traffic#bodies', 'Partial responses and responses with `no-transform` are not compressed.'),
  unfollowed: decide('traffic#responses', 'With `max_redirects: 0`, a redirect is the response.'),
  urlText: decide(
    'traffic#header-values',
    'Characters that are not allowed in URLs are percent-encoded in the result of a replacement. A slash is added before a whole URL where a path is expected.',
  ),
  webhookTime: decide(
    'webhook-verification#signatures',
    "A signed time may differ from the gateway's clock by 5 minutes.",
  ),
  window: decide(
    'traffic#rate-limits',
    'A window is divided into 60 parts. All requests in a part expire at the same time. Limits with the same name in one policy share a count.',
  ),
} as const satisfies Readonly<Record<string, Decision>>
