import { requireFunction } from '../../core/schema/arguments.ts'
import type { ViewedCollection } from '../../gateway/transport.ts'
import { COPY_NAMES } from './copy.ts'
import { Gateways } from './gateways.ts'
import type { Masks } from './masks.ts'
import { type ParsedSurvivalOptions, readSurvivalOptions } from './options.ts'
import type { Plan } from './record.ts'
import { Run } from './run.ts'
import type { Runner } from './runner.ts'
import type { CodeUnderTest, SurvivesOptions } from './types.ts'
import { requireHostTimers, World } from './world.ts'

/** Runs a function in this process, one run after the other, with the explorer's timers, dates, and random numbers. */
export class LocalRunner implements Runner {
  readonly options: ParsedSurvivalOptions
  readonly world: World
  readonly jobs = 1
  readonly isRepeatable = true
  readonly #code: CodeUnderTest
  readonly #gateways: Gateways
  #run: Run | undefined

  constructor(code: CodeUnderTest, options: SurvivesOptions) {
    requireFunction('code', code)
    this.#code = code
    this.options = readSurvivalOptions(options)
    requireHostTimers()
    this.world = new World(this.options.copies)
    this.#gateways = new Gateways(this.world, this.options)
  }

  get hints() {
    return {
      noRequests:
        `${this.world.describeOtherRequest()}Let it use the fetch that it receives, or the global fetch with the url that it ` +
        "receives. A client with its own HTTP stack needs the serve option. survives does not try failures of the agent's API: test them with " +
        "faults, such as gateway.faults.add({ agent: '/api/tunnels' }).",
      noFailures: ", and effects fail only with `restart: true` or `also: ['effect']`",
      unequal:
        'Use no random values, and create all state that the code keeps inside the function: a module-level cache or counter ' +
        'outlives a run.',
    }
  }

  get collections(): readonly ViewedCollection[] {
    return this.#gateways.collections
  }

  async open(): Promise<void> {
    const names = COPY_NAMES.slice(0, this.options.copies)
    await this.#gateways.serve(names, (name) => this.#run?.copies.find((copy) => copy.name === name))
    this.world.replaceGlobals()
  }

  async run(plan: Plan, masks: Masks): Promise<Run> {
    const { world, options } = this
    world.begin(plan.elsewhere)
    const gateway = this.#gateways.renew(plan.elsewhere !== undefined)
    this.#run = new Run(world, options, masks, gateway, plan, this.#gateways.urls)
    await this.#run.run(this.#code)
    return this.#run
  }

  async close(): Promise<void> {
    try {
      this.world.end()
    } finally {
      await this.#gateways.close()
    }
  }
}
