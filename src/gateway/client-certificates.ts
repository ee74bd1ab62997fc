import type { Records } from '../core/engine/records.ts'

/**
 * Returns whether an edge or a policy can require a client certificate. If not, ports don't request a certificate, because browsers would
 * prompt the user.
 */
export function asksForCertificates(records: Records): boolean {
  const listOf = (name: string) =>
    records.collections.some((each) => each.name === name) ? records.tableNamed(name).newestFirst() : []
  if ([...listOf('https_edge_mutual_tls')].length > 0) return true
  return [...listOf('endpoints')].some((each) => /mutual_tls_/.test(String(Reflect.get(each, 'traffic_policy'))))
}
