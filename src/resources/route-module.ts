import * as v from 'valibot'
import { collection } from '../operation/collection.ts'
import { type ErrorsByKey, familyOf } from '../operation/family.ts'
import { operation, operationWithBody } from '../operation/operation.ts'
import type { Transaction } from '../operation/transaction.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { isIdOf } from '../schema/ids.ts'
import { rule } from '../schema/rule.ts'
import { withoutSecretFields } from '../schema/secret-fields.ts'
import { deepFreeze, type Frozen } from '../schema/values.ts'
import { errors as declarationErrors, requireRoute } from './declarations.ts'

interface ModuleRecord<Module> {
  readonly key: string
  readonly module: Module
}

/** The ids in the path of a route module. */
export interface RouteIds {
  /** The id of the HTTPS edge, which starts with `edghts_`. Refused as `id_unparsable`, `id_wrong_prefix`, `edge_not_found`. */
  readonly edge_id: string
  /** The id of the route on that edge, which starts with `edghtsrt_`. Refused as `id_unparsable`, `id_wrong_prefix`, `not_found`. */
  readonly id: string
}

/** The operations of every route module beside its `replace`. */
export interface RouteModule<Module> {
  /**
   * Get the module of a route: `GET`.
   * @throws GatewayError what ids are refused as.
   */
  get(ids: RouteIds): Module
  /**
   * Remove the module of a route: `DELETE`.
   * @throws GatewayError what ids are refused as.
   */
  delete(ids: RouteIds): void
}

/**
 * Declares a module of HTTPS edge routes: a singleton per route with replace, get and delete
 * (rules: route-modules#singletons). `body` is the schema of the PUT, `shape` that of its response.
 */
export function routeModule<
  Sent,
  Body,
  Shape extends v.GenericSchema<object>,
  Errors extends ErrorsByKey = Record<never, never>,
>(definition: {
  /** The operations' group, for example `circuit_breaker`. */
  name: string
  /** The last segment of the path. */
  segment: string
  what: string
  errors?: Errors
  body: v.GenericSchema<Sent, Body>
  shape: Shape
  /** Applies rules that go beyond one field, and returns the module to store. */
  moduleOf: (body: Body) => Frozen<v.InferOutput<Shape>>
}) {
  // Without errors, their type is that of none.
  const { name, segment, what, body, shape, moduleOf, errors = {} as Errors } = definition
  const path = `/edges/https/{edge_id}/routes/{id}/${segment}`
  type Stored = ModuleRecord<Frozen<v.InferOutput<Shape>>>
  const stored = v.object({ key: routeKey, module: v.pipe(body, v.transform(moduleOf)) })
  const withoutSecrets = withoutSecretFields<Frozen<v.InferOutput<Shape>>>(shape)
  const modules = collection<Stored>({
    name,
    key: (record) => record.key,
    // The type checker does not see through a schema that is a parameter.
    schema: stored as v.GenericSchema<unknown> as v.GenericSchema<unknown, Stored>,
    ...(withoutSecrets && {
      exported: (record, withSecrets) => (withSecrets ? record : { ...record, module: withoutSecrets(record.module) }),
    }),
  })
  const ids: { readonly [Name in keyof RouteIds]: string } = { edge_id: 'edghts', id: 'edghtsrt' }
  const operations = {
    replace: operationWithBody({
      name: `${name}.replace`,
      method: 'PUT',
      path,
      status: 200,
      summary: `Replace the ${what} module of a route`,
      ids,
      body,
      response: shape,
      errors: routeErrors,
      wrappable: true,
      run: (tx, route, sent) => tx.put(modules, { key: keyOf(tx, route), module: deepFreeze(moduleOf(sent)) }).module,
    }),
    get: operation({
      name: `${name}.get`,
      method: 'GET',
      path,
      status: 200,
      summary: `Get the ${what} module of a route`,
      ids,
      response: shape,
      errors: routeErrors,
      run: (tx, route) =>
        tx.get(modules, keyOf(tx, route))?.module ??
        refuse(general.not_found, { what: `${what} module on the route`, received: route.id }, route),
    }),
    delete: operation({
      name: `${name}.delete`,
      method: 'DELETE',
      path,
      status: 204,
      summary: `Remove the ${what} module of a route`,
      ids,
      errors: routeErrors,
      run(tx, route) {
        const record = tx.get(modules, keyOf(tx, route))
        if (record) tx.remove(modules, record)
      },
    }),
  }
  return familyOf({ operations, errors, collections: [modules] })
}

const routeKey = v.pipe(
  v.string(),
  rule([], (key, report) => {
    const [edge_id = '', id = '', ...rest] = key.split('/')
    const isKey = isIdOf(edge_id, 'edghts_') && isIdOf(id, 'edghtsrt_') && rest.length === 0
    if (!isKey) report(general.field_invalid, { allowed: 'the ids of an edge and its route, with a slash between' })
  }),
)

const routeErrors = [declarationErrors.edge_not_found, general.not_found]

function keyOf(tx: Transaction, { edge_id, id }: RouteIds): string {
  requireRoute(tx, edge_id, id)
  return `${edge_id}/${id}`
}
