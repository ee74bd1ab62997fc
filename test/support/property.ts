import fc from 'fast-check'

/** The seed of the properties, which a failure prints. Without it every run draws its own cases. */
const fixed = process.env.FAUXGATE_SEED

/** Returns the parameters of a property for `fc.assert`. */
export function propertyOptions<T>(parameters: fc.Parameters<T> = {}): fc.Parameters<T> {
  return fixed === undefined ? parameters : { seed: Number(fixed), ...parameters }
}

/** Returns a third of the cases of a slow property, or all where tests run on every version of Node. */
export function limitCases(all: number): number {
  return process.env.PROPERTY_CASES === 'all' ? all : Math.ceil(all / 3)
}

/** The first code point after the surrogates, and the number of surrogates. */
const [AFTER_SURROGATES, SURROGATES] = [0xe000, 0x800]

/** A character. fast-check's unit `binary` makes a table of all characters, which takes a second. */
export const anyCharacter = fc.nat(0x10ffff - SURROGATES).map(
  (number) => String.fromCodePoint(number < AFTER_SURROGATES - SURROGATES ? number : number + SURROGATES),
  (text) => {
    const [character, ...others] = String(text)
    const point = character?.codePointAt(0)
    if (point === undefined || others.length > 0) throw new Error('It is not one character.')
    return point < AFTER_SURROGATES ? point : point - SURROGATES
  },
)

/** A text of any characters. */
export const anyText = (maxLength: number) => fc.string({ unit: anyCharacter, maxLength })

/** Checks a property of fast-check. */
export function check<T>(property: fc.IProperty<T>, parameters: fc.Parameters<T> = {}): void {
  fc.assert(property, propertyOptions(parameters))
}

/** Checks an asynchronous property of fast-check. */
export async function checkAsync<T>(property: fc.IAsyncProperty<T>, parameters: fc.Parameters<T> = {}): Promise<void> {
  await fc.assert(property, propertyOptions(parameters))
}
