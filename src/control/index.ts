import type { ErrorsByKey } from '../contract/family.ts'
import { errors as accessErrors } from './access-errors.ts'
import { authority } from './authority.ts'
import { certificates } from './certificates.ts'
import { clock } from './clock.ts'
import { type AnyControl, type ControlCall, membersOf } from './control.ts'
import { declare } from './declare.ts'
import { dns } from './dns.ts'
import { document } from './document.ts'
import { faults } from './faults/index.ts'
import { overview } from './overview.ts'
import { provisioning } from './provisioning/index.ts'
import { report } from './report.ts'
import { requests } from './requests/index.ts'
import { state } from './state/index.ts'

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

// Inferred, so that declarations show what it comes to and nothing of what controls are made of.
const members = /* @__PURE__ */ membersOf(controls)

/** What a gateway has of its controls as members: those of each. */
export type ControlMembers = NonNullable<typeof members>

/** All calls to the controls. Their HTTP paths stand below `/_fauxgate`. */
export const controlCalls: readonly ControlCall[] = controls.flatMap(({ calls }) => Object.values(calls))

/** The errors of all controls, and of who may not use them. */
export const controlErrors: readonly ErrorsByKey[] = [
  accessErrors,
  ...controls.flatMap(({ errors }: AnyControl) => (errors ? [errors] : [])),
]
