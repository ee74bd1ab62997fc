import * as v from 'valibot'
import { collection } from '../../core/operation/collection.ts'
import { type ErrorsByKey, familyOf } from '../../core/operation/family.ts'
import type { LimitsByName } from '../../core/operation/limit.ts'
import { operation, operationWithBody, type PathIds } from '../../core/operation/operation.ts'
import { type Reference, referenceOf, requireTargets } from '../../core/operation/reference.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import type { View, Wire } from '../../core/operation/view.ts'
import { prefixFields, refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { isIdOf } from '../../core/schema/ids.ts'
import { rule } from '../../core/schema/rule.ts'
import { deepFreeze, type Frozen } from '../../core/schema/values.ts'
import { errors as declarationErrors, requireEdge, requireRoute } from './declarations.ts'

interface ModuleRecord<Module> {
  readonly key: string
  readonly module: Module
}

/** The IDs in the path of a route module. */
export interface RouteIds {
  /** The ID of the HTTPS edge, which starts with `edghts_`. Errors: `id_unparsable`, `id_wrong_prefix`, or `edge_not_found`. */
  readonly edge_id: string
  /** The ID of the route on that edge, which starts with `edghtsrt_`. Errors: `id_unparsable`, `id_wrong_prefix`, or `not_found`. */
  readonly id: string
}

/** The operations `get` and `delete`, which every route module has. */
export interface RouteModule<Module> {
  /**
   * Gets the module of a route: `GET`.
   * @throws GatewayError if an ID is invalid or unknown.
   */
  get(ids: RouteIds): Module
  /**
   * Removes the module of a route: `DELETE`.
   * @throws GatewayError if an ID is invalid or unknown.
   */
  delete(ids: RouteIds): void
}

/** The edges or routes that can have a module: their path, and the prefixes of its IDs. */
export interface ModuleOwner<Ids extends PathIds> {
  /** The path of an owner, with the names of its IDs, such as `/edges/tcp/{id}`. */
  readonly path: string
  /** The prefix of each ID in the path. */
  readonly ids: Ids
  /** The name of an owner used in summaries, such as "TCP edge". */
  readonly what: string
  /** The article for `what`. Default: "a". */
  readonly article?: 'an'
}

/** The routes of HTTPS edges, as the owner of a module: see `edgeModule`. */
export const HTTPS_ROUTES: ModuleOwner<{ readonly [Name in keyof RouteIds]: string }> = {
  path: '/edges/https/{edge_id}/routes/{id}',
  ids: { edge_id: 'edghts', id: 'edghtsrt' },
  what: 'route',
}

interface ModuleDefinition<
  Body extends v.GenericSchema<unknown, object>,
  Shape extends v.GenericSchema<object>,
  Errors extends ErrorsByKey,
  Ids extends PathIds,
> {
  /** The name of the module in operation names, such as `circuit_breaker`. */
  readonly name: string
  /** The last path segment. */
  readonly segment: string
  readonly what: string
  readonly errors?: Errors
  /** The account limits that `check` reads. */
  readonly limits?: LimitsByName
  /** The schema of the PUT body. */
  readonly body: Body
  /** The schema of the response. */
  readonly shape: Shape
  /** Creates the response from a body and the IDs from its path. Default: the body itself. */
  view?(body: Frozen<v.InferOutput<Body>>, wire: Wire, ids: Ids): Frozen<v.InferOutput<Shape>>
  /** The fields that reference other resources. Their IDs are checked before `check` is called. */
  readonly references?: readonly ModuleReference<v.InferOutput<Body>>[]
  /** Throws an error for a body that breaks a rule that depends on the gateway's state. `before` is the previous body. */
  check?(tx: Transaction, body: v.InferOutput<Body>, before: v.InferOutput<Body> | undefined): void
}

/** A module field that references other resources. */
export type ModuleReference<Body = never> = Omit<
  Reference,
  'holder' | 'field' | 'sent' | 'ids' | 'deletion' | 'only'
> & {
  /** The name of the field in the body. */
  readonly sent: string
  readonly deletion: 'dangles'
  /** Returns the IDs in the body. Default: the field's string, or its list of strings. `check` then checks the IDs. */
  ids?(body: Body): readonly string[]
}

/** A module of an edge or a route, for a family that shows it as a field. */
export interface EdgeModule<Ids extends PathIds, Sent, Body, Resource, Errors extends ErrorsByKey = ErrorsByKey> {
  /** The schema of the body that replaces it. */
  readonly body: v.GenericSchema<Sent, Body>
  /** The schema of its response. */
  readonly shape: v.GenericSchema<unknown, Resource>
  /** The errors of the module. */
  readonly errors: Errors
  /** Returns the view of the module, or null if it was never set. */
  view(tx: Transaction, ids: Ids): Frozen<Resource> | null
  /** Replaces the module. Problems name fields inside `field`, the body field that contains the module. */
  set(tx: Transaction, ids: Ids, body: Body, field: string): void
  /** Removes the module, if it was set. */
  remove(tx: Transaction, ids: Ids): void
}

/** The family of a module. */
export interface HasModule<Module> {
  /** The module, for the families of the edges and routes that have it. */
  readonly module: Module
}

/** Declares a module of edges or routes. Each edge or route has one configuration, with the operations replace, get, and delete. */
export function edgeModule<
  Ids extends PathIds,
  Body extends v.GenericSchema<unknown, object>,
  Shape extends v.GenericSchema<object>,
  Errors extends ErrorsByKey = Record<never, never>,
>(owner: ModuleOwner<Ids>, definition: ModuleDefinition<Body, Shape, Errors, Ids>) {
  type Resource = Frozen<v.InferOutput<Shape>>
  type Module = ModuleRecord<v.InferOutput<Body>>
  // The type checker does not know that the default of Errors fits {}.
  const { name, segment, what, body, shape, check, errors = {} as Errors } = definition
  const { ids, what: place, article = 'a' } = owner
  // Other families' types contain the names of these limits, so this type doesn't.
  const limits: Record<never, never> = definition.limits ?? {}
  const stored = v.object({ key: keySchema(ids), module: body })
  const modules = collection<Module>({
    name,
    key: (record) => record.key,
    // The type checker can't see through a schema passed as a parameter.
    schema: stored as v.GenericSchema<unknown> as v.GenericSchema<unknown, Module>,
  })
  const { view } = definition
  const moduleView: View<Module, Resource> = ({ key, module }, wire) => {
    // Without a view, the response is the body.
    if (!view) return module as Resource
    // Records are frozen.
    return deepFreeze(view(module as Frozen<v.InferOutput<Body>>, wire, parseKey(key, ids)))
  }
  const references = (definition.references ?? []).map(({ ids: idsOf, ...row }) =>
    referenceOf(modules, {
      ...row,
      field: `module.${row.sent}`,
      ...(idsOf && { ids: ({ module }) => idsOf(module) }),
    }),
  )
  const put = (tx: Transaction, key: string, sent: v.InferOutput<Body>) => {
    const before = tx.get(modules, key)
    for (const row of references) if (!row.ids) requireTargets(tx, row, Reflect.get(sent, row.sent ?? ''), before)
    check?.(tx, sent, before?.module)
    return tx.put(modules, { key, module: deepFreeze(sent) })
  }
  const removeModule = (tx: Transaction, key: string) => {
    const record = tx.get(modules, key)
    if (record) tx.remove(modules, record)
  }
  const common = { path: `${owner.path}/${segment}`, ids, errors: routeErrors }
  const operations = {
    replace: operationWithBody({
      ...common,
      name: `${name}.replace`,
      method: 'PUT',
      status: 200,
      summary: `Replace the ${what} module of ${article} ${place}`,
      body,
      response: shape,
      errors: check || references.length > 0 ? [...routeErrors, ...Object.values(errors)] : routeErrors,
      wrappable: true,
      run: (tx, route, sent) => tx.show(moduleView, put(tx, requireKey(tx, route), sent)),
    }),
    get: operation({
      ...common,
      name: `${name}.get`,
      method: 'GET',
      status: 200,
      summary: `Get the ${what} module of ${article} ${place}`,
      nouns: { one: `${what} module`, many: `${what} modules`, owner: `${article} ${place}` },
      response: shape,
      run(tx, route) {
        const record = tx.get(modules, requireKey(tx, route))
        if (record) return tx.show(moduleView, record)
        return refuse(general.not_found, { what: `${what} module on the ${place}`, received: String(route.id) }, route)
      },
    }),
    delete: operation({
      ...common,
      name: `${name}.delete`,
      method: 'DELETE',
      status: 204,
      summary: `Remove the ${what} module of ${article} ${place}`,
      run: (tx, route) => removeModule(tx, requireKey(tx, route)),
    }),
  }
  const { edge_not_found } = declarationErrors
  const family = familyOf({
    operations,
    errors: { edge_not_found, ...errors },
    limits,
    collections: [modules],
    references,
  })
  const module: EdgeModule<Ids, v.InferInput<Body>, v.InferOutput<Body>, v.InferOutput<Shape>, Errors> = {
    body,
    // Same reason as above.
    shape: shape as v.GenericSchema<unknown, v.InferOutput<Shape>>,
    errors,
    view(tx, route) {
      const record = tx.get(modules, makeKey(route))
      return record ? tx.show(moduleView, record) : null
    },
    set: (tx, route, sent, field) => prefixFields(field, () => void put(tx, makeKey(route), sent)),
    remove: (tx, route) => removeModule(tx, makeKey(route)),
  }
  const withModule: typeof family & HasModule<typeof module> = { ...family, module }
  return withModule
}

/** Creates the schema of a key: either an edge ID, or an edge ID and a route ID. */
const keySchema = (ids: PathIds) =>
  v.pipe(
    v.string(),
    rule([], (key, report) => {
      const found = key.split('/')
      const prefixes = Object.values(ids)
      const isKey =
        found.length === prefixes.length && prefixes.every((prefix, at) => isIdOf(found[at] ?? '', `${prefix}_`))
      if (!isKey) report(general.field_invalid, { allowed: `IDs of ${prefixes.join(' and ')}, with a slash between` })
    }),
  )

const routeErrors = [declarationErrors.edge_not_found, general.not_found]

function requireKey(tx: Transaction, ids: PathIds): string {
  const { edge_id, id = '' } = ids
  if (edge_id === undefined) requireEdge(tx, id)
  else requireRoute(tx, edge_id, id)
  return makeKey(ids)
}

function makeKey({ edge_id, id = '' }: PathIds): string {
  return edge_id === undefined ? id : `${edge_id}/${id}`
}

/** Returns the IDs in a key, by their names in the path. */
function parseKey<Ids extends PathIds>(key: string, names: Ids): Ids {
  const found = key.split('/')
  // The key contains an id for each name, in the same order.
  return Object.fromEntries(Object.keys(names).map((name, at) => [name, found[at]])) as Ids
}
