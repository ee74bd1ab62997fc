import type { ErrorsByKey } from '../contract/family.ts'
import { errors as accessErrors } from './access-errors.ts'
import { type AuthorityMember, authority } from './authority.ts'
import { certificates } from './certificates.ts'
import { type ClockMember, clock } from './clock.ts'
import type { AnyControl, ControlCall } from './control.ts'
import { type DeclareMember, declare } from './declare.ts'
import { type DnsMember, dns } from './dns.ts'
import { type DocumentMember, document } from './document.ts'
import { type FaultsMember, faults } from './faults/index.ts'
import { overview } from './overview.ts'
import { type ProvisioningMember, provisioning } from './provisioning/index.ts'
import { type ReportMember, report } from './report.ts'
import { type RequestsMember, requests } from './requests/index.ts'
import { type StateMembers, state } from './state/index.ts'

/** All controls of a gateway. */
export const controls = [
  clock,
  declare,
  provisioning,
  dns,
  faults,
  requests,
  overview,
  report,
  state,
  authority,
  certificates,
  document,
] as const

/**
 * What a gateway has of its controls as members: those of each, which a test of types compares. What only the inspector
 * asks is in the types of `inspected`.
 */
export interface ControlMembers
  extends AuthorityMember,
    ClockMember,
    DeclareMember,
    DnsMember,
    DocumentMember,
    FaultsMember,
    ProvisioningMember,
    ReportMember,
    RequestsMember,
    StateMembers {}

/** All calls to the controls. Their HTTP paths stand below `/_fauxgate`. */
export const controlCalls: readonly ControlCall[] = controls.flatMap(({ calls }) => Object.values(calls))

/** The errors of all controls, and of who may not use them. */
export const controlErrors: readonly ErrorsByKey[] = [
  accessErrors,
  ...controls.flatMap(({ errors }: AnyControl) => (errors ? [errors] : [])),
]
