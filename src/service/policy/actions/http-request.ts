import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { headers, onError } from '../fields.ts'
import { sendWithRetries } from '../send.ts'
import { SECOND } from '../time.ts'
import { RECEIVED_RESPONSE, SENT_REQUEST } from '../variables.ts'

export const httpRequest = action({
  type: 'http-request',
  about: 'Sends a request to an internal endpoint. Later rules can read its response.',
  page: 'http-request',
  phases: ['on_http_request', 'on_http_response'],
  outcomes: ['succeeded', 'failed'],
  config: {
    url: { kind: 'text', format: 'url', takesCel: true, isRequired: true, about: 'The request URL.' },
    method: {
      kind: 'text',
      choices: ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS'],
      default: 'GET',
      about: 'The request method.',
    },
    query_params: {
      kind: 'list',
      max: 32,
      countNumber: 2244,
      takesCel: true,
      about: 'The parameters to add to the URL.',
      item: {
        kind: 'object',
        about: 'A parameter.',
        fields: {
          key: {
            kind: 'text',
            format: 'query-value',
            maxLength: 128,
            takesCel: true,
            isRequired: true,
            about: 'The name.',
          },
          value: { kind: 'text', format: 'query-value', maxLength: 8192, takesCel: true, about: 'The value.' },
        },
      },
    },
    headers: headers('The request headers.'),
    body: { kind: 'text', takesCel: true, about: 'The request body.' },
    max_redirects: { kind: 'integer', min: 0, max: 5, default: 0, about: 'The maximum number of redirects to follow.' },
    timeout: {
      kind: 'duration',
      min: SECOND,
      max: 30 * SECOND,
      default: '3s',
      about: 'How long the action may take, including all retries and redirects.',
    },
    retry_condition: {
      kind: 'expression',
      result: 'bool',
      scope: 'retry',
      about:
        'A CEL expression over `attempts` and `last_attempt`. If it is true after an attempt without a response ' +
        'or with a status of 400 or higher, the request is made again, up to 3 times.',
    },
    on_error: onError('continue'),
  },
  sets: {
    attempts: { type: 'list<Attempt>', about: 'The response of each attempt.' },
    req: SENT_REQUEST,
    res: RECEIVED_RESPONSE,
  },
  decisions: [DECISIONS.failedAttempt, DECISIONS.unfollowed],
  run: (config, visit) => sendWithRetries(config, visit),
})
