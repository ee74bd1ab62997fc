import * as v from 'valibot'
import { column, columns } from '../../core/operation/columns.ts'
import { sectionReader } from '../../core/operation/family.ts'
import { tooFast, tooMany } from '../../core/operation/limit.ts'
import { operation } from '../../core/operation/operation.ts'
import { required, resource } from '../../core/operation/resource.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { refTo } from '../../core/operation/view.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { documented } from '../../core/schema/documentation.ts'
import { emptyUpdate, requireUpdate } from '../../core/schema/empty-update.ts'
import { declareErrors, entry, field, only, refuse, tooLong } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { oneOfThese } from '../../core/schema/options.ts'
import { idOf, made } from '../../core/schema/record-schema.ts'
import { rule } from '../../core/schema/rule.ts'
import {
  descriptionWith,
  extra,
  limitsAllTexts,
  MAX_METADATA_BYTES,
  METADATA,
  REGIONS,
  type Region,
  ref,
  reference,
  region,
  textOfBytes,
} from '../../core/schema/schema.ts'
import { errors as declarationErrors, requireEndpointConfiguration } from './declarations.ts'

const limitErrors = declareErrors({
  address_limit_none: tooMany(501),
  address_limit_reached_older: tooMany(502),
  address_limit_reached: tooMany(508),
  address_rate_reached: tooFast(509),
})

const errors = declareErrors({
  address_region_invalid: field(500, 400),
  address_pool_exhausted: entry(
    503,
    409,
    'The region {region} has no free addresses: {size} of {size} are reserved. Delete one, or choose another region.',
  ),
  address_description_too_long: only(limitsAllTexts, tooLong(504)),
  address_metadata_too_long: tooLong(505),
  address_update_empty: emptyUpdate(506),
})

const metadata = textOfBytes(MAX_METADATA_BYTES, errors.address_metadata_too_long, METADATA)

const PATH = '/reserved_addrs'
const WHAT = 'reserved address'

const FIRST_PORT = 10_000
const PORTS = 20_000

const DEFAULT_REGION = 'us'

const REGION = 'The datacenter region of the address.'

const addr = documented(
  v.pipe(
    v.string(),
    rule([], (received, report) => {
      const port = /^[^\s:]+:(\d{5})$/.exec(received)?.[1]
      const place = Number(port) - FIRST_PORT
      if (!(place >= 0 && place < PORTS)) {
        report(general.field_invalid, { allowed: `a host with a port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1}` })
      }
    }),
  ),
  `The TCP address, \`hostname:port\`, unique; ports are ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1}.`,
  { json: { pattern: '^[^\\s:]+:[12]\\d{4}$' } },
)

const endpointConfigurationId = reference('ec', 'The ID of the endpoint configuration to link to the address.')

const table = columns(
  {
    name: 'reserved_addrs',
    prefix: 'ra',
    what: WHAT,
    tableFields: ['addr', 'region'],
    plural: 'reserved addresses',
    filterable: ['id', 'created_at', 'description', 'metadata', 'addr', 'region'],
    errors: { ...errors, ...limitErrors },
    limit: {
      none: limitErrors.address_limit_none,
      reached: limitErrors.address_limit_reached,
      older: limitErrors.address_limit_reached_older,
      rate: limitErrors.address_rate_reached,
      plans: { free: 0, hobbyist: 1, paygo: 100 },
    },
    texts: { description: descriptionWith(errors.address_description_too_long), metadata },
    title: 'ReservedAddress',
    sentence: 'A TCP address reserved for the account.',
    note: '; at least one field is required',
    examples: [{ description: 'checkout', region: 'eu' }],
  },
  {
    addr: column({ kept: made(addr), shown: addr }),
    region: column({
      create: region(errors.address_region_invalid, REGION, { default: DEFAULT_REGION }),
      kept: documented(oneOfThese(REGIONS), REGION),
      shown: documented(v.string(), REGION, { json: { listed: REGIONS }, rules: 'limits#regions' }),
      first: DEFAULT_REGION,
    }),
    endpoint_configuration_id: column({
      create: extra(endpointConfigurationId),
      update: endpointConfigurationId,
      kept: v.nullable(documented(idOf('ec'), 'The ID of the linked endpoint configuration.')),
      shown: false,
      first: null,
    }),
    endpoint_configuration: column({
      shown: documented(v.nullable(ref), 'The linked endpoint configuration, or null.', {
        rules: 'reserved-addresses#endpoint-configuration',
      }),
    }),
  },
  { indexes: { addr: (record) => record.addr } },
)

/**
 * The collection of reserved addresses, for lookups: `tx.find(addresses, 'addr', '1.tcp.eu.ngrok.io:20000')`.
 *
 * @example
 * ```ts
 * const address = tx.get(addresses, body.reserved_addr_id)
 * ```
 */
export const addresses = table.records

/** A dialect's section for reserved addresses. */
export interface AddressDialect {
  /** The host name of a reserved address. `{n}` is replaced by a number, and `{region}` by the region. */
  readonly addressHost: {
    readonly us: string
    readonly elsewhere: string
    /** The initial number of hosts in a region. Default: as many as the `addressesPerRegion` option requires. */
    readonly first?: number
  }
}

const addressDialect = sectionReader<AddressDialect>('addressHost')
const addressOptions = sectionReader<{ readonly addressesPerRegion: number }>('addressesPerRegion')

/** Reserved addresses (rules: reserved-addresses#resource). */
export const reservedAddrs = resource(
  {
    ...table.kind,
    more: {
      detachEndpointConfiguration: operation({
        name: 'reserved_addrs.detach_endpoint_configuration',
        method: 'DELETE',
        path: `${PATH}/{id}/endpoint_configuration`,
        status: 204,
        summary: 'Detach the endpoint configuration from a reserved address',
        ids: { id: 'ra' },
        isExtra: true,
        errors: [general.not_found],
        run(tx, { id }) {
          const address = required(tx, addresses, id, WHAT)
          if (address.endpoint_configuration_id) tx.put(addresses, { ...address, endpoint_configuration_id: null })
        },
      }),
    },
  },
  {
    view: (record, wire) => ({
      ...table.rules.view(record, wire),
      endpoint_configuration: refTo(wire, '/endpoint_configurations', record.endpoint_configuration_id),
    }),
    relations({ id, addr }, others, report) {
      if (others.find(addresses, 'addr', addr)?.id !== id)
        report(['addr'], addr, 'an address that no other reserved address has')
    },
    create: {
      errors: [errors.address_pool_exhausted, declarationErrors.endpoint_configuration_not_found],
      run(tx, body) {
        requireEndpointConfiguration(tx, 'endpoint_configuration_id', body.endpoint_configuration_id)
        // The id takes the sequence's first number, and the address takes the second.
        const address = table.newRecord(tx, body, { addr: '' })
        return tx.put(addresses, { ...address, addr: findFreeAddress(tx, body.region) })
      },
    },
    update: {
      errors: [errors.address_update_empty, declarationErrors.endpoint_configuration_not_found],
      run(tx, record, body) {
        requireUpdate(errors.address_update_empty, body, table.kind.updateBody)
        requireEndpointConfiguration(tx, 'endpoint_configuration_id', body.endpoint_configuration_id)
        return tx.put(addresses, table.changed(record, body))
      },
    },
  },
)

/** Finds a free address in the region. The search starts at a random address. */
function findFreeAddress(tx: Transaction, sent: Region | undefined): string {
  const region = sent ?? DEFAULT_REGION
  const size = addressOptions(tx.options).addressesPerRegion
  const { first = Number.POSITIVE_INFINITY } = addressDialect(tx.dialect).addressHost
  const start = tx.randomInteger(Math.min(size, first * PORTS))
  for (let step = 0; step < size; step++) {
    const place = (start + step) % size
    const host = makeHost(tx.dialect, Math.floor(place / PORTS), region)
    const addr = `${host}:${FIRST_PORT + (place % PORTS)}`
    if (!tx.find(addresses, 'addr', addr)) return addr
  }
  return refuse(errors.address_pool_exhausted, { region, size, ...(sent && { field: 'region' }) })
}

function makeHost(dialect: CommonDialect, n: number, region: Region): string {
  const { us, elsewhere } = addressDialect(dialect).addressHost
  const template = region === 'us' ? us : elsewhere
  return template.replace('{n}', String(n)).replace('{region}', region)
}
