import type { DomainTimeline } from '../../core/generated/controls.ts'
import { page } from '../page.ts'
import { formatCounted, formatDuration } from '../shared/format.ts'
import { Chip } from '../shared/layout.tsx'

import { Picture } from './picture.tsx'

export function StateChip({ state }: { state: string }) {
  if (state.includes('failing')) return <Chip tone="bad">{state}</Chip>
  if (state === 'issued') return <Chip tone="good">{state}</Chip>
  return <Chip tone={state === 'unmanaged' ? 'dim' : 'busy'}>{state}</Chip>
}

interface LaneProps {
  /** Undefined while it is loaded. */
  job: DomainTimeline | undefined
  /** The time of the oldest event of all lanes, in ms. */
  since: number
  isChosen: boolean
}

export function Lane({ job, since, isChosen }: LaneProps) {
  if (!job) return <div class="lane flex" role="listitem" />
  const { id, domain, state, pending, outcomes } = job
  return (
    <div class={`lane flex ${isChosen ? 'chosen' : ''}`} role="listitem">
      <div class="who">
        <a class="clip" href={page.linkWithin(`jobs/${id}`)}>
          <b>{domain}</b>
        </a>
        <span class="clip">
          <StateChip state={state} />{' '}
          <small class="dim">
            {pending.length === 0 ? (
              describeAttempts(job)
            ) : (
              <b class="busy" title={pending.map(({ outcome }) => outcome).join(', then ')}>
                {pending[0]?.domain ? 'then' : 'perhaps'} {pending[0]?.outcome}
                {outcomes > 1 && ` +${outcomes - 1}`}
              </b>
            )}
          </small>
        </span>
      </div>
      <Picture job={job} since={since} isInList />
    </div>
  )
}

/** Says how many attempts the job had, and for how long it runs. */
function describeAttempts({ state, attempts, startedAt }: DomainTimeline): string {
  if (state === 'unmanaged' || attempts === null) return ''
  if (attempts === 0) return 'no attempt yet'
  const ageMs = startedAt ? page.now - Date.parse(startedAt) : 0
  return `${formatCounted(attempts, 'attempt')}${ageMs > 0 ? ` in ${formatDuration(ageMs)}` : ''}`
}
