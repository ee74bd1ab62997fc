import fc from 'fast-check'

/** Every run draws its own cases, unless this variable names the seed that a failure has printed. */
const fixed = process.env.FAUXGATE_SEED

/** Checks a property of fast-check. A failure prints the seed. */
export function check<T>(property: fc.IProperty<T>, parameters: fc.Parameters<T> = {}): void {
  fc.assert(property, fixed === undefined ? parameters : { seed: Number(fixed), ...parameters })
}
