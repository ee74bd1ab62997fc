import * as v from 'valibot'
import type { Engine } from '../../core/engine/engine.ts'
import type { SideRecords } from '../../core/engine/persistence/stored-records.ts'
import type { RecordChange } from '../../core/engine/records.ts'
import type { Change, Collection } from '../../core/operation/collection.ts'
import { describeReceived } from '../../core/schema/errors.ts'
import { suggestion } from '../../core/schema/nearest.ts'
import { createOptionError } from '../../core/schema/option-error.ts'
import { optionsOf, type SchemasOf, switchOption } from '../../core/schema/options.ts'
import { quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'

/** A resource that was created and not deleted. */
export interface Leftover {
  /** The family, as named in its operations, such as `reserved_domains`. */
  readonly family: string
  /** The resource's ID; for a route module, the IDs of the edge and the route, separated by a slash. */
  readonly id: string
}

/** A family's calls that create resources: `create` for lists, and `replace` for modules. */
type CreatingCalls = Readonly<Partial<Record<'create' | 'replace', (...args: unknown[]) => unknown>>>

/**
 * Creates a gateway's initial resources, with the rules that apply to any call. `atEntry` converts the error of a call to an error about
 * the entry. @throws TypeError with the entry; the error of `atEntry` if a rule rejects it
 */
export function applyInitial(
  direct: Readonly<Record<string, object>>,
  initial: object,
  atEntry: (error: unknown, entry: string) => unknown,
): void {
  const creatable = Object.entries<CreatingCalls>(direct).filter(([, { create, replace }]) => create ?? replace)
  const families = new Map(creatable)
  for (const [name, bodies] of Object.entries(initial)) {
    const calls = families.get(name)
    if (!calls) {
      const names = [...families.keys()]
      const hint = suggestion(name, names) || ` Allowed: ${names.join(', ')}.`
      throw initialError(`${quote(name)} is not a family in which resources can be created.${hint}`)
    }
    if (bodies === undefined) continue
    if (!Array.isArray(bodies)) throw initialError(`${name} is ${quote(bodies)}. Allowed: an array of bodies.`)
    // Each entry is checked before it is used.
    for (const [index, body] of (bodies as Record<string, unknown>[]).entries()) {
      const entry = `${name}[${index}]`
      if (!isObject(body))
        throw initialError(`the body is ${describeReceived(quote(body))}. Allowed: an object.`, entry)
      try {
        if (calls.create) calls.create(body)
        else calls.replace?.({ edge_id: body.edge_id, id: body.id }, body)
      } catch (error) {
        throw atEntry(error, entry)
      }
    }
  }
}

function initialError(text: string, entry?: string): TypeError {
  return createOptionError((nameOf) => `${nameOf(entry === undefined ? 'initial' : `initial.${entry}`)}: ${text}`)
}

/** The options for the resources that `leftovers` lists. */
export interface LeftoverOptions {
  /** False to omit resources that the test itself created, through the direct API or `declare`. Default: true. */
  readonly ofTest?: boolean
}

export const leftoverOptions = optionsOf({
  ofTest: v.optional(switchOption, true),
} satisfies SchemasOf<LeftoverOptions>)

/** The initial resources of a gateway, which are not leftovers. A store keeps their keys as side records. */
export class InitialRecords implements SideRecords {
  #keys: ReadonlySet<string> = new Set()
  /** The resources that the test itself created. */
  readonly #ofTest = new Set<string>()

  rows(): ReadonlyMap<string, object> {
    return new Map([...this.#keys].map((key) => [key, {}]))
  }

  load(rows: ReadonlyMap<string, object>): void {
    this.#keys = new Set(rows.keys())
  }

  /** Marks the current resources as initial. */
  take(engine: Engine, collections: readonly Collection<object>[]): void {
    this.#keys = new Set(listResources(engine, collections).map(formatKey))
  }

  /** Records the resources that a call by the test created. */
  addOfTest(changes: readonly (Change | RecordChange)[]): void {
    for (const { collection, key, before, after } of changes) {
      const family = typeof collection === 'string' ? collection : collection.name
      if (!before && after) this.#ofTest.add(formatKey({ family, id: idOf(after, key) }))
      else if (before && !after) this.#ofTest.delete(formatKey({ family, id: idOf(before, key) }))
    }
  }

  /** Drops recorded resources that no longer exist, because another resource can have the same ID after a reset or restore. */
  forgetMissing(engine: Engine, collections: readonly Collection<object>[]): void {
    const present = new Set(listResources(engine, collections).map(formatKey))
    for (const key of this.#ofTest) if (!present.has(key)) this.#ofTest.delete(key)
  }

  /** Returns the current resources except the initial ones, oldest first within each family. */
  leftovers(
    engine: Engine,
    collections: readonly Collection<object>[],
    { ofTest = true }: LeftoverOptions = {},
  ): Leftover[] {
    return listResources(engine, collections).filter((resource) => {
      const key = formatKey(resource)
      return !this.#keys.has(key) && (ofTest || !this.#ofTest.has(key))
    })
  }
}

const formatKey = ({ family, id }: Leftover) => `${family} ${id}`

const idOf = (record: object, key: string) => ('id' in record ? String(record.id) : key)

/** Lists the current resources, without automatic certificates, which are removed with their domains. */
function listResources(engine: Engine, collections: readonly Collection<object>[]): Leftover[] {
  engine.settle()
  const { records } = engine.state
  return collections.flatMap((each) =>
    [...records.table(each).newestFirst()]
      .filter((record) => !each.isAttached?.(record))
      .map((record) => ({ family: each.name, id: idOf(record, each.key(record)) }))
      .reverse(),
  )
}
