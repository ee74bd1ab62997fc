import type { AnyControl, ControlCall } from '../control/control.ts'
import { callErrorsOf } from '../control/control.ts'
import { controlCallsWith, controls } from '../controls.ts'
import { type Families, type Family, withRulesBefore } from '../operation/family.ts'
import { errorsOf, groupOf, isOperationOf, type Operation } from '../operation/operation.ts'
import { declared } from '../resources/declarations.ts'
import { type Dialect, standard } from '../resources/dialects.ts'
import { families as builtIn } from '../resources/index.ts'
import { documentationOf } from '../schema/documentation.ts'
import { CONTROL_KEY, CONTROL_TAG, controlPaths } from './controls.ts'
import { type OpenApiDocument, type PathItem, usedFrom, withSharedResponses } from './document.ts'
import { errorSchema, errorSchemas } from './errors.ts'
import { answerSchemas, bodySchemas, type Describing, describingOf, operationItem } from './operations.ts'

export type { OpenApiDocument } from './document.ts'

/** The options of {@link openApi}. */
export interface OpenApiOptions {
  /** Families of one's own, as `createGateway` takes them. */
  readonly families?: Readonly<Record<string, { readonly operations: object }>>
  /** The URL of the service. Default: the dialect's base URL. */
  readonly url?: string
}

/**
 * The OpenAPI 3.1 document of the service, and of the controls for tests.
 *
 * @example
 * ```ts
 * import { ngrok } from 'fauxgate'
 * import { openApi } from 'fauxgate/openapi'
 * const document = openApi(ngrok)
 * console.log(Object.keys(document.paths))
 * ```
 */
export function openApi(
  dialect: Dialect = standard,
  { families = {}, url = dialect.baseUrl }: OpenApiOptions = {},
): OpenApiDocument {
  // What users pass is what the kit made; their types need not say all of it.
  const all = Object.values<Family>(withRulesBefore({ ...builtIn, declared, ...(families as Families) }))
  const controlCalls = controlCallsWith(families as Families) // As above.
  const operations = all
    .flatMap((family) => Object.values<Operation>(family.operations))
    .filter((operation) => isOperationOf(dialect, operation))
  const records = [...all, ...statesOf(operations)].flatMap(({ collections }) => collections)
  const ofKeys = all.flatMap(({ apiKeys }) => apiKeys?.errors ?? [])
  const errorsOfOperation = (operation: Operation) => [...errorsOf(operation), ...ofKeys]
  const errorsOfCall = (call: ControlCall) => callErrorsOf(call, records)
  const errors = [...new Set([...operations.flatMap(errorsOfOperation), ...controlCalls.flatMap(errorsOfCall)])]
  const bodies = operations.flatMap(({ body }) => body ?? [])
  const answers = operations.flatMap(({ response }) => response ?? [])
  const describing = describingOf(
    [...bodies, ...controlCalls.flatMap(({ from, schema }) => (schema && from === 'body' ? schema : []))],
    [...answers, ...controlCalls.flatMap(({ answer }) => answer ?? [])],
    dialect,
  )
  const { paths, responses } = withSharedResponses({
    ...pathsOf(operations, describing, errorsOfOperation),
    ...controlPaths(controlCalls, describing, errorsOfCall),
  })
  const schemas = {
    Error: errorSchema(dialect),
    ...answerSchemas(describing),
    ...bodySchemas(operations, describing),
    ...errorSchemas(errors, dialect),
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `Tunnel gateway management API (${dialect.name})`,
      version: '2',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url, description: 'The base URL of the service; a served gateway has its own.' }],
    tags: [...tagsOf(operations), CONTROL_TAG],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The API key: any text that is not empty, unless the gateway has keys of its own.',
        },
        controlKey: CONTROL_KEY,
      },
      parameters: {
        version: {
          name: dialect.versionHeader,
          in: 'header',
          required: true,
          description: 'The version of the API.',
          schema: { type: 'string', enum: ['2'] },
        },
      },
      headers: {
        operationId: {
          description: 'The id of the request, which an error repeats.',
          schema: { type: 'string', pattern: '^op_[0-9A-Za-z]{27}$' },
        },
      },
      responses,
      schemas: usedFrom([paths, responses], schemas),
    },
  }
}

const DESCRIPTION = `A tunnel gateway's management API, as fauxgate emulates it. In a body, \`null\` stands for "not given".`

function pathsOf(
  operations: readonly Operation[],
  describing: Describing,
  errors: typeof errorsOf,
): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationItem(operation, describing, errors(operation)) }
  }
  return paths
}

function tagsOf(operations: readonly Operation[]): OpenApiDocument['tags'] {
  const groups = [...new Set(operations.map(groupOf))]
  return groups.map((name) => {
    const shown = operations.find((each) => groupOf(each) === name && each.response)?.response
    return { name, description: (shown && documentationOf(shown).sentence) ?? name }
  })
}

function statesOf(operations: readonly Operation[]): readonly Pick<Family, 'collections'>[] {
  return controls.flatMap(({ state }: AnyControl) => state?.({ operations, operationsAt: () => [] }) ?? [])
}
