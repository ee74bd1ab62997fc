import type { Engine } from '../engine/engine.ts'
import type { SideRecords } from '../engine/persistence/stored-records.ts'
import type { Collection } from '../operation/collection.ts'
import { suggestion } from '../schema/nearest.ts'
import { requireObject } from '../schema/options.ts'
import { quote, THE_BODY } from '../schema/text.ts'

/** A resource that was created and not deleted. */
export interface Leftover {
  /** The family's operations, such as `reserved_domains`. */
  readonly family: string
  /** The resource's id; for a route module the ids of edge and route, with a slash between. */
  readonly id: string
}

/** Creates the initial resources of a gateway, by the same rules as any call. Errors name the entry. */
export function applyInitial(direct: object, initial: object): void {
  for (const [name, bodies] of Object.entries(initial)) {
    // The next lines refuse a name that the direct API does not have.
    const calls = (direct as Record<string, Record<string, (...args: unknown[]) => unknown>>)[name]
    if (!calls) {
      const names = Object.keys(direct)
      const meant = suggestion(name, names) || ` Allowed: ${names.join(', ')}.`
      throw new TypeError(`initial: ${quote(name)} is not a family.${meant}`)
    }
    if (!Array.isArray(bodies))
      throw new TypeError(`initial: ${name} is ${quote(bodies)}. Allowed: an array of bodies.`)
    // Each entry is checked before it is used.
    for (const [place, body] of (bodies as Record<string, unknown>[]).entries()) {
      try {
        requireObject(THE_BODY, body)
        if (calls.create) calls.create(body)
        else calls.replace?.({ edge_id: body.edge_id, id: body.id }, body)
      } catch (error) {
        if (error instanceof Error) error.message = `initial.${name}[${place}]: ${error.message}`
        throw error
      }
    }
  }
}

/** The initial resources of a gateway, which are not leftovers. A store keeps their keys as side records. */
export class Baseline implements SideRecords {
  #keys: ReadonlySet<string> = new Set()

  rows(): ReadonlyMap<string, object> {
    return new Map([...this.#keys].map((key) => [key, {}]))
  }

  load(rows: ReadonlyMap<string, object>): void {
    this.#keys = new Set(rows.keys())
  }

  take(engine: Engine, collections: readonly Collection<object>[]): void {
    this.#keys = new Set(listResources(engine, collections).map(formatKey))
  }

  /** Returns the resources that exist now and are no initial ones, oldest first within their family. */
  leftovers(engine: Engine, collections: readonly Collection<object>[]): Leftover[] {
    return listResources(engine, collections).filter((resource) => !this.#keys.has(formatKey(resource)))
  }
}

const formatKey = ({ family, id }: Leftover) => `${family} ${id}`

/** Lists the resources that exist now. It omits automatic certificates, which are removed with their domains. */
function listResources(engine: Engine, collections: readonly Collection<object>[]): Leftover[] {
  engine.settle()
  const { records } = engine.state
  return collections.flatMap((each) =>
    [...records.table(each).newestFirst()]
      .filter((record) => !each.isAttached?.(record))
      .map((record) => ({ family: each.name, id: each.key(record) }))
      .reverse(),
  )
}
