/** The end of a run: which copies have resolved, and all resources. */
export interface Outcome {
  readonly resolved: string
  /** True if all copies have run. */
  readonly isWhole: boolean
  readonly records: Readonly<Record<string, readonly object[]>>
  /** The bodies of all requests. */
  readonly bodies: readonly unknown[]
}

/** The resources of an outcome as texts, by family, sorted. Equal resources have equal texts. */
type Rows = ReadonlyMap<string, readonly string[]>

const ID = /\b([a-z]{1,12})_[0-9A-Za-z]{20,}/g
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z?|\b\d{10,13}\b/g

/** Compares outcomes by the values that requests have sent: ids, times and values that the service makes may differ. */
export class Comparison {
  readonly #names = new Set<string>()
  readonly #values = new Set<unknown>([null, true, false])

  /** @param isByContent false to compare only how many resources there are */
  constructor(outcomes: readonly Outcome[], isByContent: boolean) {
    if (isByContent) for (const body of outcomes.flatMap(({ bodies }) => bodies)) this.#add(body, this.#names)
  }

  /** Describes the first difference between two outcomes, as a part of a sentence; undefined if there is none. */
  differenceOf(actual: Outcome, expected: Outcome): string | undefined {
    const [rows, wanted] = [this.#rowsOf(actual), this.#rowsOf(expected)]
    const counts = countDifference(countRows(rows), countRows(wanted), 'left')
    if (counts) return counts
    for (const [family, texts] of rows) {
      const place = texts.findIndex((text, at) => text !== wanted.get(family)?.[at])
      if (place >= 0) return `${family} with ${texts[place]} where ${wanted.get(family)?.[place]} is left`
    }
    return undefined
  }

  #add(value: unknown, names?: Set<string>): void {
    this.#values.add(value)
    if (typeof value !== 'object' || value === null) return
    for (const [name, each] of Object.entries(value)) {
      names?.add(name)
      this.#add(each)
    }
  }

  #rowsOf({ records }: Outcome): Rows {
    const all = Object.values(records).flat()
    const plain = new Map(all.map((record) => [Reflect.get(record, 'id') as unknown, this.#textOf(record)])) // Any id.
    const textOf = (record: object) =>
      this.#textOf(record, (id, prefix) =>
        plain.has(id) ? `the ${prefix} with ${plain.get(id)}` : `a deleted ${prefix}`,
      )
    return new Map(Object.entries(records).map(([family, each]) => [family, each.map(textOf).sort()]))
  }

  /** @param label Returns the text for an id. Default: its prefix. */
  #textOf(record: object, label = (_id: string, prefix: string) => prefix): string {
    const sent = Object.entries(record).filter(([name]) => this.#names.has(name))
    const known = (_name: string, value: unknown) =>
      typeof value === 'object' || this.#values.has(value) ? value : undefined
    return JSON.stringify(Object.fromEntries(sent), known).replace(TIME, '#').replace(ID, label)
  }
}

const countRows = (rows: Rows) => new Map([...rows].map(([family, { length }]) => [family, length]))

/** Describes the first family of which there are more or fewer resources, such as `2 reserved_addrs where 1 is left`. */
export function countDifference(
  actual: ReadonlyMap<string, number>,
  expected: ReadonlyMap<string, number>,
  end: 'left' | 'wanted',
): string | undefined {
  for (const family of new Set([...expected.keys(), ...actual.keys()])) {
    const [count, other] = [actual.get(family) ?? 0, expected.get(family) ?? 0]
    if (count !== other)
      return `${count || 'no'} ${family} where ${other || 'none'} ${other === 1 ? 'is' : 'are'} ${end}`
  }
  return undefined
}

/** Reads the body of a request from its description; undefined if it has none or is no JSON. */
export function readBody(description: string): unknown {
  const start = description.indexOf(' {')
  if (start < 0) return undefined
  try {
    return JSON.parse(description.slice(start))
  } catch {
    return undefined
  }
}
