import { Turns } from '../../../src/sandbox/parts.ts'
import { Sandbox as AnySandbox } from '../../../src/sandbox/sandbox.ts'

export { Account, default } from '../../../src/sandbox/index.ts'

/** A move of the clock stops after three parts, so that a test need not work for 10 s. */
const turns = new Turns(3)

/** The sandboxes, whose moves may be only short. */
export class Sandbox extends AnySandbox {
  constructor(
    state: ConstructorParameters<typeof AnySandbox>[0],
    environment: ConstructorParameters<typeof AnySandbox>[1],
  ) {
    super(state, environment, turns)
  }
}
