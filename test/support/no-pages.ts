import type { Pages as RealPages } from '../../src/sandbox/pages.ts'

/** Pages of the sandboxes, of which none exists: tests in this process have no build. */
export class Pages implements Pick<RealPages, 'respond'> {
  respond() {
    return undefined
  }
}
