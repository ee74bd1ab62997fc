import { errors } from '../../control/explorations.ts'
import type { ExplorationHost } from '../../control/gateway-host.ts'
import { readClock, systemClock } from '../../core/engine/clock.ts'
import { createSecret } from '../../core/engine/random.ts'
import { refuse } from '../../core/schema/errors.ts'
import { quote } from '../../core/schema/text.ts'
import { refuseInvalidOptions } from '../../gateway/hosted-options.ts'
import type { ExplorationSettings, ExplorationStep, RunEnd } from '../../generated/controls.ts'
import type { Exploration, RunGateways } from './exploration.ts'

/** The real time after which an idle exploration is dropped, in ms. */
const FORGOTTEN_AFTER_MS = 3_600_000

/** The explorations of a server. */
export class Explorations implements ExplorationHost {
  readonly #gateways: RunGateways
  readonly #all = new Map<string, { readonly exploration: Exploration; usedAt: number }>()

  constructor(gateways: RunGateways) {
    this.#gateways = gateways
  }

  async start(settings: ExplorationSettings): Promise<string> {
    const { Exploration } = await import('./exploration.ts')
    const exploration = refuseInvalidOptions(
      errors.exploration_invalid,
      () => new Exploration(settings, this.#gateways),
    )
    const now = readClock(systemClock)
    for (const [id, { usedAt }] of this.#all) if (usedAt < now - FORGOTTEN_AFTER_MS) this.#drop(id)
    const id = createSecret().slice(0, 12)
    this.#all.set(id, { exploration, usedAt: now })
    return id
  }

  async next(id: string, signal: AbortSignal | undefined): Promise<ExplorationStep> {
    const found = this.#all.get(id) ?? refuse(errors.exploration_not_found, { id: quote(id) })
    found.usedAt = readClock(systemClock)
    const step = await found.exploration.next(signal)
    if (step.do === 'finish') this.#drop(id)
    return step
  }

  ended(end: RunEnd): void {
    // A call may outlive its exploration, which ends at a failed setup.
    this.#all.get(end.id)?.exploration.ended(end)
  }

  close(): void {
    for (const id of [...this.#all.keys()]) this.#drop(id)
  }

  #drop(id: string): void {
    void this.#all.get(id)?.exploration.close()
    this.#all.delete(id)
  }
}
