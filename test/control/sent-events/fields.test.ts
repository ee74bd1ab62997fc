import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { EVENT_TYPES } from '../../../src/service/ngrok/event-types.ts'
import documented from '../../../tools/evidence/event-fields.json'
import { CLOCK_START } from '../../support/clock.ts'

const TRAFFIC: Readonly<Record<string, Readonly<Record<string, boolean>>>> = documented.traffic
const URL = 'https://app.ngrok.app'

/** The fields that a source could name: the documented ones, those of resources, and one that no event has. */
const NAMES = [
  ...new Set([...Object.values(TRAFFIC).flatMap((fields) => Object.keys(fields)), ...documented.session]),
  ...['id', 'uri', 'name', 'created_at', 'conn', 'no_such_field'],
]

function openGateway(types: readonly string[] = []) {
  const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START) })
  const destination = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
  const sources = types.map((type) => ({ type }))
  const { id } = gateway.eventSubscriptions.create({ sources, destination_ids: [destination.id] })
  return { gateway, id }
}

/** Lists the paths of the fields of an object. Maps of headers, lists and null have none below. */
function listPaths(object: object, path = ''): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const isLeaf = typeof value !== 'object' || value === null || Array.isArray(value) || name === 'headers'
    return isLeaf ? [path + name] : listPaths(value, `${path + name}.`)
  })
}

describe('The fields of events (rules: events#filters)', () => {
  test('there are 55 types, of which the two of traffic have fields for sources', () => {
    expect(EVENT_TYPES).toHaveLength(55)
    expect(EVENT_TYPES.filter((type) => type in TRAFFIC)).toEqual(Object.keys(TRAFFIC))
  })

  test.each(EVENT_TYPES)('%s: its sources select and filter by the documented fields, and by no other', (type) => {
    const { gateway, id } = openGateway()
    const takes = (settings: object) => {
      try {
        gateway.declare.eventSource({ subscription_id: id, type, ...settings })
        return true
      } catch (error) {
        // A type without settings says so; the others list what is allowed.
        const allowed =
          type in TRAFFIC ? /Allowed: (a CEL condition over|some of) / : /Allowed: none, because .* has no f/
        expect(String(error)).toMatch(allowed)
        return false
      }
    }
    const fields = TRAFFIC[type] ?? {}
    expect(NAMES.filter((name) => takes({ fields: [name] })).sort()).toEqual(Object.keys(fields).sort())
    const filterable = Object.keys(fields).filter((name) => fields[name])
    // `conn` is the owner of fields that filters can name.
    const passed = NAMES.filter((name) => name !== 'conn' && takes({ filter: `ev.${name} == ev.${name}` }))
    expect(passed.sort()).toEqual(filterable.sort())
    expect([takes({ filter: 'true' }), takes({ fields: [] })]).toEqual([type in TRAFFIC, type in TRAFFIC])
  })

  test.each(Object.keys(TRAFFIC))('%s has every documented field, and no other', async (type) => {
    const { gateway } = openGateway([type])
    gateway.declare.tunnelSession({ endpoints: [{ url: URL }] })
    await gateway.traffic.fetch(URL)
    const [event] = gateway.sentEvents.list()
    expect(listPaths(event?.object ?? {}).sort()).toEqual(Object.keys(TRAFFIC[type] ?? {}).sort())
  })

  test.each(['agent_session_start.v0', 'agent_session_stop.v0'])('%s has every documented field', (type) => {
    const { gateway } = openGateway([type])
    gateway.declare.end(gateway.declare.tunnelSession().id)
    const [event] = gateway.sentEvents.list()
    expect(listPaths(event?.object ?? {})).toEqual(documented.session)
  })
})
