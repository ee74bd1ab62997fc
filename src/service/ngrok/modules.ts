import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { EDGE_PREFIXES, type EdgeKind } from './endpoint-records.ts'

/** An edge or route with modules. The names of module operations and schemas begin with its names. */
export interface Owner<Ids extends parts.PathIds = { readonly id: string }> extends parts.ModuleOwner<Ids> {
  /** The name used in operations, such as `tcp_edge`. */
  readonly name: string
  /** The name used in schemas, such as `TcpEdge`. */
  readonly title: string
}

/** Creates the owner of modules for a kind of edge. */
function edgeOwner(kind: EdgeKind, title: `${string}Edge`) {
  return {
    name: `${kind}_edge`,
    title,
    path: `/edges/${kind}/{id}`,
    ids: { id: EDGE_PREFIXES[kind] },
    what: `${kind.toUpperCase()} edge`,
  }
}

/** The kinds of edges, each as the owner of its modules. */
export const EDGES = {
  https: { ...edgeOwner('https', 'HttpsEdge'), article: 'an' },
  tcp: edgeOwner('tcp', 'TcpEdge'),
  tls: edgeOwner('tls', 'TlsEdge'),
} as const

export const ROUTES: Owner<(typeof parts.HTTPS_ROUTES)['ids']> = {
  ...parts.HTTPS_ROUTES,
  name: 'route',
  title: 'Route',
}

/** The names of a module. */
export interface ModuleNames {
  /** The last path segment, such as `ip_restriction`. */
  readonly segment: string
  /** The name used in schemas, such as `IpRestriction`. */
  readonly title: string
  /** The name used in messages, such as "IP restriction". */
  readonly what: string
}

interface Definition<
  Body extends v.GenericSchema<unknown, object>,
  Shape extends v.GenericSchema,
  Errors,
  Ids extends parts.PathIds,
> extends ModuleNames {
  readonly errors?: Errors
  /** The schema of the PUT body. */
  readonly body: Body
  /** An example of the PUT body. */
  readonly example: object
  /** The schema of the response. */
  readonly shape: Shape
  /** Creates the response from a body. */
  view(body: kit.Frozen<v.InferOutput<Body>>, wire: kit.Wire, ids: Ids): kit.Frozen<v.InferOutput<Shape>>
  /** The fields that reference other resources. Their IDs are checked before `check`. */
  readonly references?: readonly parts.ModuleReference<v.InferOutput<Body>>[]
  /** Checks a body against the rules that depend on the gateway's state. `before` is the body that it replaces. */
  check?(tx: kit.Transaction, body: v.InferOutput<Body>, before: v.InferOutput<Body> | undefined): void
}

/** Declares a module of edges or routes. */
export function defineModule<
  Ids extends parts.PathIds,
  Body extends v.GenericSchema<unknown, object>,
  Shape extends v.GenericSchema<object>,
  Errors extends parts.ErrorsByKey = Record<never, never>,
>(owner: Owner<Ids>, { title, body, example, ...rest }: Definition<Body, Shape, Errors, Ids>) {
  return parts.edgeModule<Ids, Body, Shape, Errors>(owner, {
    ...rest,
    name: `${owner.name}_${rest.segment}`,
    body: kit.named(body, `${owner.title}${title}Body`, `The new ${rest.what} settings.`, {
      json: { examples: [example] },
    }),
  })
}

/** The module families of one kind of edge or of routes, by field. */
type Modules<Ids extends parts.PathIds> = Readonly<
  Record<string, parts.HasModule<parts.EdgeModule<Ids, unknown, unknown, unknown>>>
>

type ModuleOf<Family> = Family extends parts.HasModule<infer Module> ? Module : never
type SentType<F> = ModuleOf<F> extends parts.EdgeModule<never, infer Sent, unknown, unknown> ? Sent : never
type BodyType<F> = ModuleOf<F> extends parts.EdgeModule<never, unknown, infer Body, unknown> ? Body : never
type ResourceType<F> = ModuleOf<F> extends parts.EdgeModule<never, unknown, unknown, infer Resource> ? Resource : never

/** The errors of all modules. */
type ErrorsOf<All> = {
  [Name in keyof All]: ModuleOf<All[Name]> extends { readonly errors: infer E } ? (errors: E) => void : never
}[keyof All] extends (errors: infer Together) => void
  ? Together
  : never

type Shown<All> = { [Name in keyof All]: kit.Frozen<ResourceType<All[Name]>> | null }

/** The parts that modules add to a resource: fields of bodies and responses, and errors. */
export interface ModuleFields<Ids, All> {
  /** The fields of a body. Each field replaces a module. */
  readonly body: {
    [Name in keyof All]: v.OptionalSchema<v.GenericSchema<SentType<All[Name]>, BodyType<All[Name]>>, undefined>
  }
  /** The fields of a response. A field is null if its module was never set. */
  readonly shape: { [Name in keyof All]: v.GenericSchema<unknown, ResourceType<All[Name]> | null> }
  /** The errors of all modules, by key. */
  readonly errors: ErrorsOf<All>
  /** The fields of a response if no module is set. */
  readonly none: Shown<All>
  /** Returns the fields of a response. */
  view(tx: kit.Transaction, ids: Ids): Shown<All>
  /** Replaces the modules in a body. */
  set(tx: kit.Transaction, ids: Ids, body: object): void
  /** Removes all modules. */
  remove(tx: kit.Transaction, ids: Ids): void
}

/** Creates the parts of a resource that has modules from the modules' families, keyed by field name. */
export function moduleFields<Ids extends parts.PathIds, const All extends Modules<Ids>>(
  families: All,
): ModuleFields<Ids, All>
export function moduleFields<Ids extends parts.PathIds>(families: Modules<Ids>): ModuleFields<Ids, object> {
  const all = Object.entries(families).map(([name, { module }]) => ({ name, module }))
  const each = <T>(make: (module: (typeof all)[number]) => T) =>
    Object.fromEntries(all.map((it) => [it.name, make(it)]))
  return {
    body: each(({ module }) => v.optional(module.body)),
    shape: each(({ name, module }) =>
      kit.documented(v.nullable(module.shape), `The \`${name}\` module; null if not set.`),
    ),
    errors: Object.assign({}, ...all.map(({ module }) => module.errors)),
    none: each(() => null),
    view: (tx, ids) => each(({ module }) => module.view(tx, ids)),
    set(tx, ids, body) {
      for (const { name, module } of all) {
        const sent: unknown = Reflect.get(body, name)
        if (sent !== undefined) module.set(tx, ids, sent, name)
      }
    },
    remove(tx, ids) {
      for (const { module } of all) module.remove(tx, ids)
    },
  }
}
