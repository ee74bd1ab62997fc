import { Account as AccountClass } from './account.ts'
import type { SandboxEnvironment } from './environment.ts'
import type { ObjectState, WorkerContext } from './objects.ts'
import { Turns } from './parts.ts'
import { Sandbox as SandboxClass } from './sandbox.ts'
import { WorkerProcess } from './worker.ts'
import type { WorkerEnvironment } from './worker-environment.ts'

export type { WorkerContext }

/**
 * A class of Durable Objects with SQL storage. Only the platform creates instances.
 *
 * @experimental
 */
export type ObjectClass = new (state: never, environment: never) => object

/**
 * A Worker, with the interface that the platform calls.
 *
 * @experimental
 */
export interface SandboxWorker {
  /**
   * Handles a request. The environment contains the bindings and variables of `examples/sandbox`. Without a context, request counts may not
   * be reported until the metrics are read.
   */
  fetch(request: Request, environment: object, context?: WorkerContext): Promise<Response>
}

/**
 * The state of the process. The platform creates each object from its class, so anything that objects share must be created here.
 */
const inProcess = new WorkerProcess()
const turns = new Turns()

/**
 * The class of sandboxes. Each object is a gateway that stores its state in the object's storage and runs due events with the object's
 * alarm.
 */
export const Sandbox: ObjectClass = class extends SandboxClass {
  constructor(state: ObjectState, environment: SandboxEnvironment) {
    super(state, environment, turns)
  }
}

/** The class of the single object with the names of all sandboxes. */
export const Account: ObjectClass = AccountClass

/** The Worker for shared sandboxes: `https://host/s/<name>/…`, and the account calls that create and remove them. */
const worker: SandboxWorker = {
  // The Worker checks the variables first.
  fetch: (request, environment, context) => inProcess.fetch(request, environment as WorkerEnvironment, context),
}
export default worker
