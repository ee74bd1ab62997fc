import * as v from 'valibot'
import { CONTROL_PATH } from '../../control/address.ts'
import { type AnyControl, type ControlCall, listCallErrors } from '../../control/control.ts'
import { controlCallsWith, controls } from '../../control/controls.ts'
import { addRulesBefore, type Families, type Family } from '../../core/operation/family.ts'
import { errorsOf, groupOf, isOperationOf, type Operation } from '../../core/operation/operation.ts'
import { documentationOf } from '../../core/schema/documentation.ts'
import { isErrorOf } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { baseUrl, oneOfThese, optionsOf, readOptions } from '../../core/schema/options.ts'
import { mapValues } from '../../core/schema/values.ts'
import { accountState } from '../../service/resources/account-state.ts'
import { declared } from '../../service/resources/declarations.ts'
import { type Dialect, dialect as dialectOption, standard } from '../../service/resources/dialects.ts'
import { families as builtIn } from '../../service/resources/index.ts'
import { CONTROL_KEY, CONTROL_TAG, createCallItem } from './controls.ts'
import {
  type OpenApiDocument,
  type OperationItem,
  type Parameter,
  type PathItem,
  pickUsed,
  shareParts,
} from './document.ts'
import { createErrorExamples, createErrorSchema } from './errors.ts'
import { DocumentEvidence } from './evidence.ts'
import { withGatewayRequest } from './gateway-request.ts'
import { createBodySchemas, createConversions, createOperationItem, createResponseSchemas } from './operations.ts'
import { simplify } from './plain.ts'

export type { OpenApiDocument } from './document.ts'

/** The options for {@link openApi}. */
export interface OpenApiOptions {
  /** Your own families, as for `createGateway`. */
  readonly families?: Readonly<Record<string, { readonly operations: object }>>
  /** The URL of the service. Default: the dialect's base URL. */
  readonly url?: string
  /** The API to describe: the service, or fauxgate's test controls. Default: `service`. */
  readonly part?: 'service' | 'controls'
}

const openApiOptions = optionsOf({
  families: v.optional(
    v.custom<NonNullable<OpenApiOptions['families']>>(isFamilies, 'an object with families, by name'),
  ),
  url: v.optional(baseUrl),
  part: v.optional(oneOfThese(['service', 'controls'])),
})

function isFamilies(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((family) => typeof (family?.operations ?? undefined) === 'object')
}

/**
 * Returns the OpenAPI 3.1 document of the service or of the test controls.
 *
 * @example
 * ```ts
 * import { ngrok } from 'fauxgate'
 * import { openApi } from 'fauxgate/openapi'
 * const document = openApi(ngrok)
 * console.log(Object.keys(document.paths))
 * const controls = openApi(ngrok, { part: 'controls' })
 * console.log(Object.keys(controls.paths))
 * ```
 * @throws TypeError for an invalid dialect, an unknown option, or a value that is not allowed.
 */
export function openApi(dialect: Dialect = standard, options: OpenApiOptions = {}): OpenApiDocument {
  readOptions(dialectOption, dialect, { whole: 'dialect' })
  const { families = {}, url = dialect.baseUrl, part = 'service' } = readOptions(openApiOptions, options)
  // The kit created these families; the option's type omits most of their fields.
  const own = families as Families
  const all = Object.values<Family>(addRulesBefore({ ...builtIn, declared, ...own }))
  const { paths, errors, schemas, ...described } =
    part === 'controls' ? describeControls(own, all, dialect) : describeService(all, dialect)
  const shared = shareParts(paths)
  const evidence = new DocumentEvidence()
  const withEvidence = (operation: OperationItem) => ({
    ...operation,
    ...evidence.of('operations', operation.operationId),
  })
  const used = pickUsed(
    shared,
    mapValues({ Error: createErrorSchema(dialect, errors), ...schemas }, (json) => simplify(json)),
  )
  return {
    openapi: '3.1.0',
    info: {
      ...described.info,
      version: '2',
      contact: { name: 'fauxgate', url: 'https://github.com/fauxgate/fauxgate' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url, description: 'The base URL of the service; a gateway that is served has its own.' }],
    tags: described.tags,
    security: described.security,
    paths: mapValues(shared.paths, (path) => mapValues(path, withEvidence)),
    components: {
      securitySchemes: described.securitySchemes,
      parameters: { ...described.parameters, ...shared.parameters },
      headers: {
        operationId: {
          description: 'The ID of the request, which an error repeats.',
          schema: { type: 'string', pattern: '^op_[0-9A-Za-z]{27}$' },
        },
      },
      examples: mapValues(createErrorExamples([...new Set(errors)], dialect), (example, key) => ({
        ...example,
        ...evidence.of('errors', key),
      })),
      responses: shared.responses,
      schemas: mapValues(used, (json, name) => ({
        ...json,
        // A schema with two names in the document has the title of one of them, and generators derive type names from titles.
        ...(json.title !== undefined && { title: name }),
        ...evidence.ofFields(name.replace(/Body$/, '')),
      })),
    },
    'x-fauxgate-sources': evidence.sources,
  }
}

/** Returns the parts of a document that are specific to the service. */
function describeService(families: readonly Family[], dialect: Dialect) {
  const operations = listOperations(families, dialect)
  const ofKeys = families.flatMap(({ apiKeys }) => apiKeys?.errors ?? [])
  const rules = [...families, accountState].flatMap(({ requests }) => requests ?? [])
  const errorsOfOperation = (operation: Operation) =>
    [
      ...errorsOf(operation, dialect),
      ...rules.flatMap((each) => each.listErrors(operation)),
      ...ofKeys,
      ...CONNECTION_ERRORS,
    ].filter((error) => isErrorOf(dialect, error))
  const bodies = operations.flatMap(({ body }) => body ?? [])
  const responses = operations.flatMap(({ response }) => response ?? [])
  const conversions = createConversions(bodies, responses, dialect)
  return {
    info: { title: `Tunnel gateway management API (${dialect.name})`, description: DESCRIPTION },
    tags: createTags(operations),
    security: [{ apiKey: [] }],
    paths: createPaths(operations, (operation) =>
      createOperationItem(operation, conversions, errorsOfOperation(operation)),
    ),
    securitySchemes: { apiKey: API_KEY },
    parameters: { version: createVersionParameter(dialect) },
    schemas: { ...createResponseSchemas(conversions), ...createBodySchemas(operations, conversions) },
    errors: operations.flatMap(errorsOfOperation),
  }
}

function createVersionParameter({ versionHeader }: Dialect): Parameter {
  return {
    name: versionHeader,
    in: 'header',
    required: true,
    description: 'The version of the API.',
    schema: { type: 'string', enum: ['2'] },
  }
}

function describeControls(own: Families, families: readonly Family[], dialect: Dialect) {
  const calls = controlCallsWith(own).map(withGatewayRequest)
  const records = [...families, ...listStates(listOperations(families, dialect))].flatMap(
    ({ collections }) => collections,
  )
  const errorsOfCall = (call: ControlCall) =>
    [...listCallErrors(call, records), ...CONNECTION_ERRORS].filter((error) => isErrorOf(dialect, error))
  const bodies = calls.flatMap(({ from, schema }) => (schema && from === 'body' ? schema : []))
  const responses = calls.flatMap(({ response }) => response ?? [])
  const conversions = createConversions(bodies, responses, dialect)
  return {
    info: { title: `fauxgate test controls (${dialect.name})`, description: CONTROL_TAG.description },
    tags: [CONTROL_TAG],
    security: [{}, { controlKey: [] }],
    paths: createPaths(calls, (call) => createCallItem(call, conversions, errorsOfCall(call)), CONTROL_PATH),
    securitySchemes: { controlKey: CONTROL_KEY },
    parameters: {},
    schemas: { ...createResponseSchemas(conversions), ...createBodySchemas([], conversions) },
    errors: calls.flatMap(errorsOfCall),
  }
}

const DESCRIPTION = `A tunnel gateway's management API, as emulated by fauxgate. In a body, \`null\` means "not given".`

const API_KEY = {
  type: 'http',
  scheme: 'bearer',
  description: 'The API key: any non-empty string, unless the gateway has its own keys.',
}

/** The errors that a server returns before it knows the operation, or when the server itself fails. */
const CONNECTION_ERRORS = [
  general.request_malformed,
  general.caller_forbidden,
  general.request_timeout,
  general.request_head_too_large,
  general.transfer_encoding_unknown,
  general.http_version_unknown,
  general.internal_failure,
]

function listOperations(families: readonly Family[], dialect: Dialect): readonly Operation[] {
  return families
    .flatMap(({ operations }) => Object.values<Operation>(operations))
    .filter((operation) => isOperationOf(dialect, operation))
}

function createPaths<Call extends { readonly path: string; readonly method: string }>(
  calls: readonly Call[],
  itemOf: (call: Call) => OperationItem,
  base = '',
): OpenApiDocument['paths'] {
  const paths: Record<string, PathItem> = {}
  for (const call of calls) {
    const path = base + call.path
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: itemOf(call) }
  }
  return paths
}

function createTags(operations: readonly Operation[]): OpenApiDocument['tags'] {
  const groups = [...new Set(operations.map(groupOf))]
  return groups.map((name) => {
    const response = operations.find((each) => groupOf(each) === name && each.response)?.response
    return { name, description: (response && documentationOf(response).sentence) ?? name }
  })
}

function listStates(operations: readonly Operation[]): readonly Pick<Family, 'collections'>[] {
  return controls.flatMap(({ state }: AnyControl) => state?.({ operations, routeAt: () => undefined }) ?? [])
}
