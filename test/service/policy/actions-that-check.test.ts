import { expect, test } from 'vitest'
import { type Row, visitWith } from './visit-with.ts'

// The pages of the actions are below ngrok.com/docs/traffic-policy/actions/.
const IDENTITY_URL = 'https://idp.ngrok.com/oauth2?provider=google&redirect_url=https%3A%2F%2Fapp.example.com%2F'

const VISITS: readonly Row[] = [
  [
    'basic-auth',
    { credentials: ['ann:password1'] },
    {},
    [401, 'found no credentials', '', { 'www-authenticate': 'Basic realm="ngrok"' }],
  ],
  [
    'basic-auth',
    { credentials: ['ann:password1'], realm: 'a "b" c' },
    { init: { headers: { authorization: 'Basic YW5uOnBhc3N3b3JkMg==' } } },
    [401, 'rejected the credentials', '', { 'www-authenticate': 'Basic realm="a b c"' }],
  ],
  [
    'basic-auth',
    { credentials: ['ann:password1'], enforce: false },
    {
      init: { headers: { authorization: 'Basic YW5uOnBhc3N3b3JkMg==' } },
      show: [
        'actions.ngrok.basic_auth.credentials.presented',
        'actions.ngrok.basic_auth.credentials.username',
        'actions.ngrok.basic_auth.credentials.authorized',
      ],
    },
    [200, 'rejected the credentials, and let the request pass', 'true; ann; false'],
  ],
  [
    'basic-auth',
    { credentials: ['ann:password1'], enforce: false },
    {
      init: { headers: { authorization: 'Basic ???' } },
      show: [
        'actions.ngrok.basic_auth.credentials.presented',
        'actions.ngrok.basic_auth.credentials.username',
        'actions.ngrok.basic_auth.credentials.authorized',
      ],
    },
    [200, 'found no credentials, and let the request pass', 'false; ; false'],
  ],
  [
    'basic-auth',
    { credentials: ['ann:password1'] },
    {
      init: { headers: { authorization: 'Basic YW5uOnBhc3N3b3JkMQ==' } },
      show: [
        'actions.ngrok.basic_auth.credentials.presented',
        'actions.ngrok.basic_auth.credentials.username',
        'actions.ngrok.basic_auth.credentials.authorized',
      ],
    },
    [200, 'accepted the credentials of ann', 'true; ann; true'],
  ],
  [
    'restrict-ips',
    { allow: ['203.0.113.0/24'] },
    {
      init: { from: { ip: '203.0.113.9' } },
      show: ['actions.ngrok.restrict_ips.action', 'actions.ngrok.restrict_ips.matched_cidr'],
    },
    [200, 'allowed 203.0.113.9 by 203.0.113.0/24', 'allow; 203.0.113.0/24'],
  ],
  [
    'restrict-ips',
    { allow: ['203.0.113.0/24'], deny: ['203.0.113.8/29'], enforce: false },
    {
      init: { from: { ip: '203.0.113.9' } },
      show: [
        'actions.ngrok.restrict_ips.action',
        'actions.ngrok.restrict_ips.matched_cidr',
        'actions.ngrok.restrict_ips.error.code',
      ],
    },
    [200, 'denied 203.0.113.9 by 203.0.113.8/29, and let the request pass', 'deny; 203.0.113.8/29; ERR_NGROK_3205'],
  ],
  [
    'restrict-ips',
    { allow: ['203.0.113.0/24'], enforce: false },
    {
      init: { from: { ip: '192.0.2.1' } },
      show: ['actions.ngrok.restrict_ips.action', 'actions.ngrok.restrict_ips.matched_cidr'],
    },
    [200, 'denied 192.0.2.1 because it is in no allowed range, and let the request pass', 'deny; '],
  ],
  [
    'restrict-ips',
    { allow: ['203.0.113.0/24'] },
    { init: { from: { ip: '192.0.2.1' } } },
    [
      403,
      'denied 192.0.2.1 because it is in no allowed range',
      'ERR_NGROK_3205\nAn IP restriction rejects the address.\n',
      { 'content-type': 'text/plain; charset=utf-8', 'ngrok-error-code': 'ERR_NGROK_3205' },
    ],
  ],
  [
    'rate-limit',
    { name: 'a', algorithm: 'sliding_window', capacity: 5, rate: '60s', bucket_key: ['req.host', 'req.method'] },
    { show: ['actions.ngrok.rate_limit.bucket_key', 'actions.ngrok.rate_limit.limited'] },
    [200, 'counted the request toward a', 'app.example.com,GET; false'],
  ],
  ['circuit-breaker', { error_threshold: 0.5 }, {}, [200, 'let the request pass', 'upstream got ']],
  ['deny', {}, {}, [403, 'denied with 403', '']],
  ['oauth', { provider: 'google' }, {}, [302, 'sent the visitor to sign in', '', { location: IDENTITY_URL }]],
  [
    'oauth',
    { provider: 'google' },
    { init: { from: { identity: { provider: 'github', email: 'a@b.test' } } } },
    [302, 'sent the visitor to sign in, whose identity is not from google', '', { location: IDENTITY_URL }],
  ],
  [
    'oauth',
    { provider: 'google' },
    {
      init: { from: { identity: { provider: 'google', email: 'a@b.test', name: 'A' } } },
      show: ['actions.ngrok.oauth.identity.email', 'actions.ngrok.oauth.identity.name'],
    },
    [200, 'found the visitor signed in', 'a@b.test; A'],
  ],
  [
    'oauth',
    { provider: 'google', allow_cors_preflight: true },
    { init: { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } } },
    [200, 'let a CORS preflight pass', 'upstream got '],
  ],
  [
    'oauth',
    { provider: 'google', allow_cors_preflight: true },
    { init: { method: 'OPTIONS' } },
    [302, 'sent the visitor to sign in', '', { location: IDENTITY_URL }],
  ],
  [
    'oauth',
    { provider: 'google', allow_cors_preflight: true },
    { init: { headers: { 'access-control-request-method': 'GET' } } },
    [302, 'sent the visitor to sign in', '', { location: IDENTITY_URL }],
  ],
  [
    'oauth',
    { provider: 'google' },
    { init: { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } } },
    [302, 'sent the visitor to sign in', '', { location: IDENTITY_URL }],
  ],
  [
    'openid-connect',
    { issuer_url: 'https://idp.test' },
    { init: { from: { identity: { email: 'a@b.test' } } }, show: ['actions.ngrok.oidc.identity.email'] },
    [200, 'found the visitor signed in', 'a@b.test'],
  ],
  [
    'saml',
    {},
    {},
    [302, 'sent the visitor to sign in', '', { location: IDENTITY_URL.replace('provider=google&', '') }],
  ],
  [
    'terminate-tls',
    { min_version: '1.3' },
    { phase: 'on_tcp_connect' },
    [200, "accepted the visitor's TLS connection", 'upstream got '],
  ],
  [
    'restrict-ips',
    { deny: ['203.0.113.0/24'] },
    { phase: 'on_tcp_connect', init: { from: { ip: '192.0.2.1' } } },
    [0, 'denied 192.0.2.1 because it is in no allowed range', 'The connection was closed.'],
  ],
]

test.each(VISITS)('The action %s with %j and a visit with %j: %j', async (type, config, visit, shown) => {
  expect(await visitWith(type, config, visit)).toEqual(shown)
})
