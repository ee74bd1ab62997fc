import { expect, test } from 'vitest'
import { type Row, visitWith } from './visit-with.ts'

// The pages of the actions are below ngrok.com/docs/traffic-policy/actions/.
const VISITS: readonly Row[] = [
  [
    'redirect',
    { from: '/x', to: '/b' },
    { path: '/a1', show: ['actions.ngrok.redirect.url', 'actions.ngrok.redirect.matches'] },
    [200, 'left the URL unchanged', 'https://app.example.com/a1; []'],
  ],
  [
    'redirect',
    { to: 'https://b.test/' },
    { path: '/a1' },
    [302, 'redirected to https://b.test/', '', { location: 'https://b.test/' }],
  ],
  ['custom-response', {}, {}, [200, 'responded with 200', '']],
  [
    'custom-response',
    { body: '', status_code: 204 },
    {},
    [204, 'responded with 204', '', { 'content-type': 'text/plain; charset=utf-8' }],
  ],
  [
    'custom-response',
    { body: 'x', status_code: 304 },
    {},
    [
      500,
      'set a body, but a response with status 304 cannot have one',
      'ERR_NGROK_3604\nResponses with this status have no body.\n',
      { 'content-type': 'text/plain; charset=utf-8', 'ngrok-error-code': 'ERR_NGROK_3604' },
    ],
  ],
  [
    'custom-response',
    { body: 'x', status_code: 200, content_type: 'text/y' },
    {},
    [200, 'responded with 200', 'x', { 'content-type': 'text/y' }],
  ],
  [
    'custom-response',
    { body: 'abc', headers: { 'Content-Length': '99', 'content-type': 'text/y' } },
    {},
    [200, 'responded with 200', 'abc', { 'content-type': 'text/y' }],
  ],
  [
    'custom-response',
    { content: ' [1] ' },
    {},
    [200, 'responded with 200', ' [1] ', { 'content-type': 'application/json' }],
  ],
  [
    'custom-response',
    { body: '[1' },
    {},
    [200, 'responded with 200', '[1', { 'content-type': 'text/plain; charset=utf-8' }],
  ],
  [
    'custom-response',
    { body: 'a {"b":1}' },
    {},
    [200, 'responded with 200', 'a {"b":1}', { 'content-type': 'text/plain; charset=utf-8' }],
  ],
  [
    'custom-response',
    { body: ' <P>a' },
    {},
    [200, 'responded with 200', ' <P>a', { 'content-type': 'text/html; charset=utf-8' }],
  ],
  [
    'custom-response',
    { body: 'a <p>' },
    {},
    [200, 'responded with 200', 'a <p>', { 'content-type': 'text/plain; charset=utf-8' }],
  ],
  [
    'custom-response',
    { body: '<?xml version="1.0"?>' },
    {},
    [200, 'responded with 200', '<?xml version="1.0"?>', { 'content-type': 'text/xml; charset=utf-8' }],
  ],
]

test.each(VISITS)('The action %s with %j and a visit with %j: %j', async (type, config, visit, shown) => {
  expect(await visitWith(type, config, visit)).toEqual(shown)
})
