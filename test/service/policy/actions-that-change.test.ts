import { expect, test } from 'vitest'
import { type Row, visitWith } from './visit-with.ts'

// The pages of the actions are below ngrok.com/docs/traffic-policy/actions/.
const VISITS: readonly Row[] = [
  ['add-headers', { headers: { Host: 'b.test' } }, { show: ["getReqHeader('host')"] }, [200, 'added host', '[b.test]']],
  [
    'add-headers',
    { headers: { 'X-A': 'one', 'x-b': '${req.method}' } },
    { show: ['actions.ngrok.add_headers.headers_added'] },
    [200, 'added x-a, x-b', '{x-a: [one], x-b: [GET]}'],
  ],
  [
    'remove-headers',
    { headers: ['X-A', 'x-b'] },
    { init: { headers: { 'x-a': '1' } }, show: ['actions.ngrok.remove_headers.headers_removed'] },
    [200, 'removed x-a', '[x-a]'],
  ],
  ['remove-headers', { headers: ['X-A'] }, {}, [200, 'removed nothing', 'upstream got ']],
  [
    'url-rewrite',
    { from: '/a([0-9])', to: '/b$1' },
    { path: '/a1/a2', show: ['actions.ngrok.url_rewrite.url', 'actions.ngrok.url_rewrite.matches', 'req.url'] },
    [
      200,
      'rewrote the URL to https://app.example.com/b1/b2',
      'https://app.example.com/b1/b2; [/a1, /a2]; https://app.example.com/b1/b2',
    ],
  ],
  [
    'url-rewrite',
    { from: '/x', to: '/b' },
    { path: '/a1', show: ['actions.ngrok.url_rewrite.url'] },
    [200, 'left the URL unchanged', 'https://app.example.com/a1'],
  ],
  [
    'url-rewrite',
    { to: 'https://app.example.com/fixed' },
    { path: '/a1', show: ['actions.ngrok.url_rewrite.matches', 'req.url'] },
    [
      200,
      'rewrote the URL to https://app.example.com/fixed',
      '[https://app.example.com/a1]; https://app.example.com/fixed',
    ],
  ],
  [
    'log',
    { metadata: { a: 1, b: '${req.method}' } },
    { show: ['actions.ngrok.log.metadata'] },
    [200, 'logged a, b', '{a: 1, b: GET}'],
  ],
  [
    'request-body-find-replace',
    {
      replacements: [
        { from: 'a', to: 'b' },
        { from: 'x+', to: 'y' },
      ],
    },
    { init: { method: 'POST', body: 'aaxxx' }, show: ['actions.ngrok.request_body_find_replace.replacements'] },
    [
      200,
      'replaced 3 matches',
      '[{matched_content: a, replacement_index: 0}, {matched_content: xxx, replacement_index: 1}]',
    ],
  ],
  [
    'request-body-find-replace',
    { replacements: [{ from: 'z' }] },
    { init: { method: 'POST', body: 'aaxxx' } },
    [200, 'replaced 0 matches', 'upstream got aaxxx'],
  ],
  [
    'response-body-find-replace',
    { replacements: [{ from: 'got', to: 'has' }] },
    { init: { method: 'POST', body: 'a' }, phase: 'on_http_response' },
    [200, 'replaced 1 matches', 'upstream has a', { 'content-length': '14' }],
  ],
  [
    'compress-response',
    {},
    {
      phase: 'on_http_response',
      init: { headers: { 'accept-encoding': 'br;q=0' } },
      show: ['actions.ngrok.compress.already_compressed', 'actions.ngrok.compress.negotiated_algorithm'],
    },
    [200, 'found no algorithm that the client accepts', 'false; '],
  ],
  [
    'compress-response',
    {},
    {
      phase: 'on_http_response',
      init: { headers: { 'accept-encoding': 'X-GZIP' } },
      show: ['actions.ngrok.compress.already_compressed', 'actions.ngrok.compress.negotiated_algorithm'],
    },
    [200, 'compressed with gzip', 'false; gzip'],
  ],
  [
    'compress-response',
    { algorithms: ['br', 'gzip'] },
    {
      phase: 'on_http_response',
      init: { headers: { 'accept-encoding': 'gzip; q=0.5, deflate, *;q=0.5' } },
      show: ['actions.ngrok.compress.negotiated_algorithm'],
    },
    [200, 'compressed with br', 'br'],
  ],
  [
    'compress-response',
    { algorithms: ['compress'] },
    { phase: 'on_http_response', init: { headers: { 'accept-encoding': 'compress, gzip' } } },
    [
      200,
      'left the response unchanged: this gateway cannot compress with compress',
      'upstream got ',
      { vary: 'Accept-Encoding' },
    ],
  ],
  [
    'compress-response',
    { algorithms: ['br', 'gzip'] },
    {
      phase: 'on_http_response',
      init: { headers: { 'accept-encoding': 'identity, gzip; q=0.5, br;level=q=1;q=x' } },
      show: ['actions.ngrok.compress.negotiated_algorithm'],
    },
    [200, 'found no algorithm that the client accepts', ''],
  ],
  [
    'compress-response',
    {},
    { phase: 'on_http_response', init: {}, show: ['actions.ngrok.compress.negotiated_algorithm'] },
    [200, 'found no algorithm that the client accepts', ''],
  ],
  [
    'compress-response',
    {},
    { phase: 'on_http_response', init: { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } } },
    [200, 'compressed with gzip', '', { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }],
  ],
  [
    'compress-response',
    { algorithms: ['br'] },
    { phase: 'on_http_response', init: { headers: { 'accept-encoding': 'gzip' } } },
    [200, 'found no algorithm that the client accepts', 'upstream got ', { vary: 'Accept-Encoding' }],
  ],
  [
    'compress-response',
    {},
    {
      phase: 'on_http_response',
      init: { headers: { 'accept-encoding': 'gzip;q=0.1, br;q=0.9' } },
      show: ['actions.ngrok.compress.negotiated_algorithm'],
    },
    [200, 'compressed with br', 'br'],
  ],
  [
    'sse-find-replace',
    {
      replacements: [
        { from: 'a', to: 'b' },
        { field: 'retry', from: '1', to: '2' },
      ],
    },
    { phase: 'on_event_stream_message', path: '/events' },
    [200, '', 'event: c\nretry: 22\ndata: b cb\n\ndata: x\n\n', { 'content-type': 'text/event-stream' }],
  ],
]

test.each(VISITS)('The action %s with %j and a visit with %j: %j', async (type, config, visit, shown) => {
  expect(await visitWith(type, config, visit)).toEqual(shown)
})
