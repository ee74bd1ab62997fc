import { onTestFinished } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'

/** Serves a gateway until the end of the test. */
export async function served<G extends Gateway>(gateway: G) {
  const server = await serve(gateway)
  onTestFinished(() => server.close())
  return { gateway, server, port: server.port, url: server.url }
}
