import type { ComponentChildren } from 'preact'
import { page } from '../page.ts'
import { Button } from '../shared/controls.tsx'
import { Chip, type Tone } from '../shared/layout.tsx'

/** The kinds of troubles, the worst first, with their colours. */
export const KINDS = {
  broken: 'bad',
  waiting: 'busy',
  refused: 'warn',
  cancelled: 'warn',
  risk: 'warn',
  unused: 'dim',
  injected: 'dim',
  fixed: 'good',
} as const

export interface Trouble {
  readonly kind: keyof typeof KINDS
  /** The number of things with this trouble. Default: 1. */
  readonly count?: number
  readonly cause: string
  readonly about: ComponentChildren
  /** The text of the button that fixes it, and the calls of controls that the button sends, in order. */
  readonly fix?: { readonly label: string; readonly calls: readonly (readonly [string, string, object])[] } | undefined
}

export function TroubleRow({ trouble: { kind, cause, about, fix }, tone }: { trouble: Trouble; tone: Tone }) {
  const send = async () => {
    for (const each of fix?.calls ?? []) await page.control(...each)
  }
  return (
    <li class="record trouble">
      <Chip tone={tone}>{kind}</Chip>
      <div>
        <p class={`cause ${tone}`}>{cause}</p>
        <p class="dim">{about}</p>
      </div>
      {fix && <Button onClick={send}>{fix.label}</Button>}
    </li>
  )
}
