import type { Event } from './arrivals.ts'
import type { Run } from './run.ts'

/** A change by PATCH or PUT whose values were still there at the end of the run without failures. */
export interface Change {
  readonly at: string
  /** The body that was sent. */
  readonly body: string
  /** The body's fields, each with its value as a text without ids, times and numbers. */
  readonly fields: readonly string[]
  readonly collection: string
  /** The number of records that have these values. */
  readonly count: number
}

type Rows = readonly (readonly [collection: string, fields: ReadonlySet<string>])[]

/** Returns the changes of the run without failures. */
export function changesOf(run: Run): readonly Change[] {
  const rows = rowsOf(run)
  const changes = new Map<string, Change>()
  for (const event of run.arrivals.events) {
    const body = bodyOf(event)
    if (!body) continue
    const fields = textsOf(JSON.parse(body))
    const [collection] = rows.find((row) => isIn(row, fields)) ?? []
    if (collection === undefined || fields.length === 0) continue
    const count = countIn(rows, collection, fields)
    changes.set(keyOf(event.at, fields), { at: event.at, body, fields, collection, count })
  }
  return [...changes.values()]
}

/** Describes a change that a run lacks. A run that made other changes with the same operation lacks nothing. */
export function missingChange(run: Run, changes: readonly Change[]): string | undefined {
  if (changes.length === 0) return undefined
  const rows = rowsOf(run)
  const known = new Set(changes.map(({ at, fields }) => keyOf(at, fields)))
  const others = run.arrivals.events.flatMap((event) => {
    const body = bodyOf(event)
    return body && !known.has(keyOf(event.at, textsOf(JSON.parse(body)))) ? [event.at] : []
  })
  for (const { at, body, fields, collection, count } of changes) {
    const actual = countIn(rows, collection, fields)
    if (actual >= count || others.includes(at)) continue
    return `${actual === 0 ? 'no' : actual} ${collection} with ${body} where ${count} ${count === 1 ? 'is' : 'are'} wanted`
  }
  return undefined
}

const keyOf = (at: string, fields: readonly string[]) => `${at} ${fields.join()}`

/** Returns the body of a PATCH or PUT that has changed something. */
function bodyOf({ description, hasChanged }: Event): string | undefined {
  return hasChanged ? /^(?:PATCH|PUT) \S+ (\{.*\})$/s.exec(description)?.[1] : undefined
}

/** Returns the fields of an object as texts. Words with a digit become `#`: ids, times and numbers differ from run to run. */
function textsOf(record: object): string[] {
  return Object.entries(record).map(([name, value]) => `${name}:${JSON.stringify(value).replace(/\w*\d\w*/g, '#')}`)
}

function rowsOf({ gateway }: Run): Rows {
  const { records } = gateway.snapshot()
  return Object.entries<readonly object[]>(records).flatMap(([collection, all]) =>
    all.map((record) => [collection, new Set(textsOf(record))] as const),
  )
}

const isIn = ([, row]: Rows[number], fields: readonly string[]) => fields.every((field) => row.has(field))

function countIn(rows: Rows, collection: string, fields: readonly string[]): number {
  return rows.filter((row) => row[0] === collection && isIn(row, fields)).length
}
