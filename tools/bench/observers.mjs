// Measures what is recorded for readers who may not come: the journal, captures of the agent, and reports that somebody reads.
import { createNgrok } from '../../dist/ngrok.js'
import { format, print, race } from './measure.mjs'

const APP = 'https://app.ngrok-free.app'
const HEADERS = { authorization: 'Bearer key', 'ngrok-version': '2' }

/** Returns a function that sends a request to the API of a new gateway. After each hundred, somebody reads a control. */
function requestOf(options, control) {
  const gateway = createNgrok({ seed: 'bench', ...options })
  const url = `${gateway.url}/reserved_addrs`
  return async (number) => {
    await gateway.fetch(url, { headers: HEADERS })
    if (control && number % 100 === 0) await (await gateway.fetch(`http://localhost/_fauxgate${control}`)).text()
  }
}

/** Returns a function that sends a request of a visitor to a new gateway. */
function visitOf(inspect) {
  const gateway = createNgrok({ seed: 'bench' })
  gateway.declare.tunnelSession({ endpoints: [{ url: APP, inspect }] })
  gateway.traffic.upstream(APP, () => new Response('hello'))
  return () => gateway.traffic.fetch(`${APP}/x`)
}

export async function benchObservers() {
  const requests = await race({
    none: requestOf({ journalSize: 0 }),
    'the journal': requestOf({}),
    'the journal, and a report after each 100': requestOf({}, '/report'),
    'the journal, and the list of likely mistakes after each 100': requestOf({}, '/troubles'),
  })
  print('GET /reserved_addrs without a journal, calls/s', format(requests.none))
  for (const [name, perSecond] of Object.entries(requests))
    if (name !== 'none') print(`… with ${name}: time as a ratio`, (requests.none / perSecond).toFixed(2))
  const visits = await race({ none: visitOf(false), captures: visitOf(true) })
  print('a visitor with its trace, without captures, calls/s', format(visits.none))
  print('… with captures: time as a ratio', (visits.none / visits.captures).toFixed(2))
}
