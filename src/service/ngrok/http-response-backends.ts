import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { backendDeletion, backendErrors, backendTexts, createBackend } from './backends.ts'
import { headersSchema } from './header-fields.ts'
import { defineBodies, descriptionAndMetadata } from './shared.ts'

/** The longest body in bytes. The service has a limit too, but does not publish it. */
const MAX_BODY_BYTES = 65_536

const errors = kit.declareErrors({
  response_body_too_large: parts.tooLong(6516),
  response_status_invalid: kit.field(6517, 400),
  response_header_invalid: kit.field(
    90442,
    400,
    () => 'headers with the name and the value of an HTTP header, each name once, whatever its case',
  ),
})

const PATH = '/backends/http_response'

const invalid = errors.response_header_invalid
const body = parts.textOfBytes(MAX_BODY_BYTES, errors.response_body_too_large, 'The body of the response.')
const headers = kit.documented(
  headersSchema({ name: invalid, value: invalid, twice: invalid }),
  'The headers of the response. Names are stored in lower case.',
  { json: { additionalProperties: { type: 'string' } }, rules: 'backends#http-responses' },
)
const status_code = kit.documented(
  v.pipe(kit.integerFrom(100, 599), kit.refusedAs(errors.response_status_invalid)),
  'The status of the response.',
  { rules: 'backends#http-responses' },
)

const record = v.object({
  ...kit.recordHead('bkdhr', descriptionAndMetadata()),
  body: v.string(),
  headers,
  status_code,
})

type ResponseRecord = kit.Frozen<v.InferOutput<typeof record>>

/** The HTTP response backends. */
export const responses = kit.collection<ResponseRecord>({
  name: 'http_response_backends',
  schema: record,
})

const shape = kit.named(
  v.object({
    ...kit.resourceHead,
    body: kit.documented(v.string(), 'The body of the response.'),
    headers: kit.documented(
      v.nullable(v.record(v.string(), v.string())),
      'The headers of the response, with names in lower case; null if there are none.',
    ),
    status_code: kit.documented(v.number(), 'The status of the response.'),
  }),
  'HttpResponseBackend',
  'A backend that answers each request with the same response.',
)

const fields = { ...backendTexts, body, headers: v.optional(headers), status_code: v.optional(status_code) }

const bodies = defineBodies('HttpResponseBackend', 'an HTTP response backend', {
  create: fields,
  update: fields,
  examples: [{ body: 'Back soon.', headers: { 'content-type': 'text/plain' }, status_code: 503 }, { status_code: 404 }],
})

/** HTTP response backends (rules: backends#http-responses). */
export const httpResponseBackends = kit.resource(
  {
    name: 'http_response_backends',
    path: PATH,
    items: 'backends',
    prefix: 'bkdhr',
    what: 'HTTP response backend',
    article: 'an',
    filterable: [],
    errors: { ...backendErrors, ...errors },
    limits: kit.accountLimits({
      http_response_backends: { what: 'HTTP response backends', none: backendErrors.backends_not_allowed },
    }),
    collection: responses,
    shape,
    ...bodies,
  },
  {
    view: ({ body, headers, status_code, ...rest }, wire) => ({
      ...kit.viewHead(rest, wire, PATH),
      body,
      headers: Object.keys(headers).length > 0 ? headers : null,
      status_code,
    }),
    create: {
      run: (tx, { body = '', headers = {}, status_code = 200, ...rest }) =>
        createBackend(tx, responses, 'bkdhr', rest, { body, headers, status_code }),
    },
    update: {
      run(tx, before, { body = before.body, headers = before.headers, status_code = before.status_code, ...rest }) {
        return tx.put(responses, { ...before, ...kit.described(rest, before), body, headers, status_code })
      },
    },
    delete: backendDeletion,
  },
)
