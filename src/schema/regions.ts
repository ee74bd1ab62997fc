/** The datacenter regions (rules: limits#regions). The first use of a region is `us` by default. */
export const REGIONS = ['au', 'eu', 'ap', 'us', 'jp', 'in', 'sa'] as const

/** A datacenter region. */
export type Region = (typeof REGIONS)[number]
