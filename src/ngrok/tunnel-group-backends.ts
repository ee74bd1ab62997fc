import * as v from 'valibot'
import {
  backendErrors,
  described,
  documented,
  named,
  ref,
  refTo,
  resource,
  resourceHead,
  viewHead,
} from '../kit/index.ts'
import { backendLimit, backendPartErrors, backendTexts, madeBackend, releaseBackend } from './backend-parts.ts'
import { tunnels } from './session-records.ts'
import { isInGroup, labelErrors, labels, tunnelGroups } from './tunnel-group-records.ts'

const PATH = '/backends/tunnel_group'

const shape = named(
  v.object({
    ...resourceHead,
    labels: documented(v.record(v.string(), v.string()), 'The labels that a tunnel must have.'),
    tunnels: documented(v.array(ref), 'The tunnels with these labels that are online, newest first.'),
  }),
  'TunnelGroupBackend',
  'A backend that sends traffic to all tunnels that have its labels.',
)

const fields = { ...backendTexts, labels: v.optional(labels) }

const createBody = named(
  v.object(fields),
  'TunnelGroupBackendCreate',
  'The body that creates a tunnel group backend.',
  {
    json: { examples: [{ labels: { team: 'web' } }] },
  },
)

const updateBody = named(v.object(fields), 'TunnelGroupBackendUpdate', 'The changes of a tunnel group backend.', {
  json: { examples: [{ labels: { team: 'web', version: '2' } }] },
})

/** Tunnel group backends (rules: backends#tunnel-groups). */
export const tunnelGroupBackends = resource(
  {
    name: 'tunnel_group_backends',
    path: PATH,
    items: 'backends',
    prefix: 'bkdtg',
    what: 'tunnel group backend',
    filterable: [],
    errors: { ...backendErrors, ...backendPartErrors, ...labelErrors },
    limits: backendLimit('tunnel_group_backends', 'tunnel group backends'),
    collection: tunnelGroups,
    shape,
    createBody,
    updateBody,
  },
  {
    view: (record, wire) => ({ ...viewHead(record, wire, PATH), labels: record.labels, tunnels: [] }),
    related(tx, group) {
      const matching = [...tx.newestFirst(tunnels)].filter((each) => isInGroup(each, group))
      return { tunnels: matching.map(({ id }) => refTo(tx.wire, '/tunnels', id)) }
    },
    create: { run: (tx, { labels = {}, ...rest }) => madeBackend(tx, tunnelGroups, 'bkdtg', rest, { labels }) },
    update: {
      run: (tx, group, { labels = group.labels, ...rest }) =>
        tx.put(tunnelGroups, { ...group, ...described(rest, group), labels }),
    },
    delete: { errors: [backendErrors.weighted_backend_in_use], before: releaseBackend },
  },
)
