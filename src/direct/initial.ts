import type { Engine } from '../engine/engine.ts'
import type { SideRecords } from '../engine/stored-records.ts'
import type { Families } from '../operation/family.ts'

/** What was created and not deleted. */
export interface Leftover {
  /** The family's operations, such as `reserved_domains`. */
  readonly family: string
  /** The resource's id; for a route module the ids of edge and route, with a slash between. */
  readonly id: string
}

/** Creates what a gateway begins with, by the same rules as any call. */
export function applyInitial(direct: object, initial: object | undefined): void {
  for (const [name, bodies] of Object.entries(initial ?? {})) {
    // Which calls there are is asked below.
    const calls = (direct as Record<string, Record<string, (...args: unknown[]) => unknown>>)[name]
    if (!calls || !Array.isArray(bodies)) {
      throw new TypeError(`initial.${name} cannot be created. Supported: arrays of bodies for ${familyNames(direct)}.`)
    }
    // Whether each is a body is for the rules to say.
    for (const [place, body] of (bodies as Record<string, unknown>[]).entries()) {
      namingEntry(`initial.${name}[${place}]`, () => {
        if (calls.create) calls.create(body)
        else calls.replace?.({ edge_id: body.edge_id, id: body.id }, body)
      })
    }
  }
}

/** Puts before the message of an error which entry it is about. */
function namingEntry(entry: string, create: () => void): void {
  try {
    create()
  } catch (error) {
    if (error instanceof Error) error.message = `${entry}: ${error.message}`
    throw error
  }
}

function familyNames(direct: object): string {
  return Object.keys(direct).join(', ')
}

/** Which resources there were at the beginning; a store keeps that too. */
export class Baseline implements SideRecords {
  /** The family and the id of each, with a space between. */
  keys: ReadonlySet<string> = new Set()

  rows(): ReadonlyMap<string, object> {
    return new Map([...this.keys].map((key) => [key, {}]))
  }

  readonly load = (rows: ReadonlyMap<string, object>): void => {
    this.keys = new Set(rows.keys())
  }
}

/** The keys of all resources, with their families. Automatic certificates go with their domains and do not count. */
export function presentKeys(engine: Engine, families: Families): ReadonlySet<string> {
  return new Set(leftoversOf(engine, families, new Set()).map(({ family, id }) => `${family} ${id}`))
}

/** The resources that are there and were not before, oldest first within their family. */
export function leftoversOf(engine: Engine, families: Families, before: ReadonlySet<string>): Leftover[] {
  const present = Object.values(families).flatMap(({ collections }) =>
    collections.flatMap((each) =>
      engine
        .all(each)
        .filter((record) => !each.isAttached?.(record))
        .map((record) => ({ family: each.name, id: each.key(record) })),
    ),
  )
  return present.filter(({ family, id }) => !before.has(`${family} ${id}`))
}
