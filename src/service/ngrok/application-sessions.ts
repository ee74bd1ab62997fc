import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import {
  type ApplicationSessionRecord,
  applicationSessionRecords,
  applicationUserRecords,
} from './application-records.ts'
import { edgeTarget, routeTarget } from './edge-records.ts'
import { endpointTarget } from './endpoint-records.ts'
import { refField } from './shared.ts'

const { id, uri, created_at } = kit.resourceHead
const text = (sentence: string) => kit.documented(v.string(), sentence)
const nullableText = (sentence: string) => kit.documented(v.nullable(v.string()), sentence)

const userAgent = kit.named(
  v.object({
    raw: text('The User-Agent header.'),
    browser_name: text('The name of the browser; "" in fauxgate, which does not read the header.'),
    browser_version: text('The version of the browser; "" in fauxgate.'),
    device_type: text('The kind of device; "" in fauxgate.'),
    os_name: text('The operating system; "" in fauxgate.'),
    os_version: text('The version of the operating system; "" in fauxgate.'),
  }),
  'UserAgent',
  "The user's browser or other client.",
)

const location = kit.named(
  v.object({
    country_code: nullableText('The two-letter country code.'),
    latitude: kit.documented(v.nullable(v.number()), 'The latitude; null in fauxgate.'),
    longitude: kit.documented(v.nullable(v.number()), 'The longitude; null in fauxgate.'),
    lat_long_radius_km: kit.documented(v.nullable(v.number()), 'The accuracy of the coordinates; null in fauxgate.'),
  }),
  'Location',
  'The location of an IP address.',
)

const orNull = (sentence: string) => kit.documented(v.nullable(kit.ref), sentence)

const shape = kit.named(
  v.object({
    id,
    uri,
    public_url: text('The URL where the person signed in.'),
    browser_session: kit.documented(
      kit.named(
        v.object({
          user_agent: userAgent,
          ip_address: text('The IP address that the person connects from.'),
          location: kit.documented(v.nullable(location), 'The location of the address; null if it is unknown.'),
        }),
        'BrowserSession',
        'The program and the address of a session.',
      ),
      'The program and the address of the session.',
    ),
    application_user: refField('The person.'),
    created_at,
    last_active: kit.documented(kit.time, 'The time of the last request.'),
    expires_at: kit.documented(kit.time, 'The time at which the session ends.'),
    endpoint: orNull("The agent's endpoint, or null."),
    edge: orNull('The edge, or null.'),
    route: orNull("The edge's route, or null."),
  }),
  'ApplicationSession',
  "A person's session at an endpoint.",
)

const view: kit.View<ApplicationSessionRecord, kit.Frozen<v.InferOutput<typeof shape>>> = (session, wire) => ({
  id: session.id,
  uri: `${wire.url}/app/sessions/${session.id}`,
  public_url: session.public_url,
  browser_session: {
    user_agent: {
      raw: session.user_agent,
      browser_name: '',
      browser_version: '',
      device_type: '',
      os_name: '',
      os_version: '',
    },
    ip_address: session.ip_address,
    location: session.country_code === null ? null : { ...NOWHERE, country_code: session.country_code },
  },
  application_user: kit.refTo(wire, '/app/users', session.user_id),
  created_at: kit.timestamp(session.created_at),
  last_active: kit.timestamp(session.last_active),
  expires_at: kit.timestamp(session.expires_at),
  endpoint: kit.refTo(wire, '/endpoints', session.endpoint_id),
  edge: kit.refTo(wire, '/edges/https', session.edge_id),
  route: session.edge_id === null ? null : kit.refTo(wire, `/edges/https/${session.edge_id}/routes`, session.route_id),
})

const NOWHERE = { latitude: null, longitude: null, lat_long_radius_km: null }

/** Creates the row of the table of references for a field of a session. */
function rowOf(name: string, to: parts.Target, deletion: 'cascades' | 'detaches') {
  return parts.referenceOf(applicationSessionRecords, {
    field: `${name}_id`,
    sent: name,
    shown: name === 'user' ? 'application_user' : name,
    to,
    ...(name === 'user' && { index: 'user' }),
    missing: kit.general.field_invalid,
    deletion,
    rules: 'ngrok-families#application-users',
  })
}

const rows = {
  user: rowOf('user', parts.targetOf('an application user', applicationUserRecords), 'cascades'),
  endpoint: rowOf('endpoint', endpointTarget, 'detaches'),
  edge: rowOf('edge', edgeTarget, 'detaches'),
  route: rowOf('route', routeTarget, 'detaches'),
}

const declaredId = (prefix: string, sentence: string) =>
  v.optional(kit.documented(v.nullable(kit.idOf(prefix)), `${sentence} Default: none.`), null)

const applicationSession = kit.declaration({
  schema: kit.named(
    v.object({
      user: kit.documented(v.string(), 'The ID of the application user.'),
      public_url: v.optional(text('The URL where the person signed in.'), 'https://app.example.com'),
      user_agent: v.optional(text('The User-Agent header.'), 'Mozilla/5.0'),
      ip_address: v.optional(text('The IP address that the person connects from.'), '203.0.113.10'),
      country_code: v.optional(nullableText('The two-letter country code.'), null),
      expires_in: v.optional(kit.sentDuration('The time until the session ends. Default: one day.'), '1d'),
      endpoint: declaredId('ep', 'The endpoint.'),
      edge: declaredId('edghts', 'The edge.'),
      route: declaredId('edghtsrt', 'The route of the edge. Requires `edge`.'),
    }),
    'ApplicationSessionDeclaration',
    "Declares a person's session, which starts now.",
  ),
  response: shape,
  errors: [kit.general.field_invalid],
  run(tx, { user, expires_in, endpoint, edge, route, ...facts }) {
    parts.requireTargets(tx, rows.user, user)
    parts.requireTargets(tx, rows.endpoint, endpoint)
    parts.requireTargets(tx, rows.edge, edge)
    parts.requireTargets(tx, rows.route, route)
    // A session shows its route with the URL of the edge.
    if (route !== null && (edge === null || !parts.hasRoute(tx, edge, route))) {
      const allowed = edge === null ? 'a route along with its edge' : `a route on the edge ${edge}`
      kit.refuse(kit.general.field_invalid, { field: 'route', received: kit.quote(route), allowed })
    }
    const { at: expires_at, due } = kit.schedule(tx, tx.now + (parts.durationMs(expires_in) ?? 0))
    return tx.show(
      view,
      tx.put(applicationSessionRecords, {
        id: tx.newId('as'),
        created_at: tx.now,
        last_active: tx.now,
        expires_at,
        due,
        user_id: user,
        ...facts,
        endpoint_id: endpoint,
        edge_id: edge,
        route_id: route,
      }),
    )
  },
})

const kind = {
  name: 'application_sessions',
  path: '/app/sessions',
  prefix: 'as',
  what: 'application session',
  tableFields: ['public_url', 'application_user', 'expires_at'],
  collection: applicationSessionRecords,
  filterable: [],
  shape,
} as const

/** Application user sessions at endpoints. Visits create sessions, tests can declare them, and sessions expire over time. */
export const applicationSessions = kit.familyOf({
  operations: {
    ...kit.readOperations(kind, view),
    delete: kit.operation({
      name: 'application_sessions.delete',
      method: 'DELETE',
      path: '/app/sessions/{id}',
      status: 204,
      summary: 'End an application session',
      ids: { id: 'as' },
      errors: [kit.general.not_found],
      run: (tx, { id }) =>
        tx.remove(applicationSessionRecords, kit.required(tx, applicationSessionRecords, id, kind.what)),
    }),
  },
  errors: {},
  prefix: 'as',
  collections: [applicationSessionRecords],
  declares: { applicationSession },
  // The family has no other records.
  onDue: (tx, session) => tx.remove(applicationSessionRecords, session as ApplicationSessionRecord),
  references: Object.values(rows),
})
