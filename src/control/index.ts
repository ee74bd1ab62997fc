import { authority } from './authority.ts'
import { clock } from './clock.ts'
import type { ControlCall, MembersOf } from './control.ts'
import { declare } from './declare.ts'
import { dns } from './dns.ts'
import { faults } from './faults/index.ts'
import { provisioning } from './provisioning/index.ts'
import { report } from './report.ts'
import { requests } from './requests/index.ts'
import { state } from './state/index.ts'

/** All controls of a gateway. */
export const controls = [clock, declare, provisioning, dns, faults, requests, report, state, authority] as const

/** What a gateway has of its controls as members. */
export type ControlMembers = MembersOf<(typeof controls)[number]>

/** All calls to the controls. Their HTTP paths stand below `/_fauxgate`. */
export const controlCalls: readonly ControlCall[] = controls.flatMap(({ calls }) => Object.values(calls))
