import * as kit from '../kit/index.ts'
import type * as parts from '../parts/index.ts'
import { edgeModules } from './edge-modules/index.ts'
import { moduleFields } from './modules.ts'

const errors = kit.declareErrors({
  edge_modules_without_termination: kit.entry(
    7062,
    400,
    'terminate_at is "upstream", and mutual_tls needs TLS to be terminated at the edge. Disable one of them.',
  ),
})

const fields = moduleFields({
  backend: edgeModules.tlsEdgeBackend,
  ip_restriction: edgeModules.tlsEdgeIpRestriction,
  mutual_tls: edgeModules.tlsEdgeMutualTls,
  tls_termination: edgeModules.tlsEdgeTlsTermination,
  policy: edgeModules.tlsEdgePolicy,
  traffic_policy: edgeModules.tlsEdgeTrafficPolicy,
})

/** Rejects a TLS edge that requests certificates from visitors but leaves TLS to its upstream (rules: edges#edges). */
function requireTermination(tx: kit.Transaction, ids: parts.PathIds): void {
  const { mutual_tls, tls_termination } = fields.view(tx, ids)
  const isOfUpstream = tls_termination?.enabled && tls_termination.terminate_at === 'upstream'
  if (isOfUpstream && mutual_tls?.enabled) kit.refuse(errors.edge_modules_without_termination, {})
}

/** The module fields of a TLS edge. */
export const tlsModules: typeof fields & { readonly errors: typeof errors } = {
  ...fields,
  errors: { ...fields.errors, ...errors },
  set(tx, ids, body) {
    fields.set(tx, ids, body)
    requireTermination(tx, ids)
  },
}

/** Returns the family of a module that the termination rule applies to. */
function withTermination<
  R extends kit.Operation,
  F extends { readonly operations: { readonly replace: R }; readonly errors: object },
>(family: F): Omit<F, 'errors'> & { readonly errors: F['errors'] & typeof errors } {
  const { replace } = family.operations
  const { run } = replace
  const checked = {
    ...replace,
    errors: [...(replace.errors ?? []), errors.edge_modules_without_termination],
    run(tx: kit.Transaction, ids: parts.PathIds, body: unknown) {
      const response: unknown = run(tx, ids, body)
      requireTermination(tx, ids)
      return response
    },
  }
  return { ...family, errors: { ...family.errors, ...errors }, operations: { ...family.operations, replace: checked } }
}

/** The mutually exclusive modules of TLS edges. */
export const tlsEdgeModules = {
  tlsEdgeMutualTls: withTermination(edgeModules.tlsEdgeMutualTls),
  tlsEdgeTlsTermination: withTermination(edgeModules.tlsEdgeTlsTermination),
}
