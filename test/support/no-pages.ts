import type { Pages as RealPages } from '../../src/sandbox/pages.ts'

/** The pages of the sandboxes, none of which exists: tests in this process have no build. */
export class Pages implements Pick<RealPages, 'respond'> {
  respond() {
    return undefined
  }
}
