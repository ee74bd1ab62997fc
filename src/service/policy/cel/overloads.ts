import { FUNCTIONS } from '../functions.ts'
import { BUILT_IN, type Implementation } from './built-in.ts'
import { type Charge, createCharges } from './charges.ts'
import { IMPLEMENTATIONS, OF_VISIT } from './functions.ts'
import type { CompilePattern } from './pattern.ts'
import { TYPES } from './types.ts'

/** A function for arguments of these types. The receiver of a method is the first argument. */
export interface Overload {
  readonly types: readonly string[]
  readonly run: Implementation
  /** True if the first argument contains the values of the visit. */
  readonly isOfVisit: boolean
  readonly charge: Charge | undefined
}

/** The functions in expressions, by name and number of arguments, such as `hash.md5/1`. The name of a method begins with a dot. */
export type Overloads = ReadonlyMap<string, readonly Overload[]>

/** Returns all functions. */
export function createOverloads(pattern: CompilePattern): Overloads {
  const found = new Map<string, Overload[]>()
  const matches = (text: string, source: string) => pattern(source).test(text)
  const all: Record<string, Implementation> = { ...BUILT_IN, 'string.matches(string)': matches }
  const own: Readonly<Record<string, Implementation>> = { ...IMPLEMENTATIONS, matches }
  for (const { name, signatures } of FUNCTIONS) {
    for (const signature of signatures) {
      const plain = signature.replace(/: .*$/, '').replace(/<.*?>/g, '')
      const run = all[plain] ?? own[name]
      if (!run) throw new Error(`The function ${name} has no implementation.`)
      all[plain] = run
    }
  }
  const charges = createCharges(pattern)
  for (const [signature, run] of Object.entries(all)) {
    const [, receiver, name = '', parameters = ''] = /^(?:([\w.]+)\.)?(\w+)\((.*)\)$/.exec(signature) ?? []
    const isMethod = receiver !== undefined && TYPES.has(receiver)
    const types = [...(isMethod ? [receiver] : []), ...parameters.split(', ').filter((type) => type !== '')]
    const whole = isMethod ? `.${name}` : receiver === undefined ? name : `${receiver}.${name}`
    const key = `${whole}/${types.length}`
    const overload = { types, run, isOfVisit: OF_VISIT.includes(whole), charge: charges.get(name) }
    found.set(key, [...(found.get(key) ?? []), overload])
  }
  return found
}
