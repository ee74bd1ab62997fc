import * as v from 'valibot'
import { collection } from '../contract/collection.ts'
import { addressHost } from '../contract/dialect.ts'
import { refuse } from '../contract/errors.ts'
import type { Region } from '../contract/regions.ts'
import { described, descriptionOf, type ResourceRecord, resource } from '../contract/resource.ts'
import { extra, ref, reference, region, resourceHead, text, textOfBytes } from '../contract/schema.ts'
import type { Transaction } from '../contract/transaction.ts'
import { type Frozen, refTo, timestamp, type View } from '../contract/view.ts'
import { endpointConfiguration } from './declarations.ts'

/** A reserved address as it is kept. */
interface AddressRecord extends ResourceRecord {
  readonly addr: string
  readonly region: Region
  readonly endpoint_configuration_id: string | null
}

const addresses = collection<AddressRecord>({
  name: 'reserved_addrs',
  key: (record) => record.id,
  fields: ['id', 'created_at', 'addr', 'region', 'endpoint_configuration_id'],
  indexes: { addr: (record) => record.addr },
})

const metadata = textOfBytes(4096, 'address_metadata_too_long')

const shape = v.object({
  ...resourceHead,
  addr: v.string(),
  region: v.string(),
  endpoint_configuration: v.nullable(ref),
})

const view: View<AddressRecord, Frozen<v.InferOutput<typeof shape>>> = (record, wire) => ({
  id: record.id,
  uri: `${wire.url}/reserved_addrs/${record.id}`,
  created_at: timestamp(record.created_at),
  ...descriptionOf(record),
  addr: record.addr,
  region: record.region,
  endpoint_configuration: refTo(wire, '/endpoint_configurations', record.endpoint_configuration_id),
})

/** Reserved addresses: service document, "Reserved address"; decisions, "Reserved addresses". */
export const reservedAddrs = resource({
  name: 'reserved_addrs',
  path: '/reserved_addrs',
  items: 'reserved_addrs',
  prefix: 'ra',
  what: 'reserved address',
  collection: addresses,
  shape,
  view,
  create: {
    body: v.object({
      description: text,
      metadata,
      region: region('address_region_invalid'),
      endpoint_configuration_id: extra(reference('ec')),
    }),
    run(tx, body) {
      const endpoint = endpointConfiguration(tx, 'endpoint_configuration_id', body.endpoint_configuration_id)
      return tx.put(addresses, {
        id: tx.newId('ra'),
        created_at: tx.now,
        ...described(body),
        addr: freeAddress(tx, body.region),
        region: body.region ?? DEFAULT_REGION,
        endpoint_configuration_id: endpoint ?? null,
      })
    },
  },
  update: {
    body: v.object({ description: text, metadata, endpoint_configuration_id: reference('ec') }),
    run(tx, record, body) {
      if (Object.keys(body).length === 0) refuse('address_update_empty', {})
      const endpoint = endpointConfiguration(tx, 'endpoint_configuration_id', body.endpoint_configuration_id)
      return tx.put(addresses, {
        ...record,
        ...described(body, record),
        endpoint_configuration_id: endpoint ?? record.endpoint_configuration_id,
      })
    },
  },
})

const DEFAULT_REGION = 'us'
const FIRST_PORT = 10_000
const PORTS = 20_000

/** An address of the region that is not reserved, found from a random place on. */
function freeAddress(tx: Transaction, sent: Region | undefined): string {
  const where = sent ?? DEFAULT_REGION
  const size = tx.rules.addressesPerRegion
  const start = tx.randomInteger(size)
  for (let step = 0; step < size; step++) {
    const place = (start + step) % size
    const host = addressHost(tx.dialect, Math.floor(place / PORTS), where)
    const addr = `${host}:${FIRST_PORT + (place % PORTS)}`
    if (!tx.find(addresses, 'addr', addr)) return addr
  }
  return refuse('address_pool_exhausted', { region: where, size, ...(sent && { field: 'region' }) })
}
