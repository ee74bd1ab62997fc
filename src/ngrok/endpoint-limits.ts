import { accountLimits, declareErrors, type Fields, tooMany } from '../kit/index.ts'

export const limitErrors = declareErrors({
  endpoint_limit_cloud_none: tooMany(18008),
  endpoint_limit_cloud_reached: tooMany(18010),
  endpoint_limit_pooling_none: tooMany(18019),
  endpoint_limit_pool_reached: tooMany(18020),
  endpoint_limit_online_reached: tooMany(18021),
})

/** The body of a creation may have no type. */
function isCloud({ type = 'cloud' }: Fields): boolean {
  return type === 'cloud'
}

/** The limits of endpoints. Those of agents count as online, and are refused by none: tests declare them. */
export const endpointLimits = accountLimits({
  cloud_endpoints: {
    what: 'cloud endpoints',
    counts: isCloud,
    none: limitErrors.endpoint_limit_cloud_none,
    reached: limitErrors.endpoint_limit_cloud_reached,
  },
  pooling: {
    what: 'endpoints of a pool',
    counts: ({ pooling_enabled }) => pooling_enabled === true,
    each: 'place',
    isChangeable: true,
    none: limitErrors.endpoint_limit_pooling_none,
    reached: limitErrors.endpoint_limit_pool_reached,
    plans: { free: 0, hobbyist: 0 },
  },
  endpoints: {
    what: 'endpoints that are online',
    reached: limitErrors.endpoint_limit_online_reached,
    plans: { free: 3, hobbyist: 3 },
  },
})
