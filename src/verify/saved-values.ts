import { fillRequest, findMissingName, type Step } from './step.ts'

/** The values that the steps of a scenario refer to, from the server and from the fresh gateway. */
export class SavedValues {
  readonly #server: Map<string, string>
  readonly #gateway: Map<string, string>
  /** The reasons why certain names have no values. */
  readonly #reasons = new Map<string, string>()

  /** Starts with values that are identical on both sides. */
  constructor(common: readonly (readonly [name: string, value: string])[] = []) {
    this.#server = new Map(common)
    this.#gateway = new Map(common)
  }

  save(name: string, ofServer: string, ofGateway: string): void {
    this.#server.set(name, ofServer)
    this.#gateway.set(name, ofGateway)
  }

  /** Records why names have no values. */
  noteMissing(names: readonly string[], reason: string): void {
    for (const name of names) if (!this.#server.has(name)) this.#reasons.set(name, reason)
  }

  /** Returns why a name in a step has no value, or undefined if all names have values. */
  reasonAgainst(step: Step): string | undefined {
    const missing = findMissingName(step, this.#server)
    return missing === undefined ? undefined : (this.#reasons.get(missing) ?? '')
  }

  /** Returns a step's request for one side. */
  requestTo(side: 'server' | 'gateway', step: Step) {
    return fillRequest(step, side === 'server' ? this.#server : this.#gateway)
  }
}
