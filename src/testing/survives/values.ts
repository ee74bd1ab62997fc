import { cut, escapeUnprintable, formatPath, type Path, quote } from '../../core/schema/text.ts'
import { type Difference, valueAt } from './differences.ts'
import type { Ending, Row } from './ending.ts'

/** A difference between the values of a pair. */
export interface RowDifference extends Difference {
  readonly row: Row
  readonly other: Row
}

/** The number of characters to show before the first difference in long strings. */
const CONTEXT = 20

/** Describes a difference, such as `has metadata "free", expected "in use"`. Never shows a secret. */
export function describeValues(
  { path, row, other, found, wanted }: RowDifference,
  actual: Ending,
  expected: Ending,
): string {
  const name = formatPath(path)
  const [one, another] = [publicValue(row, actual, path), publicValue(other, expected, path)]
  const isHidden = one.isHidden || another.isHidden
  if (isHidden && JSON.stringify(one.value) === JSON.stringify(another.value))
    return `has a different secret in ${name}`
  const texts = isHidden ? showBoth(one.value, another.value) : showBoth(found, wanted)
  if (texts[0] === undefined) return `has no ${name}, expected ${texts[1]}`
  return `has ${name} ${texts[0]}, expected ${texts[1] ?? 'none'}`
}

/** Returns a value in the form shown in snapshots, and whether snapshots hide part of it. */
function publicValue({ collection, key, unmasked }: Row, ending: Ending, path: Path) {
  const records = ending.publicRecords()[collection.name] ?? []
  const value = valueAt(
    records.find((record) => collection.key(record) === key),
    path,
  )
  return { value, isHidden: JSON.stringify(value) !== JSON.stringify(valueAt(unmasked, path)) }
}

/** Formats two values. If long strings have a common prefix, shows the part that differs. */
function showBoth(found: unknown, wanted: unknown): readonly (string | undefined)[] {
  if (typeof found !== 'string' || typeof wanted !== 'string') return [show(found), show(wanted)]
  const end = [...found].findIndex((sign, place) => sign !== [...wanted][place])
  const start = (end < 0 ? found.length : end) - CONTEXT
  const shorten = (text: string) => (start > CONTEXT ? `…${text.slice(start)}` : text)
  return [quote(shorten(found)), quote(shorten(wanted))]
}

function show(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  return typeof value === 'object' ? cut(escapeUnprintable(JSON.stringify(value))) : quote(value)
}
