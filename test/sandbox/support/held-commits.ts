import { readClock, systemClock } from '../../../src/core/engine/clock.ts'
import worker from '../../../src/sandbox/index.ts'
import { Parts } from '../../../src/sandbox/parts.ts'

export { Account, Sandbox } from '../../../src/sandbox/index.ts'

let pauses = 0
let heldPause = Number.POSITIVE_INFINITY

// A pause would take 10 ms, in which a test cannot be sure to kill the process.
Parts.prototype.pauseInCommit = async () => {
  pauses++
  do await systemClock.waitUntil?.(readClock(systemClock) + 10)
  while (pauses >= heldPause)
}

/** The sandboxes. `POST /hold/3` holds commits in the third pause, and `GET /pauses` returns the number of pauses. */
export default {
  ...worker,
  fetch(...[request, ...rest]: Parameters<typeof worker.fetch>) {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/hold/')) heldPause = Number(pathname.slice('/hold/'.length))
    return /^\/(hold|pauses)/.test(pathname) ? Response.json(pauses) : worker.fetch(request, ...rest)
  },
}
