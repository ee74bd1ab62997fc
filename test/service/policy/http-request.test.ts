import { expect, test } from 'vitest'
import { type Row, visitWith } from './visit-with.ts'

// The pages of the actions are below ngrok.com/docs/traffic-policy/actions/.
const VISITS: readonly Row[] = [
  [
    'http-request',
    {
      url: 'https://users.internal/a',
      query_params: [{ key: 'b', value: 'c d' }, { key: 'e' }],
      headers: { 'X-A': 'f' },
    },
    {
      show: [
        'actions.ngrok.http_request.req.method',
        'actions.ngrok.http_request.req.url',
        'actions.ngrok.http_request.req.header["x-a"]',
        'actions.ngrok.http_request.res.header',
        'actions.ngrok.http_request.attempts',
      ],
    },
    [
      200,
      'got 200 from https://users.internal/a?b=c+d&e=',
      'GET; https://users.internal/a?b=c+d&e=; [f]; {content-type: [text/plain]}; [{resolved_ip: , response_header: {content-type: [text/plain]}, response_status_code: 200, response_time_ms: 0}]',
    ],
  ],
  [
    'http-request',
    { url: 'https://users.internal/a', method: 'POST', body: 'g' },
    {
      show: [
        'actions.ngrok.http_request.req.body',
        'actions.ngrok.http_request.res.body',
        'actions.ngrok.http_request.res.status_code',
      ],
    },
    [200, 'got 200 from https://users.internal/a', 'g; POST http://localhost/a g; 200'],
  ],
  [
    'http-request',
    {
      url: 'https://users.internal/500',
      retry_condition:
        'last_attempt.res.status_code == 500 && last_attempt.req.method == "GET" && last_attempt.error == "" && attempts < 3',
    },
    {
      show: [
        'size(actions.ngrok.http_request.attempts)',
        'actions.ngrok.http_request.attempts[2].response_status_code',
      ],
    },
    [200, 'got 500 from https://users.internal/500', '3; 500'],
  ],
  [
    'http-request',
    { url: 'https://users.internal/500', retry_condition: 'attempts > 0', on_error: 'halt' },
    { show: ['size(actions.ngrok.http_request.attempts)'] },
    [200, 'got 500 from https://users.internal/500', '4'],
  ],
  [
    'http-request',
    { url: 'https://users.internal/302' },
    { show: ['actions.ngrok.http_request.res.status_code', 'actions.ngrok.http_request.error.code'] },
    [200, 'got 302 from https://users.internal/302', '302; '],
  ],
  [
    'http-request',
    { url: 'https://users.internal/302', max_redirects: 1 },
    { show: ['actions.ngrok.http_request.res.status_code', 'actions.ngrok.http_request.res.body'] },
    [200, 'got 200 from https://users.internal/302', '200; GET http://localhost/there?x '],
  ],
  [
    'http-request',
    { url: 'https://users.internal/302-nowhere' },
    { show: ['actions.ngrok.http_request.res.status_code'] },
    [200, 'got 302 from https://users.internal/302-nowhere', '302'],
  ],
  [
    'http-request',
    { url: 'https://users.internal/299' },
    { show: ['actions.ngrok.http_request.res.status_code'] },
    [200, 'got 299 from https://users.internal/299', '299'],
  ],
  [
    'http-request',
    { url: 'https://users.internal/400' },
    { show: ['actions.ngrok.http_request.res.status_code'] },
    [200, 'got 400 from https://users.internal/400', '400'],
  ],
  [
    'http-request',
    { url: 'https://users.internal/large' },
    { show: ['actions.ngrok.http_request.res.status_code', 'size(actions.ngrok.http_request.res.body)'] },
    [200, 'got 200 from https://users.internal/large', '200; 262144'],
  ],
  [
    'http-request',
    { url: 'https://users.internal/too-large', on_error: 'halt' },
    {},
    [
      502,
      'failed: the body is larger than 262144 bytes',
      "ERR_NGROK_3601\nThe policy's request failed: response size exceeded.\n",
      { 'content-type': 'text/plain; charset=utf-8', 'ngrok-error-code': 'ERR_NGROK_3601' },
    ],
  ],
  [
    'http-request',
    { url: 'https://nobody.internal', on_error: 'halt' },
    {},
    [
      502,
      'failed: no internal endpoint is online at https://nobody.internal',
      'ERR_NGROK_3200\nNo endpoint is online at this URL.\n',
      { 'content-type': 'text/plain; charset=utf-8', 'ngrok-error-code': 'ERR_NGROK_3200' },
    ],
  ],
]

test.each(VISITS)('The action %s with %j and a visit with %j: %j', async (type, config, visit, shown) => {
  expect(await visitWith(type, config, visit)).toEqual(shown)
})
