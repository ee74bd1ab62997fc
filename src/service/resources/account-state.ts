import { type Family, sectionReader } from '../../core/operation/family.ts'
import { type CatalogueError, declareErrors, entry, refuse } from '../../core/schema/errors.ts'
import { keysOf } from '../../core/schema/values.ts'

const BY_STATE = '(--account-state, option account.state)'
const BY_EDGES = '(--edges, option account.edges)'

export const stateErrors = declareErrors({
  account_without_api: entry(
    204,
    403,
    `The API key is valid, but its account is not allowed to use the API ${BY_STATE}.`,
  ),
  account_suspended: entry(205, 403, `The account is suspended ${BY_STATE}.`),
  account_unpaid: entry(247, 403, `The account is suspended until its invoice is paid ${BY_STATE}.`),
  owner_without_write: entry(
    635,
    403,
    `The owner of the API key does not have write access ${BY_STATE}. Use the key of a user who does.`,
  ),
  maintenance_read_only: entry(
    1500,
    503,
    `The service is under maintenance ${BY_STATE}. Nothing can be changed until it ends.`,
  ),
  maintenance: entry(1501, 503, `The service is under maintenance ${BY_STATE}. Try again later.`),
  configurations_ended: entry(
    1608,
    400,
    `Endpoint configurations have been discontinued ${BY_EDGES}. Use cloud endpoints instead.`,
  ),
  edges_ended: entry(7008, 400, `Edges have been discontinued ${BY_EDGES}. Use cloud endpoints instead.`),
  edges_read_only: entry(
    7196,
    400,
    `The account's edges are read-only, because edges have been discontinued ${BY_EDGES}.`,
  ),
})

/** The fields of an operation that a gate reads. */
interface Place {
  readonly method: string
  readonly path: string
}

/** An error, and the operations that it rejects. */
interface Gate {
  readonly error: CatalogueError<string, object>
  readonly refuses: (operation: Place) => boolean
}

const isAny = () => true
const isWrite: Gate['refuses'] = ({ method }) => method !== 'GET'
const isOfEdges: Gate['refuses'] = ({ path }) => path.startsWith('/edges/')
const isOfConfigurations: Gate['refuses'] = ({ path }) => path.startsWith('/endpoint_configurations')

/** The fields that bind an endpoint configuration. */
const isOfBindings: Gate['refuses'] = ({ method, path }) =>
  ['POST', 'PATCH'].includes(method) && /^\/reserved_(domains|addrs)(\/\{id\})?$/.test(path)

/** The account states in which requests fail. */
const STATES = {
  suspended: [{ error: stateErrors.account_suspended, refuses: isAny }],
  unpaid: [{ error: stateErrors.account_unpaid, refuses: isAny }],
  without_api: [{ error: stateErrors.account_without_api, refuses: isAny }],
  without_write: [{ error: stateErrors.owner_without_write, refuses: isAny }],
  maintenance: [{ error: stateErrors.maintenance, refuses: isAny }],
  maintenance_read_only: [{ error: stateErrors.maintenance_read_only, refuses: isWrite }],
} satisfies Readonly<Record<string, readonly Gate[]>>

/** The account states for edges and endpoint configurations, which were discontinued on 2025-12-31. */
const EDGES = {
  ended: [
    { error: stateErrors.edges_ended, refuses: isOfEdges },
    { error: stateErrors.configurations_ended, refuses: isOfConfigurations },
  ],
  read_only: [
    { error: stateErrors.edges_read_only, refuses: (each) => isWrite(each) && isOfEdges(each) },
    { error: stateErrors.configurations_ended, refuses: (each) => isWrite(each) && isOfConfigurations(each) },
  ],
} satisfies Readonly<Record<string, readonly Gate[]>>

export const ACCOUNT_STATES = keysOf(STATES)
export const EDGE_STATES = keysOf(EDGES)

const optionsOf = sectionReader<{
  readonly account?:
    | { readonly state?: keyof typeof STATES | undefined; readonly edges?: keyof typeof EDGES | undefined }
    | undefined
  readonly unknownActions: unknown
}>('unknownActions')

const GATES: readonly Gate[] = [...Object.values(STATES), ...Object.values(EDGES)].flat()

/** The state of the account, as a family without operations. Its rules reject requests (rules: account#states, account#edges). */
export const accountState: Family<Record<never, never>, typeof stateErrors> = {
  operations: {},
  errors: stateErrors,
  collections: [],
  requests: {
    listErrors(operation) {
      const errors = GATES.filter(({ refuses }) => refuses(operation)).map(({ error }) => error)
      return isOfBindings(operation) ? [...errors, stateErrors.configurations_ended] : errors
    },
    requirePermitted({ operation, options }) {
      const { state, edges } = optionsOf(options).account ?? {}
      const gates: readonly Gate[] = [...(state ? STATES[state] : []), ...(edges ? EDGES[edges] : [])]
      const gate = gates.find(({ refuses }) => refuses(operation))
      if (gate) refuse(gate.error, {})
    },
    /** Throws an error for a body that links an endpoint configuration after endpoint configurations were discontinued. */
    requirePermittedBody({ operation, options }, body) {
      if (optionsOf(options).account?.edges !== 'ended' || !isOfBindings(operation)) return
      const binds = Object.entries(Object(body)).some(([name, id]) => name.endsWith('endpoint_configuration_id') && id)
      if (binds) refuse(stateErrors.configurations_ended, {})
    },
  },
}
