import type { Api } from '../control/control.ts'
import { controlCallsWith, controlErrors, controls } from '../control/controls.ts'
import { reservedDeclarations } from '../control/declare.ts'
import { FAULT_PREFIX } from '../control/faults/fault.ts'
import { snapshotReader } from '../control/snapshot.ts'
import { account, createLimitTable } from '../core/operation/account.ts'
import { addRulesBefore, type Families, type Family } from '../core/operation/family.ts'
import { isOperationOf } from '../core/operation/operation.ts'
import { createCatalogue } from '../core/schema/catalogue.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import { general } from '../core/schema/general-errors.ts'
import { OPERATION_PREFIX } from '../core/schema/ids.ts'
import { SecretNames } from '../core/schema/secret-fields.ts'
import { requireCompatibleFamilies } from '../service/kit/compatible-families.ts'
import { accountState } from '../service/resources/account-state.ts'
import { declared, declaredPrefixes } from '../service/resources/declarations.ts'
import { families } from '../service/resources/index.ts'
import { isNgrokOperation } from '../service/resources/ngrok-paths.ts'
import { createRouter } from './http/router.ts'

/** Everything derived from a gateway's families and controls. */
export type GatewayTable = ReturnType<typeof createTable>

/** The names that a test's own families cannot use: ID prefixes and names of declarations. */
const RESERVED = { prefixes: [OPERATION_PREFIX, FAULT_PREFIX, ...declaredPrefixes], declarations: reservedDeclarations }

/** The families of a gateway without additional families. */
const NONE: Families = Object.freeze({})

/** Caches tables by families and by the operations that a dialect adds. Tables depend on nothing else, and never change. */
const tables = new WeakMap<Families, Map<string, GatewayTable>>()

/**
 * Returns the table of the built-in families and the test's own families, with the dialect's operations.
 * @throws TypeError if one of the test's own families conflicts with the others.
 */
export function tableOf(dialect: CommonDialect, own: Families = NONE): GatewayTable {
  const extras = dialect.extraOperations.join(' ')
  const byExtras = tables.get(own) ?? new Map<string, GatewayTable>()
  const cached = byExtras.get(extras)
  if (cached) return cached
  requireCompatibleFamilies(own, families, RESERVED)
  const table = createTable(dialect, own)
  tables.set(own, byExtras.set(extras, table))
  return table
}

function createTable(dialect: CommonDialect, own: Families) {
  const all = addRulesBefore({ ...families, ...own })
  const operations = Object.values<Family>(all)
    .flatMap((family) => Object.values(family.operations))
    .filter((operation) => isOperationOf(dialect, operation))
  const router = createRouter(operations)
  const api: Api = { operations, routeAt: router.find }
  const states = controls.flatMap(({ state }) => (state ? { operations: {}, errors: {}, ...state(api) } : []))
  // All parts with collections: the families, and those without operations.
  const stateful: readonly Family[] = [...Object.values<Family>(all), declared, account, accountState, ...states]
  // Finding the names reads every schema, which takes longer than creating a gateway.
  const secretNames = new WeakMap<CommonDialect['fieldAliases'], SecretNames>()
  return {
    families: all,
    /** The operations of families that are neither fauxgate's nor ngrok's. */
    ownOperations: Object.values(own)
      .flatMap(({ operations }) => Object.values(operations).map(({ name }) => name))
      .filter((name) => !isNgrokOperation(name)),
    collections: Object.freeze(Object.values<Family>(all).flatMap((family) => family.collections)),
    stateful,
    api,
    router,
    controlRouter: createRouter(controlCallsWith(all)),
    catalogue: createCatalogue([general, ...stateful.map(({ errors }) => errors), ...controlErrors]),
    limits: createLimitTable(stateful),
    requestRules: stateful.flatMap(({ requests }) => requests ?? []),
    keyRules: stateful.flatMap(({ apiKeys }) => apiKeys ?? []),
    readSnapshot: snapshotReader(stateful.flatMap(({ collections }) => collections)),
    secretNamesFor({ fieldAliases }: CommonDialect): SecretNames {
      const names = secretNames.get(fieldAliases) ?? new SecretNames(operations, fieldAliases)
      secretNames.set(fieldAliases, names)
      return names
    },
  }
}
