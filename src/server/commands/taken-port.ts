import { once } from 'node:events'
import { createServer } from 'node:net'
import { ask } from '../client/ask.ts'
import { hostInUrl } from '../serve.ts'

/** How many ports behind a taken one are tried. */
const MOST_TRIED = 20

/** Says of a taken port who answers there, and which port is free. */
export async function whoHasIt(host: string, port: number): Promise<string> {
  const url = `http://${hostInUrl(host)}:${port}`
  const free = await freePort(host, port)
  const choose = free === undefined ? 'Choose another one' : `Choose another one, such as --port ${free}`
  return `Port ${port} on ${host} is taken${await answererOf(url)}. ${choose}, or --port 0 for any free one.`
}

/** Who answers at a URL. */
async function answererOf(url: string): Promise<string> {
  try {
    const { status } = await ask({ url, timeout: 1000 }, 'GET', '/_fauxgate/clock')
    // A control key may be asked for.
    return [200, 401, 403].includes(status)
      ? `: a fauxgate runs there, which can be asked at ${url}`
      : ' by another web server'
  } catch {
    return ' by another program'
  }
}

async function freePort(host: string, taken: number): Promise<number | undefined> {
  for (let port = taken + 1; port <= Math.min(taken + MOST_TRIED, 65_535); port++) {
    const server = createServer()
    try {
      server.listen(port, host)
      await once(server, 'listening')
      return port
    } catch {
      // Taken too.
    } finally {
      server.close()
    }
  }
  return undefined
}
