import type { Gateway } from '../../../../src/index.ts'
import { open } from '../../../support/gateway.ts'
import { accountCases } from './account-cases.ts'
import { certificateCases } from './certificate-cases.ts'
import { domainCases } from './domain-cases.ts'
import type { ErrorCase } from './error-case.ts'
import { requestCases } from './request-cases.ts'
import { routeCases } from './route-cases.ts'

/** A case for each error of the catalogue. */
export const cases: readonly ErrorCase[] = [
  ...requestCases,
  ...domainCases,
  ...certificateCases,
  ...routeCases,
  ...accountCases,
]

/** Creates a gateway that rejects the request of a case, and returns it with the id for the request. */
export function prepare({ options = {}, setUp }: ErrorCase): { readonly gateway: Gateway; readonly id: string } {
  const gateway = open(options)
  return { gateway, id: setUp?.(gateway) ?? '' }
}
