import type { ErrorsByKey, Families } from '../core/operation/family.ts'
import { agent } from './agent/index.ts'
import { authority } from './authority.ts'
import { certificates } from './certificates.ts'
import { clock } from './clock.ts'
import { type AnyControl, accessErrors, type ControlCall, membersOf } from './control.ts'
import { copiedTest } from './copied-test/index.ts'
import { declare } from './declare.ts'
import { dns } from './dns.ts'
import { document } from './document.ts'
import { explorations } from './explorations.ts'
import { faults } from './faults/index.ts'
import { gateways } from './gateways.ts'
import { policy } from './policy.ts'
import { provisioning } from './provisioning/index.ts'
import { requests } from './requests.ts'
import { sentEvents } from './sent-events/index.ts'
import { snapshots } from './snapshots.ts'
import { state } from './state.ts'
import { traffic } from './traffic/index.ts'
import { usedControlsControl } from './used-controls.ts'
import { overview } from './views/overview.ts'
import { records } from './views/records.ts'
import { report } from './views/report.ts'
import { timelines } from './views/timelines.ts'
import { troubles } from './views/troubles.ts'

export const controls = [
  clock,
  declare,
  provisioning,
  timelines,
  dns,
  faults,
  traffic,
  agent,
  policy,
  requests,
  sentEvents,
  usedControlsControl,
  copiedTest,
  overview,
  troubles,
  records,
  report,
  state,
  snapshots,
  gateways,
  explorations,
  authority,
  certificates,
  document,
] as const

const members = /* @__PURE__ */ membersOf(controls)

/** The members that controls add to a gateway. */
export type ControlMembers = NonNullable<typeof members>

/** Returns all calls to the controls of a gateway with these families, with paths under `/_fauxgate`. */
export function controlCallsWith(families: Families): readonly ControlCall[] {
  return controls.flatMap(({ calls }: AnyControl) => (typeof calls === 'function' ? calls(families) : calls))
}

/** The calls to the controls of a gateway without its own families. */
export const controlCalls: readonly ControlCall[] = controlCallsWith({})

export const controlErrors: readonly ErrorsByKey[] = [
  accessErrors,
  ...controls.flatMap(({ errors }: AnyControl) => (errors ? [errors] : [])),
]
