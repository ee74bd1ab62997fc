import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { backendDeletion, backendErrors, backendHeading, declareBackend } from './backends.ts'
import { headersSchema } from './header-fields.ts'

/** The maximum length of a body in bytes. The service doesn't publish its own limit. */
const MAX_BODY_BYTES = 65_536

const errors = kit.declareErrors({
  response_body_too_large: parts.tooLong(6516),
  response_status_invalid: kit.field(6517, 400),
  response_header_invalid: kit.field(
    90442,
    400,
    'valid HTTP header names and values, each name only once, regardless of case',
  ),
})

const invalid = errors.response_header_invalid

const table = parts.columns(
  {
    ...backendHeading,
    name: 'http_response_backends',
    path: '/backends/http_response',
    prefix: 'bkdhr',
    what: 'HTTP response backend',
    tableFields: ['id', 'status_code', 'body'],
    errors: { ...backendErrors, ...errors },
    title: 'HttpResponseBackend',
    sentence: 'A backend that returns the same response to every request.',
    examples: [
      { body: 'Back soon.', headers: { 'content-type': 'text/plain' }, status_code: 503 },
      { status_code: 404 },
    ],
  },
  {
    body: parts.column({
      sent: v.unwrap(parts.textOfBytes(MAX_BODY_BYTES, errors.response_body_too_large, 'The response body.')),
      kept: kit.documented(v.string(), 'The response body.'),
      first: '',
    }),
    headers: parts.column({
      sent: kit.documented(
        headersSchema({ name: invalid, value: invalid, twice: invalid }),
        'The response headers. Names are stored in lowercase.',
        { json: { additionalProperties: { type: 'string' } }, rules: 'backends#http-responses' },
      ),
      shown: kit.documented(
        v.nullable(v.record(v.string(), v.string())),
        'The response headers, with lowercase names; null if there are none.',
      ),
      first: {},
      show: (headers) => (Object.keys(headers).length > 0 ? headers : null),
    }),
    status_code: parts.column({
      sent: kit.documented(
        v.pipe(kit.integerFrom(100, 599), kit.refusedAs(errors.response_status_invalid)),
        'The response status.',
        { rules: 'backends#http-responses' },
      ),
      shown: kit.documented(v.number(), 'The response status.'),
      first: 200,
    }),
  },
)

/** The HTTP response backends. */
export const responses = table.records

/** HTTP response backends (rules: backends#http-responses). */
export const httpResponseBackends = kit.resource(table.kind, {
  ...table.rules,
  create: { run: (tx, body) => tx.put(responses, declareBackend(tx, table.newRecord(tx, body))) },
  delete: backendDeletion,
})
