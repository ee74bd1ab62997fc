import { Account as AccountOfSandboxes } from './account.ts'
import { Sandbox as OneSandbox } from './sandbox.ts'
import { sandboxWorker } from './worker.ts'

/** A class of Durable Objects with SQL storage. The platform alone makes its objects. */
export type ObjectClass = new (state: never, environment: never) => object

/** What the platform asks of a Worker. */
export interface SandboxWorker {
  /** Answers a request. The bindings and variables of the environment are those of `examples/sandbox`. */
  fetch(request: Request, environment: object): Promise<Response>
}

/** One sandbox each: a gateway whose store is the object's storage and whose agenda is the object's alarm. */
export const Sandbox: ObjectClass = OneSandbox

/** The names of all sandboxes: one object of it. */
export const Account: ObjectClass = AccountOfSandboxes

/** The Worker of shared sandboxes: `https://host/s/<name>/…`, and the account's calls that create and remove them. */
const worker: SandboxWorker = sandboxWorker()
export default worker
